internal import Synchronization

/// The text of a line, built from a string literal as UTF-8 bytes.
///
/// A literal without interpolation isn't copied. Interpolated text is written into a buffer that the thread reuses, so
/// numbers, strings and static text need no allocation. A message can be stored and logged again.
///
/// ```swift
/// let name = "acme", bytes = 42
/// Log("Upload").debug("sent \(bytes) B of \(name, privacy: .private)")
/// ```
public struct LogMessage: ExpressibleByStringInterpolation, @unchecked Sendable {
    // Sendable because the bytes don't change after initialization; `owner` retains them.

    let text: LogText
    /// The number of bytes that were truncated because the line would be too long.
    let omitted: Int
    var owner: MessageBuffer?

    /// The maximum length of a message, which grows with the limits of lines.
    private static let longestMessage = Atomic<Int>(0)
    static var longest: Int { max(65_536, longestMessage.load(ordering: .relaxed)) + 64 }

    static func allow(_ bytes: Int) { _ = longestMessage.max(bytes, ordering: .relaxed) }

    private init(text: LogText) {
        self.text = text
        omitted = 0
        owner = nil
    }

    init(owner: consuming MessageBuffer) {
        text = owner.buffer.text
        omitted = owner.buffer.omitted
        self.owner = owner
    }

    /// Creates a message from static text.
    public init(stringLiteral value: StaticString) {
        guard value.hasPointerRepresentation else {
            let owner = ThreadContext.current.takeMessageBuffer()
            owner.buffer.append(value)
            self.init(owner: owner)
            return
        }
        self.init(text: LogText(value))
    }

    /// Creates a message from an interpolated literal.
    public init(stringInterpolation: StringInterpolation) { self.init(owner: stringInterpolation.owner) }

    /// Runs `body` with the length of the message and returns its buffer, as a logger does.
    ///
    /// For benchmarks.
    @_spi(Benchmarks)
    public consuming func consume(_ body: (_ count: Int) -> Void) {
        var message = self
        body(message.text.count)
        ThreadContext.current.giveBack(&message.owner)
    }
}

extension LogMessage: CustomStringConvertible {
    /// The text, up to the maximum length of a line.
    public var description: String { text.string }
}

extension LogMessage {
    /// Collects an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        let owner: MessageBuffer
        private var buffer: ByteBuffer { owner.buffer }

        /// Begins a message.
        public init(literalCapacity: Int, interpolationCount: Int) {
            owner = ThreadContext.current.takeMessageBuffer()
        }

        /// Appends a part between two interpolations.
        public mutating func appendLiteral(_ literal: StaticString) {
            // The compiler appends an empty part after the last interpolation.
            if !literal.hasPointerRepresentation || literal.utf8CodeUnitCount > 0 { buffer.append(literal) }
        }

        /// Appends a string.
        public mutating func appendInterpolation(_ text: String) { buffer.append(text) }

        /// Appends an integer in decimal digits.
        @_specialize(where Integer == Int)
        public mutating func appendInterpolation<Integer: FixedWidthInteger>(_ value: Integer) {
            if let small = Int64(exactly: value) {
                buffer.append(decimal: small)
            } else if let large = UInt64(exactly: value) {
                buffer.append(decimal: large)
            } else {
                buffer.append(String(value))
            }
        }

        /// Appends a floating-point number in the form of its `description`.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint & TextOutputStreamable>(_ value: Number) {
            var stream = ByteStream(buffer: buffer)
            value.write(to: &stream)
        }

        /// Appends a value in the form of `String(describing:)`.
        ///
        /// The value's `description` can log; it runs without a lock.
        public mutating func appendInterpolation<Value>(_ value: Value) { buffer.append(String(describing: value)) }

        /// Appends an optional value, or `nil`.
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            if let value { buffer.append(LogPrivacy.text(of: value)) } else { buffer.append("nil" as StaticString) }
        }

        /// Appends a value or its replacement.
        ///
        /// A private value isn't evaluated unless ``LogConfiguration/revealsPrivateValues`` is set.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            guard !LogPrivacy.revealsPrivateValues else {
                buffer.append(LogPrivacy.text(of: value()))
                return
            }
            buffer.append(privacy.replacement(for: value()))
        }

        /// Appends an integer in another notation.
        public mutating func appendInterpolation<Integer: FixedWidthInteger>(
            _ value: Integer, format: LogIntegerFormat
        ) {
            buffer.append(format.text(of: value))
        }

        /// Appends a floating-point number in another notation.
        public mutating func appendInterpolation(_ value: some BinaryFloatingPoint, format: LogFloatFormat) {
            buffer.append(format.text(of: Double(value)))
        }
    }
}
