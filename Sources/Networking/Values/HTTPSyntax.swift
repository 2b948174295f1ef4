internal import AshlarCore

/// Character classes of HTTP (RFC 9110).
enum HTTPSyntax {
    /// Whether a string is a token.
    static func isToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in !bytes.isEmpty && bytes.allSatisfy(isTokenByte) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case _ where byte.isLetter || byte.isDigit: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Returns a printable form: control characters as `\xNN`, at most 100 characters.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(100) {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                result += "\\x" + scalar.value.digits(2, radix: 16)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension UInt8 {
    var isHTTPSpace: Bool { self == 0x20 || self == 0x09 }
}

extension String {
    /// Compares without iterators for speed, because field names are compared very often.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (a, b) = (self, other)
        return a.withUTF8 { a in
            b.withUTF8 { b in
                for index in 0..<a.count where a[index] != b[index] {
                    guard a[index].asciiLowercased == b[index].asciiLowercased else { return false }
                }
                return true
            }
        }
    }
}

extension StringProtocol {
    func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        let (a, b) = (utf8, other.utf8)
        guard a.count == b.count else { return false }
        return zip(a, b).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Returns the string without spaces and tabs at its ends.
    func trimmingHTTPSpace() -> String { trimming(\.isHTTPSpace) }
}
