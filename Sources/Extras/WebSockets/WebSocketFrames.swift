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
    ///
    /// With `isCompressed`, the payload is that of a compressed message.
    static func encode(
        _ opcode: Opcode, _ payload: some Collection<UInt8>, isCompressed: Bool = false,
        mask: UInt32 = .random(in: 0...(.max))
    ) -> [UInt8] {
        var frame: [UInt8] = [0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue]
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

#if os(Linux)
    /// Writes messages as frames, compressed if both sides have agreed to that.
    struct WebSocketWriter {
        /// The exponent of the largest window; a larger one needs eight times as much memory and saves little.
        private static let windowBits = 12

        /// Whether a close frame was written, so that no message may follow.
        var hasClosed = false
        private let compression: WebSocketAgreement?
        private var deflater: MessageDeflater?

        init(_ compression: WebSocketAgreement?) {
            // zlib has no window of 256 bytes. Messages may always be sent uncompressed.
            self.compression = compression.flatMap { $0.clientWindowBits > 8 ? $0 : nil }
        }

        /// Returns the frame of a message; the caller sends the frames in this order.
        mutating func frame(_ message: WebSocketMessage) -> [UInt8] {
            switch message {
            case .text(var text):
                return text.withUTF8 { text in
                    compressed(.text, UnsafeRawBufferPointer(text)) ?? WebSocketFrame.encode(.text, text)
                }
            case .binary(let bytes):
                return bytes.withUnsafeBytes { compressed(.binary, $0) } ?? WebSocketFrame.encode(.binary, bytes)
            }
        }

        private mutating func compressed(_ opcode: WebSocketFrame.Opcode, _ payload: UnsafeRawBufferPointer) -> [UInt8]?
        {
            guard let compression, payload.count >= compression.minimumBytes else { return nil }
            let bits = min(compression.clientWindowBits, Self.windowBits)
            guard let deflater = deflater ?? MessageDeflater(windowBits: bits) else { return nil }
            guard let deflated = deflater.deflate(payload) else {
                self.deflater = nil
                return nil
            }
            self.deflater = compression.clientContextTakeover ? deflater : nil
            return WebSocketFrame.encode(opcode, deflated, isCompressed: true)
        }
    }
#endif
