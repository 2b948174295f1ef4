internal import AshlarCore
internal import AshlarNetworking

/// Reads the frames of a server, which arrive in pieces of any length, and assembles messages.
///
/// A violation is found with its first byte: texts are checked and messages are inflated while their frames arrive.
struct WebSocketReader {
    /// A violation, with the code to close with.
    struct Violation: Error, Hashable {
        let code: WebSocketCloseCode
        let message: String

        var errorCode: NetworkError.Code {
            switch code {
            case .tooLarge: .bodyTooLarge
            case .invalidText: .invalidText
            default: .badResponse
            }
        }
    }

    private struct Frame {
        let opcode: WebSocketFrame.Opcode
        let isLast: Bool
        /// The length of the payload that wasn't read yet.
        var remaining: Int

        var isControl: Bool { opcode.rawValue >= 8 }
    }

    private let limit: Int
    private let compression: WebSocketAgreement?
    private var bytes: [UInt8] = []
    private var start = 0
    /// The frame whose head was read.
    private var frame: Frame?
    /// The kind of the message that has begun.
    private var kind: WebSocketFrame.Opcode?
    private var isCompressed = false
    private var parts: [UInt8] = []
    private var text = UTF8Validation()
    #if os(Linux)
        private var inflater: MessageInflater?
    #endif
    private var isClosed = false

    /// Creates a reader of messages of at most `limit` bytes.
    init(limit: Int, _ compression: WebSocketAgreement? = nil) {
        self.limit = limit
        self.compression = compression
    }

    /// Whether a frame or a message has begun and not ended.
    var isWithinMessage: Bool { start < bytes.count || frame != nil || kind != nil }

    mutating func append(_ piece: [UInt8]) {
        if start == bytes.count {
            bytes = piece
        } else {
            bytes.removeFirst(start)
            bytes += piece
        }
        start = 0
    }

    /// Returns the next event, or nil if more bytes are needed; nothing follows a close frame.
    mutating func next() throws(Violation) -> WebSocketEvent? {
        while !isClosed {
            if frame == nil { frame = try head() }
            guard var current = frame else { return nil }
            if current.isControl {
                guard bytes.count - start >= current.remaining else { return nil }
                frame = nil
                return try control(current.opcode, take(current.remaining))
            }
            let count = min(current.remaining, bytes.count - start)
            current.remaining -= count
            frame = current
            try read(bytes[start..<(start + count)])
            start += count
            guard current.remaining == 0 else { return nil }
            frame = nil
            if current.isLast { return try message() }
        }
        return nil
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { start += count }
        return Array(bytes[start..<(start + count)])
    }

    // MARK: Heads

    private mutating func head() throws(Violation) -> Frame? {
        guard bytes.count - start >= 2 else { return nil }
        let (first, second) = (bytes[start], bytes[start + 1])
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 15) else {
            throw bad("the opcode \(first & 15) is unknown")
        }
        let isData = opcode == .text || opcode == .binary
        guard first & 0x70 == 0 || (first & 0x70 == 0x40 && isData && compression != nil) else {
            throw bad("reserved bits are set")
        }
        guard second & 0x80 == 0 else { throw bad("a frame of the server is masked") }
        let isLast = first & 0x80 != 0
        var length = UInt64(second)
        var size = 2
        if opcode.rawValue >= 8 {
            guard isLast, length < 126 else { throw bad("a control frame is fragmented or longer than 125 bytes") }
        } else {
            guard (kind == nil) == (opcode != .continuation) else { throw bad("unexpected order of fragments") }
        }
        if length >= 126 {
            let count = length == 126 ? 2 : 8
            guard bytes.count - start >= 2 + count else { return nil }
            length = bytes[(start + 2)..<(start + 2 + count)].reduce(0) { $0 << 8 | UInt64($1) }
            size += count
            guard length >= (count == 2 ? 126 : 65_536) else { throw bad("a length isn't in its shortest form") }
        }
        if isData {
            kind = opcode
            isCompressed = first & 0x40 != 0
        }
        // The bytes of a compressed message are counted when they have been inflated.
        let most = isCompressed || opcode.rawValue >= 8 ? Int.max : limit - parts.count
        guard let remaining = Int(exactly: length), remaining <= most else { throw tooLarge() }
        start += size
        return Frame(opcode: opcode, isLast: isLast, remaining: remaining)
    }

    // MARK: Payloads

    private mutating func control(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) throws(Violation)
        -> WebSocketEvent
    {
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default:
            isClosed = true
            return try close(payload)
        }
    }

    private mutating func read(_ payload: ArraySlice<UInt8>) throws(Violation) {
        guard !isCompressed else { return try inflate(payload) }
        if parts.isEmpty { parts = Array(payload) } else { parts += payload }
        if kind == .text { try check(payload.count) }
    }

    /// Checks the last bytes of a text.
    private mutating func check(_ count: Int) throws(Violation) {
        let isValid = parts.withUnsafeBytes { parts in
            text.accepts(UnsafeRawBufferPointer(rebasing: parts[(parts.count - count)...]))
        }
        guard isValid else { throw Violation(code: .invalidText, message: "a text is not UTF-8") }
    }

    private mutating func message() throws(Violation) -> WebSocketEvent {
        #if os(Linux)
            if isCompressed {
                try inflate(MessageInflater.end[...])
                if compression?.serverContextTakeover == false { inflater = nil }
            }
        #endif
        let (message, kind, isComplete) = (parts, kind, text.isComplete)
        parts = []
        self.kind = nil
        text = UTF8Validation()
        guard kind == .text else { return .message(.binary(message)) }
        guard isComplete else { throw Violation(code: .invalidText, message: "a text is not UTF-8") }
        return .message(.text(String(decoding: message, as: UTF8.self)))
    }

    private mutating func inflate(_ payload: ArraySlice<UInt8>) throws(Violation) {
        #if os(Linux)
            guard let inflater = inflater ?? MessageInflater() else { throw bad("no memory for the compression") }
            self.inflater = inflater
            let before = parts.count
            var (parts, limit) = (parts, limit)
            self.parts = []  // so that appending doesn't copy
            let isIntact = payload.withUnsafeBytes { bytes in
                inflater.inflate(bytes) { piece in
                    parts.append(contentsOf: piece)
                    return parts.count <= limit
                }
            }
            self.parts = parts
            guard parts.count <= limit else { throw tooLarge() }
            guard isIntact else { throw bad("the compression of a message is damaged") }
            if kind == .text { try check(parts.count - before) }
        #endif
    }

    private func close(_ payload: [UInt8]) throws(Violation) -> WebSocketEvent {
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

    private func tooLarge() -> Violation {
        Violation(code: .tooLarge, message: "a message is longer than \(limit) bytes")
    }
}
