/// The host of a URL and its normal form.
///
/// The host of a web scheme is a DNS name, an IPv4 address, or an IPv6 address in brackets. A name consists of letters,
/// digits and `-._~`, and has no empty label. An international name must be written in ASCII: `xn--bcher-kva.example`. The
/// name of another scheme, such as `myapp://notes`, is any text of letters, digits, `-._~!$&'()*+,;=` and other scripts.
///
/// The normal form is lowercase ASCII without escapes; the name of another scheme preserves its other scripts, and an
/// address the name of its zone.
package enum URLHost {
    /// The rules for a host, which its scheme decides.
    package struct Rules: Hashable, Sendable {
        /// Whether the host is a DNS name or an IP address.
        package var isDNSName: Bool
        /// Whether an IPv6 address can name an interface of this machine (`[fe80::1%25eth0]`, RFC 6874).
        package var allowsZone: Bool

        /// Creates the rules of a scheme, which is in lowercase.
        package init(scheme: String, allowsZone: Bool = true) {
            isDNSName = URLText.defaultPorts[scheme] != nil
            self.allowsZone = allowsZone
        }
    }

    /// Reads a host; returns its normal form, and the position of the `:` before the port or the end of the range.
    package static func parse(
        _ range: Range<Int>, in bytes: [UInt8], _ rules: Rules
    ) throws(URLFault) -> (host: String, end: Int) {
        if bytes[range].first == UInt8(ascii: "[") { return try address(range, in: bytes, rules) }
        let end = bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
        let host = try name(range.lowerBound..<end, in: bytes, rules)
        return (host, end)
    }

    // MARK: Names

    /// What is expected instead of a host name with characters outside ASCII.
    package static let asciiName = "a host name in ASCII; write an international name in its xn-- form"

    private static func name(
        _ range: Range<Int>, in bytes: [UInt8], _ rules: Rules
    ) throws(URLFault) -> String {
        guard !range.isEmpty else { throw URLFault(.authority, range.lowerBound, "expected a host, found none") }
        var name: [UInt8] = []
        name.reserveCapacity(range.count)
        /// The offset of the first character outside ASCII.
        var international: Int?
        var at = range.lowerBound
        while at < range.upperBound {
            let isEscape = bytes[at] == UInt8(ascii: "%")
            let byte = isEscape ? try PercentCoding.byte(at: at, in: bytes[range]) : bytes[at]
            guard byte >= 0x80 || PercentCoding.isUnreserved(byte) || !rules.isDNSName && isSubDelimiter(byte) else {
                throw URLFault(.authority, at, "expected letters, digits and -._~ in the host")
            }
            if byte >= 0x80, international == nil { international = at }
            name.append(byte.asciiLowercased)
            at += isEscape ? 3 : 1
        }
        if let international {
            guard let text = String(validating: name, as: UTF8.self) else {
                throw URLFault(.utf8, international, "expected a host in UTF-8")
            }
            guard rules.isDNSName else { return text }
            throw URLFault(.authority, international, "expected \(asciiName)")
        }
        let dot = UInt8(ascii: ".")
        let hasEmptyLabel = name.first == dot || zip(name, name.dropFirst()).contains { $0 == dot && $1 == dot }
        if rules.isDNSName, hasEmptyLabel || name.count > (name.last == dot ? 254 : 253) {
            throw URLFault(
                .authority, range.lowerBound, "expected a host name of at most 253 bytes without empty parts")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isSubDelimiter(_ byte: UInt8) -> Bool { "!$&'()*+,;=".utf8.contains(byte) }

    // MARK: Addresses

    private static func address(
        _ range: Range<Int>, in bytes: [UInt8], _ rules: Rules
    ) throws(URLFault) -> (host: String, end: Int) {
        guard let close = bytes[range].firstIndex(of: UInt8(ascii: "]")) else {
            throw URLFault(.authority, range.lowerBound, "expected ] after an IPv6 address")
        }
        let percent = bytes[range.lowerBound..<close].firstIndex(of: UInt8(ascii: "%")) ?? close
        guard isIPv6(bytes[range.lowerBound + 1..<percent]) else {
            throw URLFault(.authority, range.lowerBound, "expected an IPv6 address between [ and ]")
        }
        if percent < close {
            guard rules.allowsZone else {
                throw URLFault(.authority, percent, "found a zone, which only this machine knows")
            }
            guard isZone(bytes[percent..<close]) else {
                throw URLFault(.authority, percent, "expected %25 and the name of a zone")
            }
        }
        guard close + 1 == range.upperBound || bytes[close + 1] == UInt8(ascii: ":") else {
            throw URLFault(.authority, close + 1, "expected : or the end after ]")
        }
        let address = String(decoding: bytes[range.lowerBound..<percent].lazy.map { $0.asciiLowercased }, as: UTF8.self)
        return (address + String(decoding: bytes[percent...close], as: UTF8.self), close + 1)
    }

    /// Whether a text is `%25` and the name of an interface (RFC 6874).
    package static func isZone(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 3 && text.starts(with: "%25".utf8) && text.dropFirst(3).allSatisfy(PercentCoding.isUnreserved)
    }

    /// Whether a text is an IPv6 address: eight groups of hexadecimal digits, one run of zeros as `::`, the last two
    /// groups optionally as IPv4 (RFC 4291, 2.2).
    package static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        let colon = UInt8(ascii: ":")
        var groups = 0
        var hasRun = text.starts(with: "::".utf8)
        var rest = hasRun ? text.dropFirst(2) : text
        if hasRun, rest.isEmpty { return true }
        while true {
            let group = rest.prefix { $0 != colon }
            rest = rest[group.endIndex...]
            if rest.isEmpty, group.contains(UInt8(ascii: ".")) {
                guard isIPv4(group) else { return false }
                groups += 2
            } else {
                guard (1...4).contains(group.count), group.allSatisfy({ $0.hexValue != nil }) else { return false }
                groups += 1
            }
            if rest.starts(with: "::".utf8) {
                guard !hasRun else { return false }
                hasRun = true
                rest = rest.dropFirst(2)
                if rest.isEmpty { return groups <= 7 }
            } else if rest.isEmpty {
                return hasRun ? groups <= 7 : groups == 8
            } else {
                rest = rest.dropFirst()
            }
        }
    }

    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { $0.isDigit }
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }
}
