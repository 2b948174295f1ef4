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
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
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
        var hostStart = authority.lowerBound
        if let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) {
            for index in authority.lowerBound..<at {
                let byte = bytes[index]
                let isAllowed = PercentCoding.isUnreserved(byte) || isSubDelimiter(byte) || byte == .colon
                guard isAllowed || byte == .percent else { throw .authority(index) }
            }
            hostStart = at + 1
        }
        var (host, at) = ([UInt8](), hostStart)
        if at < authority.upperBound, bytes[at] == UInt8(ascii: "[") {
            while at < authority.upperBound, bytes[at] != UInt8(ascii: "]") {
                let byte = bytes[at]
                guard at == hostStart || byte.isASCIIDigit || byte.isASCIILetter || byte == .colon || byte == 0x2E
                else { throw .authority(at) }
                host.append(byte)
                at += 1
            }
            guard at < authority.upperBound else { throw .authority(hostStart) }
            host.append(bytes[at])
            at += 1
            guard at == authority.upperBound || bytes[at] == .colon else { throw .authority(at) }
        } else {
            while at < authority.upperBound, bytes[at] != .colon {
                var (byte, length) = (bytes[at], 1)
                if byte == .percent {
                    guard at + 2 < authority.upperBound, let high = bytes[at + 1].hexValue,
                        let low = bytes[at + 2].hexValue
                    else { throw .encoding(at) }
                    (byte, length) = (high << 4 | low, 3)
                }
                let isAllowed = PercentCoding.isUnreserved(byte) || isSubDelimiter(byte) || length == 3 && byte >= 0x80
                guard isAllowed else { throw .authority(at) }
                host.append(byte)
                at += length
            }
            if UTF8Validation.firstInvalid(in: host, from: 0) != nil { throw .utf8(hostStart) }
        }
        if host.last == UInt8(ascii: "."), host.count > 1 { host.removeLast() }
        let port = bytes[min(at + 1, authority.upperBound)..<authority.upperBound]
        if let wrong = port.firstIndex(where: { !$0.isASCIIDigit }) { throw .authority(wrong) }
        guard port.count <= 5 else { throw .authority(port.startIndex) }
        host = host.map { RouteBytes.lowercased($0) }
        let name = String(decoding: bytes[scheme], as: UTF8.self).lowercased()
        if !port.isEmpty, !port.elementsEqual((defaultPorts[name] ?? "").utf8) {
            host.append(.colon)
            host += port
        }
        return host
    }

    private static let defaultPorts = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    /// Returns the normal form of a pattern's host, which is plain text.
    static func normalForm(ofPattern host: String, scheme: String?) -> String {
        let lowered = host.lowercased()
        var (name, port) = (Substring(lowered), Substring())
        if !lowered.hasSuffix("]"), let colon = lowered.lastIndex(of: ":") {
            (name, port) = (lowered[..<colon], lowered[lowered.index(after: colon)...])
        }
        if name.hasSuffix("."), name.utf8.count > 1 { name.removeLast() }
        if port.isEmpty || scheme.flatMap({ defaultPorts[$0.lowercased()] }) == String(port) { return String(name) }
        return "\(name):\(port)"
    }
}
