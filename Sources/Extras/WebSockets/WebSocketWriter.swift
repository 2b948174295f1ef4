internal import AshlarNetworking

#if os(Linux)
    /// Writes messages as frames, compressed if both sides have agreed to that.
    struct WebSocketWriter {
        /// The exponent of the largest window; a larger one needs eight times as much memory and saves little.
        private static let windowBits = 12

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
