extension LogMessage {
    /// Collects an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// Literal parts are static strings.
        public typealias StringLiteralType = StaticString

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

        /// Appends a substring.
        public mutating func appendInterpolation(_ text: Substring) { buffer.append(text) }

        /// Appends the text of another message.
        public mutating func appendInterpolation(_ message: LogMessage) { buffer.append(message.text) }

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

        /// Appends a floating-point number in the form of its `description`.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint & TextOutputStreamable>(_ value: Number) {
            var stream = ByteStream(buffer: buffer)
            value.write(to: &stream)
        }

        /// Appends `true` or `false`.
        public mutating func appendInterpolation(_ value: Bool) {
            buffer.append(value ? "true" as StaticString : "false")
        }

        /// Appends a value in the form of `String(describing:)`.
        ///
        /// The value's `description` can log; it runs without a lock.
        public mutating func appendInterpolation<Value>(_ value: Value) { buffer.append(String(describing: value)) }

        /// Appends an optional value, or `nil`.
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            if let value { buffer.append(LogPrivacy.text(of: value)) } else { buffer.append("nil" as StaticString) }
        }

        /// Appends an error in the form of `String(describing:)`.
        public mutating func appendInterpolation(_ error: any Error) { buffer.append(String(describing: error)) }

        /// Appends a value or its replacement.
        ///
        /// A private value isn't evaluated unless ``LogConfiguration/revealsPrivateValues`` is set.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            guard privacy != .public, !LogPrivacy.revealsPrivateValues else {
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
