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
