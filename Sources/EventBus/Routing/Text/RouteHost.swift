internal import AshlarCore

/// The authority of a URL (RFC 3986, section 3.2) and its normal form.
///
/// The normal form is the form in which a browser connects: with escapes decoded, in lowercase, without user
/// information, without a final dot, and without the default port of the scheme.
enum RouteHost {
    /// Returns whether an authority with only these bytes and without a final dot is in normal form, except for its
    /// case.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
        default: false
        }
    }

    /// Returns the host and port in normal form.
    ///
    /// - Throws: A fault with the offset of the first byte that RFC 3986 forbids.
    static func normalForm(
        of authority: Range<Int>, in bytes: [UInt8], scheme: Range<Int>
    ) throws(RouteURL.Fault) -> [UInt8] {
        var start = authority.lowerBound
        if let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) {
            try checkUser(start..<at, in: bytes)
            start = at + 1
        }
        let isAddress = start < authority.upperBound && bytes[start] == UInt8(ascii: "[")
        let rest = start..<authority.upperBound
        var (host, end) = try isAddress ? address(rest, in: bytes) : name(rest, in: bytes)
        if host.last == UInt8(ascii: "."), host.count > 1 { host.removeLast() }
        // Only a URL without an authority, such as file:///a, has no host.
        guard !host.isEmpty || authority.isEmpty else { throw .authority(start) }
        end = min(end + 1, authority.upperBound)
        let port = bytes[end..<authority.upperBound]
        if let wrong = port.firstIndex(where: { !$0.isDigit }) { throw .authority(wrong) }
        let digits = port.drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 5, (Int(String(decoding: digits, as: UTF8.self)) ?? 0) <= 65_535 else {
            throw .authority(end)
        }
        host = host.map { $0.asciiLowercased }
        let scheme = String(decoding: bytes[scheme], as: UTF8.self).lowercased()
        if !port.isEmpty, !digits.elementsEqual((defaultPorts[scheme] ?? "-").utf8) {
            host.append(.colon)
            host += digits.isEmpty ? [UInt8(ascii: "0")] : digits
        }
        return host
    }

    private static func checkUser(_ user: Range<Int>, in bytes: [UInt8]) throws(RouteURL.Fault) {
        var at = user.lowerBound
        while at < user.upperBound {
            if bytes[at] == .percent {
                _ = try escaped(at, user.upperBound, in: bytes)
                at += 3
            } else {
                let isAllowed =
                    PercentCoding.isUnreserved(bytes[at]) || isSubDelimiter(bytes[at]) || bytes[at] == .colon
                guard isAllowed else { throw .authority(at) }
                at += 1
            }
        }
    }

    /// Returns the byte of an escape.
    private static func escaped(_ at: Int, _ end: Int, in bytes: [UInt8]) throws(RouteURL.Fault) -> UInt8 {
        guard at + 2 < end, let high = bytes[at + 1].hexValue, let low = bytes[at + 2].hexValue else {
            throw .coding(.escape(at))
        }
        return high << 4 | low
    }

    /// Returns an IP address in brackets and its end.
    private static func address(_ range: Range<Int>, in bytes: [UInt8]) throws(RouteURL.Fault) -> ([UInt8], Int) {
        guard let end = bytes[range].firstIndex(of: UInt8(ascii: "]")) else { throw .authority(range.lowerBound) }
        for at in range.lowerBound + 1..<end {
            let byte = bytes[at]
            guard byte.isDigit || byte.isLetter || byte == .colon || byte == UInt8(ascii: ".") else {
                throw .authority(at)
            }
        }
        guard bytes[range.lowerBound + 1..<end].contains(.colon) else { throw .authority(range.lowerBound) }
        guard end + 1 == range.upperBound || bytes[end + 1] == .colon else { throw .authority(end + 1) }
        return (Array(bytes[range.lowerBound...end]), end + 1)
    }

    /// Returns the decoded name of a host and its end.
    private static func name(_ range: Range<Int>, in bytes: [UInt8]) throws(RouteURL.Fault) -> ([UInt8], Int) {
        var (host, at) = ([UInt8](), range.lowerBound)
        while at < range.upperBound, bytes[at] != .colon {
            let isEscape = bytes[at] == .percent
            let byte = isEscape ? try escaped(at, range.upperBound, in: bytes) : bytes[at]
            guard PercentCoding.isUnreserved(byte) || isSubDelimiter(byte) || isEscape && byte >= 0x80 else {
                throw .authority(at)
            }
            host.append(byte)
            at += isEscape ? 3 : 1
        }
        if UTF8Validation.firstInvalid(in: host, from: 0) != nil { throw .coding(.utf8(range.lowerBound)) }
        return (host, at)
    }

    private static let defaultPorts = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    /// Returns the normal form of a pattern's host, which is plain text.
    static func normalForm(ofPattern host: String, scheme: String?) -> String {
        let lowered = RouteBytes.lowercased(host.utf8)
        var (name, port) = (Substring(lowered), Substring())
        if !lowered.hasSuffix("]"), let colon = lowered.lastIndex(of: ":") {
            (name, port) = (lowered[..<colon], lowered[lowered.index(after: colon)...])
        }
        if name.hasSuffix("."), name.utf8.count > 1 { name.removeLast() }
        let digits = port.drop { $0 == "0" }
        if port.isEmpty || scheme.flatMap({ defaultPorts[$0.lowercased()] }) == String(digits) { return String(name) }
        return "\(name):\(digits.isEmpty ? "0" : digits)"
    }
}
