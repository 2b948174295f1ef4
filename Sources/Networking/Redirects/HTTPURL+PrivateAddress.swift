internal import AshlarCore

extension HTTPURL {
    /// Whether the host is written as an address that only this machine or its own networks know, or is `localhost`.
    ///
    /// IPv4: this host, loopback, private (RFC 1918), link-local, shared (RFC 6598), multicast and reserved. IPv6: the
    /// same where one stands in its last four bytes, unspecified, loopback, unique local (RFC 4193), link-local,
    /// multicast. Other spellings of IPv4 addresses (`127.1`, `0x7f000001`) count as private whatever they mean, because
    /// no public server is named so.
    var isPrivateAddress: Bool {
        var name = host[...]
        if name.hasPrefix("[") { return Self.isPrivate(ipv6: name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name = name.dropLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let last = name.split(separator: ".").last, Self.isNumber(last) else { return false }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.count > 1 && $0.hasPrefix("0") ? nil : UInt8($0) }
        return parts.count != 4 || bytes.count != 4 || Self.isPrivate(ipv4: bytes)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.allSatisfy(\.isASCIIDigit)
            || text.hasPrefix("0x") && text.utf8.dropFirst(2).allSatisfy { $0.hexValue != nil }
    }

    private static func isPrivate(ipv4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): true
        default: bytes[0] >= 224
        }
    }

    private static func isPrivate(ipv6 text: Substring) -> Bool {
        var groups: [UInt16] = []
        var gap: Int?
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        for (index, half) in halves.enumerated() {
            if index == 1 { gap = groups.count }
            for part in half.split(separator: ":") {
                let bytes = part.split(separator: ".").compactMap { UInt8($0) }
                if part.contains("."), bytes.count == 4 {
                    groups += [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
                } else {
                    groups.append(UInt16(part, radix: 16) ?? 0)
                }
            }
        }
        if let gap, groups.count < 8 {
            groups.insert(contentsOf: [UInt16](repeating: 0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return true }
        let isMapped = groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0 || groups[5] == 0xFFFF)
        let isTranslated = groups[0] == 0x64 && groups[1] == 0xFF9B && groups[2..<6].allSatisfy { $0 == 0 }
        if isMapped || isTranslated {
            let bytes = groups[6...].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            return isPrivate(ipv4: bytes)
        }
        return groups[0] & 0xFE00 == 0xFC00 || groups[0] >> 8 == 0xFF || groups[0] & 0xFF80 == 0xFE80
    }
}
