// Parsers of bytes from servers, for the fuzz targets.

@_spi(Fuzzing) extension ResponseHead {
    /// Reads a head line by line.
    ///
    /// - Throws: `.badResponse` for a malformed head, `.truncated` for one without an end.
    public init(reading bytes: [UInt8]) throws(NetworkError) {
        let reader = CurlHeadReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = Array(rest[..<end])
            rest = rest[end...]
            let head = line.withUnsafeBytes { line in
                Result { () throws(NetworkError) in try reader.read(line, limits: ResponseLimits()) }
            }
            if let head = try head.get() {
                self = head
                return
            }
        }
        throw NetworkError(.truncated, "unterminated head", phase: .receive)
    }
}

@_spi(Fuzzing) extension HTTPURL {
    /// Returns the target of a `Location` field in a response from this URL.
    public func following(location: [UInt8]) throws(NetworkError) -> HTTPURL { try resolve(location: location) }
}

/// The frames of a WebSocket.
@_spi(Fuzzing) public enum FuzzedFrames {
    /// Reads a server's frames in pieces of a size, with messages of at most 1,000 bytes.
    ///
    /// - Returns: A description of each event, then of the violation, if there is one.
    public static func read(_ bytes: [UInt8], pieces size: Int) -> [String] {
        var reader = WebSocketReader(limit: 1000)
        var events: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
            do throws(WebSocketReader.Violation) {
                while let event = try reader.next() { events.append("\(event)") }
            } catch {
                return events + ["\(error)"]
            }
        }
        return events
    }

    /// Returns the frame of a binary message as a server sends it, without the client's mask.
    public static func write(_ payload: [UInt8]) -> [UInt8] {
        // A mask of zeros leaves the payload unchanged.
        var frame = WebSocketFrame.encode(.binary, payload, mask: 0)
        let head = payload.count < 126 ? 2 : payload.count < 65_536 ? 4 : 10
        frame[1] &= 0x7F
        frame.removeSubrange(head..<(head + 4))
        return frame
    }
}
