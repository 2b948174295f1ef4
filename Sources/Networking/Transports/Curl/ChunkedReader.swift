internal import AshlarCore

/// Reads a body in chunks (RFC 9112, section 7.1) and reports how it is malformed.
///
/// libcurl's own reader also finds the end of the body. But it accepts sizes such as `0x5`, silently discards bytes
/// after the last chunk, and distinguishes malformed chunks from a lost connection only by its messages.
struct ChunkedReader {
    private enum State {
        case size
        case sizeExtension
        case sizeEnd
        case data
        case dataReturn
        case dataEnd
        case trailer
        case trailerEnd
        case end
    }

    private var state = State.size
    private var remaining = 0
    private var digits = 0
    /// The bytes of chunk extensions and of the trailer so far; at most as many as of a head.
    private var extra = 0
    /// Whether nothing of a line of the trailer has been read.
    private var isLineEmpty = true

    /// Whether the last chunk and the trailer, whose fields are ignored, have been read.
    var isComplete: Bool { state == .end }

    /// Reads bytes and emits the data; returns whether bytes remain after the end of the body.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) throws(NetworkError) -> Void
    ) throws(NetworkError) -> Bool {
        var at = 0
        while at < bytes.count {
            if state == .end { return true }
            if state == .data {
                let count = min(remaining, bytes.count - at)
                try emit(bytes.part(at..<(at + count)))
                at += count
                remaining -= count
                if remaining == 0 { state = .dataReturn }
            } else {
                try read(bytes[at])
                at += 1
            }
        }
        return false
    }

    private mutating func read(_ byte: UInt8) throws(NetworkError) {
        let isReturn = byte == UInt8(ascii: "\r")
        let isLineFeed = byte == UInt8(ascii: "\n")
        switch state {
        case .size:
            if let value = byte.hexValue {
                digits += 1
                guard digits <= 16, remaining <= Int.max >> 4 else {
                    throw malformed("the size of a chunk is too large")
                }
                remaining = remaining << 4 | Int(value)
            } else if digits > 0, isReturn {
                state = .sizeEnd
            } else if digits > 0, byte == UInt8(ascii: ";") || byte.isHTTPSpace {
                state = .sizeExtension
            } else {
                throw malformed("expected the size of a chunk in hexadecimal digits")
            }
        case .sizeExtension:
            try count("chunk extensions", .corrupted)
            if isReturn {
                state = .sizeEnd
            } else if isLineFeed {
                throw malformed("expected CR LF behind a chunk's size")
            }
        case .sizeEnd:
            guard isLineFeed else { throw malformed("expected CR LF behind a chunk's size") }
            state = remaining == 0 ? .trailer : .data
        case .dataReturn:
            guard isReturn else { throw malformed("expected CR LF behind a chunk") }
            state = .dataEnd
        case .dataEnd:
            guard isLineFeed else { throw malformed("expected CR LF behind a chunk") }
            state = .size
            digits = 0
            remaining = 0
        case .trailer:
            try count("trailer", .badResponse)
            if isReturn { state = .trailerEnd } else { isLineEmpty = false }
        case .trailerEnd:
            guard isLineFeed else { throw malformed("expected CR LF in the trailer") }
            state = isLineEmpty ? .end : .trailer
            isLineEmpty = true
        case .data, .end: break
        }
    }

    private mutating func count(_ part: String, _ code: NetworkError.Code) throws(NetworkError) {
        extra += 1
        guard extra > ResponseHead.mostBytes else { return }
        var error = NetworkError(code, "\(part) longer than \(ResponseHead.mostBytes) bytes", phase: .receive)
        error.limit = ResponseHead.mostBytes
        throw error
    }

    private func malformed(_ message: String) -> NetworkError {
        NetworkError(.corrupted, "malformed chunked body: \(message)", phase: .receive)
    }
}
