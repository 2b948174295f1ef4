/// Percent-encoding (RFC 3986, 2.1) over UTF-8, without Foundation.
enum PercentEncoding {
    private static let hex = Array("0123456789ABCDEF".utf8)

    /// Letters, digits and `-._~`: never encoded (RFC 3986, 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// What may stand raw in a path besides `/`: unreserved, sub-delims, `:` and `@`.
    static func isPathByte(_ byte: UInt8) -> Bool {
        if isUnreserved(byte) { return true }
        switch byte {
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D, 0x3A, 0x40: return true
        default: return false
        }
    }

    /// Appends a text, every byte outside `allowed` as `%XX`.
    static func append(_ text: some StringProtocol, to result: inout [UInt8], allowed: (UInt8) -> Bool) {
        for byte in text.utf8 {
            if allowed(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
    }

    /// Appends a byte as `%XX`.
    static func append(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(0x25)
        result.append(hex[Int(byte >> 4)])
        result.append(hex[Int(byte & 15)])
    }

    /// Returns a text with every byte outside `allowed` as `%XX`.
    static func encode(_ text: some StringProtocol, allowed: (UInt8) -> Bool = isUnreserved) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text, to: &bytes, allowed: allowed)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that was encoded, or nil for broken escapes or bytes that are not UTF-8.
    static func decode(_ text: String) -> String? {
        var result: [UInt8] = []
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == 0x25 else {
                result.append(byte)
                continue
            }
            guard let high = bytes.next()?.hexValue, let low = bytes.next()?.hexValue else { return nil }
            result.append(high << 4 | low)
        }
        return String(validating: result, as: UTF8.self)
    }
}
