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

    /// Literals are static strings.
    public typealias StringLiteralType = StaticString

    let text: LogText
    /// The number of bytes that were truncated because the line would be too long.
    let omitted: Int
    var owner: MessageBuffer?

    private init(text: LogText) { (self.text, omitted, owner) = (text, 0, nil) }

    @inline(__always)
    init(owner: consuming MessageBuffer) {
        (text, omitted) = (owner.buffer.text, owner.buffer.omitted)
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

    /// Creates a message from a string known at run time.
    ///
    /// - Complexity: O(*n*) in the length of the string, which is copied up to the maximum length of a line.
    public init(_ text: some StringProtocol) {
        let owner = ThreadContext.current.takeMessageBuffer()
        owner.buffer.append(text)
        self.init(owner: owner)
    }

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
