internal import AshlarCore

/// Parses field lines of heads and trailers (RFC 9112, section 5).
enum FieldLines {
    /// Reads a line without its line ending; a line that begins with a space continues the previous field (obs-fold).
    static func read(
        _ line: UnsafeRawBufferPointer, into fields: ReceivedFields.Builder, limits: ResponseLimits
    ) throws(NetworkError) {
        if line[0].isHTTPSpace {
            guard fields.count > 0 else { throw bad("the first field line is folded") }
            return fields.extendLast(try trimmed(line))
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            throw bad("expected a field's name and a colon")
        }
        let name = line.part(..<colon)
        guard name.allSatisfy(HTTPSyntax.isTokenByte) else { throw bad("the name of a field is not a token") }
        fields.append(name: name, value: try trimmed(line.part((colon + 1)...)))
        if fields.count > limits.headerFields {
            throw bad("more than \(limits.headerFields) fields", limit: limits.headerFields)
        }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start].isHTTPSpace { start += 1 }
        while end > start, bytes[end - 1].isHTTPSpace { end -= 1 }
        let value = bytes.part(start..<end)
        var controls: UInt8 = 0
        for byte in value { controls |= (byte < 0x20 && byte != 0x09) || byte == 0x7F ? 1 : 0 }
        if controls != 0 { throw bad("control character in the value of a field") }
        return value
    }

    static func bad(_ message: String, limit: Int? = nil) -> NetworkError {
        var error = NetworkError(.badResponse, message, phase: .receive)
        error.limit = limit
        return error
    }
}

/// Collects the fields behind a body.
struct TrailerReader {
    private let fields = ReceivedFields.Builder()
    private let limits: ResponseLimits
    private var bytes = 0

    init(_ limits: ResponseLimits) { self.limits = limits }

    /// Reads a line without its line ending.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
        bytes += line.count
        guard bytes <= limits.headBytes else {
            throw FieldLines.bad("trailer longer than \(limits.headBytes) bytes", limit: limits.headBytes)
        }
        do throws(NetworkError) {
            try FieldLines.read(line, into: fields, limits: limits)
        } catch {
            throw FieldLines.bad("malformed trailer: " + error.message, limit: error.limit)
        }
    }

    /// The fields so far.
    var headers: HTTPHeaders { HTTPHeaders(fields.build()) }
}
