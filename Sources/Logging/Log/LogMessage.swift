/// The text of a line, written as a string literal.
///
/// A string known at run time is interpolated: `log.info("\(text)")`. A message can be stored and logged again.
///
/// ```swift
/// let name = "acme", bytes = 42
/// Log("Upload").debug("sent \(bytes) B of \(name, privacy: .private)")
/// ```
public struct LogMessage: ExpressibleByStringInterpolation, Hashable, Sendable {
    let text: String

    /// Creates a message from a literal.
    public init(stringLiteral value: String) { text = value }

    /// Creates a message from an interpolated literal.
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

extension LogMessage: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension LogMessage {
    /// Collects an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Begins a message.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends a part between two interpolations.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a string.
        public mutating func appendInterpolation(_ value: String) { text += value }

        /// Appends an integer in decimal digits.
        public mutating func appendInterpolation<Integer: FixedWidthInteger>(_ value: Integer) {
            text += String(value)
        }

        /// Appends a floating-point number in the form of its `description`.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint & TextOutputStreamable>(_ value: Number) {
            value.write(to: &text)
        }

        /// Appends a value in the form of `String(describing:)`.
        ///
        /// The value's `description` can log; it runs without a lock.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            text += String(describing: value)
        }

        /// Appends an optional value, or `nil`.
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            text += value.map { LogPrivacy.text(of: $0) } ?? "nil"
        }

        /// Appends a value or its replacement.
        ///
        /// A private value isn't evaluated unless ``LogConfiguration/revealsPrivateValues`` is set.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            text +=
                LogPrivacy.revealsPrivateValues
                ? LogPrivacy.text(of: value()) : privacy.replacement(for: value())
        }

        /// Appends an integer in another notation.
        public mutating func appendInterpolation<Integer: FixedWidthInteger>(
            _ value: Integer, format: LogIntegerFormat
        ) {
            text += format.text(of: value)
        }

        /// Appends a floating-point number in another notation.
        public mutating func appendInterpolation(_ value: some BinaryFloatingPoint, format: LogFloatFormat) {
            text += format.text(of: Double(value))
        }
    }
}
