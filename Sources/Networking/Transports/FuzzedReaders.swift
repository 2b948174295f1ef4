// The readers of what comes over the wire, for the fuzz targets only; they are internal otherwise.

@_spi(Fuzzing) extension ResponseHead {
    /// Reads a head line by line as a transport hands it over; throws what is bad, and where the head does not end.
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
        throw NetworkError(.truncated, "the head does not end", phase: .receive)
    }
}

@_spi(Fuzzing) extension HTTPURL {
    /// The URL that a `Location` leads to from this one.
    public func following(location: [UInt8]) throws(NetworkError) -> HTTPURL { try resolve(location: location) }
}
