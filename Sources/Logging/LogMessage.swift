/// The text of a line, built from a string literal as UTF-8 bytes without a `String` in between.
///
/// A literal without interpolation is used where it lies in the program. With interpolation, the bytes go into a buffer
/// that the thread keeps for the next message, so that numbers, strings and static text cost no allocation. A message
/// may be kept and logged again.
///
/// ```swift
/// let name = "acme", bytes = 42
/// Log("Upload").debug("sent \(bytes) B of \(name, privacy: .private)")
/// ```
public struct LogMessage: ExpressibleByStringInterpolation, @unchecked Sendable {
    // Sendable: the bytes are not changed any more once a message exists; `owner` keeps them alive.

    /// Literals are static strings: they are not copied.
    public typealias StringLiteralType = StaticString

    let start: UnsafePointer<UInt8>
    let count: Int
    /// Bytes that interpolation did not take in because the line would be too long.
    let omitted: Int
    var owner: MessageBuffer?

    private init(start: UnsafePointer<UInt8>, count: Int) {
        (self.start, self.count, omitted, owner) = (start, count, 0, nil)
    }

    @inline(__always)
    init(owner: consuming MessageBuffer) {
        (start, count) = (UnsafePointer(owner.start), owner.count)
        omitted = owner.buffer.header.pointee.omitted
        self.owner = owner
    }

    /// Creates a message of static text.
    public init(stringLiteral value: StaticString) {
        guard value.hasPointerRepresentation else {
            let owner = ThreadContext.current.takeMessageBuffer()
            owner.buffer.append(value)
            self.init(owner: owner)
            return
        }
        self.init(start: value.utf8Start, count: value.utf8CodeUnitCount)
    }

    /// Creates a message of an interpolated literal.
    public init(stringInterpolation: StringInterpolation) { self.init(owner: stringInterpolation.owner) }

    /// Creates a message of text that is only known at run time.
    ///
    /// - Complexity: O(*n*) in the length of the text, which is copied up to the longest line.
    public init(_ text: some StringProtocol) {
        let owner = ThreadContext.current.takeMessageBuffer()
        owner.buffer.append(text)
        self.init(owner: owner)
    }

    /// Runs `body` with the UTF-8 bytes of the message, as far as a line would hold them, and gives its buffer back.
    ///
    /// For code that uses messages without logging them; a logger does the same.
    public consuming func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var message = self
        defer { ThreadContext.current.giveBack(&message) }
        return body(message.bytes)
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

extension LogMessage: CustomStringConvertible {
    /// The text as a string, as far as a line would hold it.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
