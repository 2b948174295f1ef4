internal import AshlarCore
import Foundation

/// The syntax of a host in a URL: a name, an IPv4 address, or an IPv6 address in brackets.
enum HostText {
    /// Reads a host; returns it with the position of the `:` before its port, or the end of the range.
    ///
    /// The result is lowercase ASCII, except for the zone of an IPv6 address, which names an interface of this machine.
    ///
    /// An IPv6 address may have a zone if `allowsZone` is true; a zone sent by a server has no meaning on this machine.
    static func parse(
        _ bytes: [UInt8], _ range: Range<Int>, allowsZone: Bool
    ) throws(NetworkError) -> (host: String, portStart: Int) {
        guard !range.isEmpty else { throw HTTPURLParser.invalid("expected a host, found none", range.lowerBound) }
        if bytes[range.lowerBound] == UInt8(ascii: "[") { return try parseAddress(bytes, range, allowsZone) }
        let end = bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
        var name = bytes[range.lowerBound..<end]
        guard !name.isEmpty else { throw HTTPURLParser.invalid("expected a host, found none", range.lowerBound) }
        if let bad = name.firstIndex(where: { $0 < 0x80 && !PercentCoding.isUnreserved($0) }) {
            throw HTTPURLParser.invalid("expected letters, digits and -._~ in the host", bad)
        }
        if let first = name.firstIndex(where: { $0 >= 0x80 }) {
            guard let text = String(validating: name, as: UTF8.self), let ascii = ascii(text) else {
                throw HTTPURLParser.invalid("expected a valid international host name (UTS #46)", first)
            }
            name = Array(ascii.utf8)[...]
        }
        let hasEmptyLabel = zip(name, name.dropFirst()).contains { $0 == 0x2E && $1 == 0x2E }
        guard (1...254).contains(name.count), !name.starts(with: [0x2E]), !hasEmptyLabel else {
            throw HTTPURLParser.invalid(
                "expected a host name of at most 253 bytes without empty parts", range.lowerBound)
        }
        return (lowered(name), end)
    }

    private static func parseAddress(
        _ bytes: [UInt8], _ range: Range<Int>, _ allowsZone: Bool
    ) throws(NetworkError) -> (host: String, portStart: Int) {
        guard let close = bytes[range].firstIndex(of: UInt8(ascii: "]")) else {
            throw HTTPURLParser.invalid("expected ] after an IPv6 address", range.upperBound)
        }
        let inside = bytes[(range.lowerBound + 1)..<close]
        let percent = inside.firstIndex(of: UInt8(ascii: "%")) ?? close
        guard isIPv6(inside[..<percent]) else {
            throw HTTPURLParser.invalid("expected an IPv6 address between [ and ]", range.lowerBound)
        }
        if percent < close {
            guard allowsZone else {
                throw HTTPURLParser.invalid("found a zone, which only this machine knows", percent)
            }
            guard isZone(inside[percent...]) else {
                throw HTTPURLParser.invalid("expected %25 and the name of a zone", percent)
            }
        }
        guard close + 1 == range.upperBound || bytes[close + 1] == UInt8(ascii: ":") else {
            throw HTTPURLParser.invalid("expected : or the end after ]", close + 1)
        }
        let zone = String(decoding: bytes[percent..<close], as: UTF8.self)
        return (lowered(bytes[range.lowerBound..<percent]) + zone + "]", close + 1)
    }

    /// Returns an international name in ASCII (UTS #46, nontransitional, as browsers do), or nil if it isn't valid.
    ///
    /// Foundation applies the tables of its ICU on every platform, but leaves some limits to its caller, such as the
    /// length of a label.
    static func ascii(_ name: String) -> String? {
        var components = URLComponents()
        (components.scheme, components.host) = ("https", name)
        guard let host = components.encodedHost?.lowercased(), host.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            return nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { $0.utf8.count <= 63 } ? host : nil
    }

    /// Whether a text is `%25` and the name of an interface (RFC 6874).
    static func isZone(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 3 && text.starts(with: "%25".utf8) && text.dropFirst(3).allSatisfy(PercentCoding.isUnreserved)
    }

    /// Whether a text is an IPv6 address: eight groups of hexadecimal digits, one run of zeros as `::`, the last two
    /// groups optionally as IPv4 (RFC 4291, 2.2).
    static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: text, as: UTF8.self)
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard !text.isEmpty, halves.count <= 2, !text.contains(":::") else { return false }
        var groups = 0
        for (index, half) in halves.enumerated() where !half.isEmpty {
            let parts = half.split(separator: ":", omittingEmptySubsequences: false)
            for (place, part) in parts.enumerated() {
                if part.contains(".") {
                    guard index == halves.count - 1, place == parts.count - 1, isIPv4(part) else { return false }
                    groups += 2
                } else {
                    guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexValue != nil }) else {
                        return false
                    }
                    groups += 1
                }
            }
        }
        return halves.count == 2 ? groups <= 7 : groups == 8
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(\.isDigit) && Int(part)! <= 255
            }
    }

    private static func lowered(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.lazy.map(\.asciiLowercased), as: UTF8.self)
    }
}
