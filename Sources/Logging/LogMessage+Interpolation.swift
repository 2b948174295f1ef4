extension LogMessage {
    /// What an interpolated literal is collected in.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// Literal parts are static strings.
        public typealias StringLiteralType = StaticString

        let owner: MessageBuffer
        private let buffer: ByteBuffer

        /// Begins a message.
        public init(literalCapacity: Int, interpolationCount: Int) {
            owner = ThreadContext.current.takeMessageBuffer()
            buffer = owner.buffer
        }

        /// Appends a part between two interpolations.
        public mutating func appendLiteral(_ literal: StaticString) {
            // The compiler appends an empty part behind the last interpolation.
            if !literal.hasPointerRepresentation || literal.utf8CodeUnitCount > 0 { buffer.append(literal) }
        }

        /// Appends text.
        public mutating func appendInterpolation(_ text: String) { buffer.append(text) }

        /// Appends part of a text.
        public mutating func appendInterpolation(_ text: Substring) { buffer.append(text) }

        /// Appends the text of another message.
        public mutating func appendInterpolation(_ message: LogMessage) { buffer.append(message.start, message.count) }

        /// Appends static text.
        public mutating func appendInterpolation(_ text: StaticString) { buffer.append(text) }

        /// Appends an integer in decimal digits.
        public mutating func appendInterpolation(_ value: Int) { buffer.append(decimal: Int64(value)) }

        /// Appends an integer of any type in decimal digits.
        public mutating func appendInterpolation<Integer: FixedWidthInteger>(_ value: Integer) {
            if let small = Int64(exactly: value) {
                buffer.append(decimal: small)
            } else if let large = UInt64(exactly: value) {
                buffer.append(decimal: large)
            } else {
                buffer.append(String(value))
            }
        }

        /// Appends a floating-point number as `description` prints it.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint & TextOutputStreamable>(_ value: Number) {
            var stream = ByteStream(buffer: buffer)
            value.write(to: &stream)
        }

        /// Appends `true` or `false`.
        public mutating func appendInterpolation(_ value: Bool) {
            buffer.append(value ? "true" as StaticString : "false")
        }

        /// Appends a value as `String(describing:)` prints it.
        ///
        /// The value's own `description` may itself log; it runs before any lock is taken.
        public mutating func appendInterpolation<Value>(_ value: Value) { buffer.append(String(describing: value)) }

        /// Appends a value that may be missing: the value alone, or `nil`.
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            if let value { buffer.append(LogPrivacy.text(of: value)) } else { buffer.append("nil" as StaticString) }
        }

        /// Appends an error as `String(describing:)` prints it.
        public mutating func appendInterpolation(_ error: any Error) { buffer.append(String(describing: error)) }

        /// Appends a value that may have to be kept out of the log.
        ///
        /// A private value is not evaluated into text at all unless ``LogConfiguration/revealsPrivateValues`` is set.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            guard privacy != .public, !LogPipeline.revealsPrivateValues else {
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
        public mutating func appendInterpolation(_ value: Double, format: LogFloatFormat) {
            buffer.append(format.text(of: value))
        }

        /// Appends a floating-point number of any type in another notation.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint>(_ value: Number, format: LogFloatFormat) {
            buffer.append(format.text(of: Double(value)))
        }
    }
}

/// Lets a number print itself straight into a buffer.
struct ByteStream: TextOutputStream {
    let buffer: ByteBuffer

    mutating func write(_ string: String) { buffer.append(string) }

    /// The standard library's numbers come this way, without a string in between.
    mutating func _writeASCII(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress { buffer.append(start, bytes.count) }
    }
}
