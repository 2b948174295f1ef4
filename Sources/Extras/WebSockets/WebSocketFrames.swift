internal import AshlarCore
internal import AshlarNetworking

/// Writes frames of a client (RFC 6455, section 5).
enum WebSocketFrame {
    /// The kind of a frame.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// Returns a frame with the whole payload, which is masked as a client must.
    static func encode(_ opcode: Opcode, _ payload: some Collection<UInt8>, mask: UInt32 = .random(in: 0...(.max)))
        -> [UInt8]
    {
        var frame: [UInt8] = [0x80 | opcode.rawValue]
        frame.reserveCapacity(payload.count + 14)
        let lengthBytes: Int
        switch payload.count {
        case ..<126: (lengthBytes, _) = (0, frame.append(0x80 | UInt8(payload.count)))
        case ..<65_536: (lengthBytes, _) = (2, frame.append(0x80 | 126))
        default: (lengthBytes, _) = (8, frame.append(0x80 | 127))
        }
        for index in (0..<lengthBytes).reversed() {
            frame.append(UInt8(truncatingIfNeeded: UInt64(payload.count) >> UInt64(8 * index)))
        }
        let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> UInt32(24 - 8 * $0)) }
        frame += key
        var index = 0
        for byte in payload {
            frame.append(byte ^ key[index & 3])
            index &+= 1
        }
        return frame
    }

    /// Returns a close frame; a reason that is too long is shortened at the end of a character.
    static func close(_ code: WebSocketCloseCode?, _ reason: String) -> [UInt8] {
        guard let code else { return encode(.close, []) }
        return encode(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + shortened(reason).utf8)
    }

    /// Returns a reason for closing, shortened to the length that fits into a close frame.
    static func shortened(_ reason: String) -> String {
        guard reason.utf8.count > 123 else { return reason }
        var length = 0
        return String(
            reason.prefix { character in
                length += character.utf8.count
                return length <= 123
            })
    }
}

/// Reads the frames of a server, which arrive in pieces of any length, and assembles messages.
struct WebSocketReader {
    enum Event: Hashable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketCloseCode?, String)
    }

    /// A violation, with the code to close with.
    struct Violation: Error, Hashable {
        let code: WebSocketCloseCode
        let message: String
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var parts: [UInt8] = []
    private var kind: WebSocketFrame.Opcode?
    private var isClosed = false

    /// Creates a reader of messages of at most `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether a frame or a message has begun and not ended.
    var isWithinMessage: Bool { start < bytes.count || kind != nil }

    mutating func append(_ piece: [UInt8]) {
        if start == bytes.count {
            bytes = piece
            start = 0
        } else {
            bytes.removeFirst(start)
            start = 0
            bytes += piece
        }
    }

    /// Returns the next event, or nil if more bytes are needed; nothing follows a close frame.
    mutating func next() throws(Violation) -> Event? {
        while !isClosed {
            guard let frame = try frame() else { return nil }
            if let event = try read(frame.opcode, frame.isLast, frame.payload) { return event }
        }
        return nil
    }

    private mutating func frame() throws(Violation) -> (opcode: WebSocketFrame.Opcode, isLast: Bool, payload: [UInt8])?
    {
        guard bytes.count - start >= 2 else { return nil }
        let (first, second) = (bytes[start], bytes[start + 1])
        guard first & 0x70 == 0 else { throw bad("reserved bits are set") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 15) else {
            throw bad("unknown opcode \(first & 15)")
        }
        guard second & 0x80 == 0 else { throw bad("a server's frame is masked") }
        let isLast = first & 0x80 != 0
        var (length, head) = (UInt64(second), 2)
        if opcode.rawValue >= 8 {
            guard isLast, length < 126 else { throw bad("a control frame is fragmented or longer than 125 bytes") }
        } else {
            guard (kind == nil) != (opcode == .continuation) else { throw bad("unexpected order of fragments") }
        }
        if length >= 126 {
            let count = length == 126 ? 2 : 8
            guard bytes.count - start >= 2 + count else { return nil }
            length = bytes[(start + 2)..<(start + 2 + count)].reduce(0) { $0 << 8 | UInt64($1) }
            head += count
            guard length >= (count == 2 ? 126 : 65_536) else { throw bad("a length isn't in its shortest form") }
        }
        guard length <= UInt64(Int32.max), opcode.rawValue >= 8 || parts.count + Int(length) <= limit else {
            throw Violation(code: .tooLarge, message: "a message is longer than \(limit) bytes")
        }
        guard bytes.count - start - head >= Int(length) else { return nil }
        let payload = Array(bytes[(start + head)..<(start + head + Int(length))])
        start += head + Int(length)
        return (opcode, isLast, payload)
    }

    private mutating func read(
        _ opcode: WebSocketFrame.Opcode, _ isLast: Bool, _ payload: [UInt8]
    ) throws(Violation) -> Event? {
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            isClosed = true
            return try close(payload)
        case .text, .binary: kind = opcode
        case .continuation: break
        }
        if parts.isEmpty { parts = payload } else { parts += payload }
        guard isLast else { return nil }
        let (message, kind) = (parts, kind)
        parts = []
        self.kind = nil
        guard kind == .text else { return .message(.binary(message)) }
        guard let text = String(validating: message, as: UTF8.self) else {
            throw Violation(code: .invalidText, message: "a text is not UTF-8")
        }
        return .message(.text(text))
    }

    private func close(_ payload: [UInt8]) throws(Violation) -> Event {
        if payload.isEmpty { return .close(nil, "") }
        guard payload.count >= 2 else { throw bad("a close frame of one byte") }
        let code = WebSocketCloseCode(rawValue: Int(payload[0]) << 8 | Int(payload[1]))
        guard code.isSendable else { throw bad("the close code \(code) is not allowed") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation(code: .invalidText, message: "the reason for closing is not UTF-8")
        }
        return .close(code, reason)
    }

    private func bad(_ message: String) -> Violation { Violation(code: .protocolError, message: message) }
}
