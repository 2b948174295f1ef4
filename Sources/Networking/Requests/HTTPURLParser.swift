internal import AshlarCore

/// Parses an absolute http(s) URL.
struct HTTPURLParser {
    private let bytes: [UInt8]
    /// Whether spaces and non-ASCII bytes are encoded instead of rejected, as browsers do in `Location` fields.
    private let lenient: Bool

    init(_ text: String) { self.init(Array(text.utf8), lenient: false) }

    init(_ bytes: [UInt8], lenient: Bool) {
        self.bytes = bytes
        self.lenient = lenient
    }

    func parse() throws(NetworkError) -> HTTPURL {
        try refuseControls()
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            throw invalid("expected http:// or https://, found no scheme", 0)
        }
        let scheme = try parseScheme(bytes[..<colon])
        guard bytes.count >= colon + 3, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { throw invalid("expected // and a host after the scheme", colon + 1) }
        let start = colon + 3
        let end = bytes[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authorityEnd = end ?? bytes.count
        let (userInfo, host, port) = try parseAuthority(start..<authorityEnd)
        let (path, query, fragment) = try Self.parseTail(bytes[authorityEnd...], lenient: lenient)
        return HTTPURL(
            scheme: scheme, userInfo: userInfo, host: host, port: port, path: path.isEmpty ? "/" : path, query: query,
            fragment: fragment)
    }

    /// Returns the text as one component of a URL; bytes that it can't contain are encoded.
    func component(_ isAllowed: (UInt8) -> Bool) throws(NetworkError) -> String {
        try refuseControls()
        return try Self.checked(bytes[...], allowed: isAllowed, lenient: lenient)
    }

    private func refuseControls() throws(NetworkError) {
        for (offset, byte) in bytes.enumerated() {
            if byte < 0x20 || byte == 0x7F {
                throw invalid("found the control character 0x\(String(byte, radix: 16))", offset)
            }
            if byte == UInt8(ascii: "\\") { throw invalid("found a backslash", offset) }
            if byte == 0x20, !lenient { throw invalid("found a space, which is written %20", offset) }
        }
    }

    private func parseScheme(_ name: ArraySlice<UInt8>) throws(NetworkError) -> HTTPURL.Scheme {
        let name = String(decoding: name.map(\.asciiLowercased), as: UTF8.self)
        guard let scheme = HTTPURL.Scheme(rawValue: name) else {
            throw invalid("expected http or https, found \(HTTPSyntax.printable(name).debugDescription)", 0)
        }
        return scheme
    }

    // MARK: Authority

    private func parseAuthority(
        _ range: Range<Int>
    ) throws(NetworkError) -> (userInfo: String?, host: String, port: Int?) {
        var start = range.lowerBound
        var userInfo: String?
        if let at = bytes[range].lastIndex(of: UInt8(ascii: "@")) {
            let raw = bytes[start..<at]
            guard !raw.contains(UInt8(ascii: "@")) else { throw invalid("found two @ before the host", at) }
            userInfo = try Self.checked(raw, allowed: { PercentCoding.isSegmentByte($0) && $0 != 0x40 }, lenient: false)
            start = at + 1
        }
        let (host, portStart) = try HostText.parse(bytes, start..<range.upperBound, allowsZone: !lenient)
        var port: Int?
        if portStart < range.upperBound {
            port = try parsePort(bytes[(portStart + 1)..<range.upperBound], at: portStart + 1)
        }
        return (userInfo, host, port)
    }

    private func parsePort(_ digits: ArraySlice<UInt8>, at offset: Int) throws(NetworkError) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard digits.count <= 5, digits.allSatisfy(\.isDigit) else {
            throw invalid("expected a port of digits, at most 65535", offset)
        }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (1...65535).contains(port) else {
            throw invalid("expected a port from 1 to 65535, found \(port)", offset)
        }
        return port
    }

    // MARK: Path, query, fragment

    /// Reads path, query and fragment, and encodes bytes that they can't contain.
    static func parseTail(
        _ tail: ArraySlice<UInt8>, lenient: Bool
    ) throws(NetworkError) -> (path: String, query: String?, fragment: String?) {
        let hash = tail.firstIndex(of: UInt8(ascii: "#"))
        let beforeFragment = tail[..<(hash ?? tail.endIndex)]
        let mark = beforeFragment.firstIndex(of: UInt8(ascii: "?"))
        let path = try checked(
            beforeFragment[..<(mark ?? beforeFragment.endIndex)],
            allowed: { PercentCoding.isSegmentByte($0) || $0 == 0x2F }, lenient: lenient)
        let isQueryByte: (UInt8) -> Bool = { PercentCoding.isSegmentByte($0) || $0 == 0x2F || $0 == 0x3F }
        var query: String?
        if let mark { query = try checked(beforeFragment[(mark + 1)...], allowed: isQueryByte, lenient: lenient) }
        var fragment: String?
        if let hash { fragment = try checked(tail[(hash + 1)...], allowed: isQueryByte, lenient: true) }
        return (path, query, fragment)
    }

    private static func checked(
        _ raw: ArraySlice<UInt8>, allowed: (UInt8) -> Bool, lenient: Bool
    ) throws(NetworkError) -> String {
        if raw.allSatisfy({ allowed($0) }) { return String(decoding: raw, as: UTF8.self) }
        var result: [UInt8] = []
        var index = raw.startIndex
        while index < raw.endIndex {
            let byte = raw[index]
            if byte == UInt8(ascii: "%") {
                let isEscape =
                    index + 2 < raw.endIndex && raw[index + 1].hexValue != nil && raw[index + 2].hexValue != nil
                if isEscape {
                    result += raw[index...(index + 2)]
                    index += 3
                    continue
                }
                guard lenient else { throw invalid("expected two hex digits after %", index) }
            }
            if allowed(byte) {
                result.append(byte)
            } else {
                PercentCoding.append(byte, to: &result)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func invalid(_ message: String, _ offset: Int) -> NetworkError { Self.invalid(message, offset) }

    static func invalid(_ message: String, _ offset: Int) -> NetworkError {
        var error = NetworkError(.invalidURL, message, phase: .prepare)
        error.offset = offset
        return error
    }
}
