internal import AshlarCore
import Foundation

/// Addresses that aren't globally reachable, by the special-purpose registries of IANA.
///
/// The tables hold every entry of both registries, as of 2026-11, whose column "Globally Reachable" isn't "True", and the
/// exceptions within them. Multicast and the deprecated site-local and IPv4-compatible addresses are added. The forms of
/// IPv6 that carry an IPv4 address (mapped, NAT64, 6to4, Teredo) are judged by that address.
enum SpecialAddresses {
    /// A network, as its first address and the length of its prefix.
    private struct Network<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
        let first: Address
        let bits: Int

        init(_ first: Address, _ bits: Int) {
            self.first = first
            self.bits = bits
        }

        func contains(_ address: Address) -> Bool { (address ^ first) >> (Address.bitWidth - bits) == 0 }
    }

    private static let private4: [Network<UInt32>] = [
        Network(0x0000_0000, 8),  // this network
        Network(0x0A00_0000, 8),  // private use
        Network(0x6440_0000, 10),  // shared address space
        Network(0x7F00_0000, 8),  // loopback
        Network(0xA9FE_0000, 16),  // link-local
        Network(0xAC10_0000, 12),  // private use
        Network(0xC000_0000, 24),  // IETF protocol assignments
        Network(0xC000_0200, 24),  // documentation
        Network(0xC058_6300, 24),  // 6to4 relay anycast, deprecated
        Network(0xC0A8_0000, 16),  // private use
        Network(0xC612_0000, 15),  // benchmarking
        Network(0xC633_6400, 24),  // documentation
        Network(0xCB00_7100, 24),  // documentation
        Network(0xE000_0000, 3),  // multicast, reserved, limited broadcast
    ]
    private static let public4: [Network<UInt32>] = [
        Network(0xC000_0009, 32),  // Port Control Protocol anycast
        Network(0xC000_000A, 32),  // TURN anycast
    ]
    /// The first 64 bits of an address suffice for these networks.
    private static let private6: [Network<UInt64>] = [
        Network(0x0064_FF9B_0001_0000, 48),  // local-use IPv4/IPv6 translation
        Network(0x0100_0000_0000_0000, 64),  // discard-only
        Network(0x0100_0000_0000_0001, 64),  // dummy prefix
        Network(0x2001_0000_0000_0000, 23),  // IETF protocol assignments
        Network(0x2001_0DB8_0000_0000, 32),  // documentation
        Network(0x3FFF_0000_0000_0000, 20),  // documentation
        Network(0x5F00_0000_0000_0000, 16),  // segment routing
        Network(0xFC00_0000_0000_0000, 7),  // unique local
        Network(0xFE80_0000_0000_0000, 9),  // link-local and site-local
        Network(0xFF00_0000_0000_0000, 8),  // multicast
    ]
    private static let public6: [Network<UInt64>] = [
        Network(0x2001_0003_0000_0000, 32),  // AMT
        Network(0x2001_0004_0112_0000, 48),  // AS112
        Network(0x2001_0020_0000_0000, 28),  // ORCHIDv2
        Network(0x2001_0030_0000_0000, 28),  // drone remote identification
    ]

    static func isPrivate(_ address: UInt32) -> Bool {
        private4.contains { $0.contains(address) } && !public4.contains { $0.contains(address) }
    }

    static func isPrivate(high: UInt64, low: UInt64) -> Bool {
        let last = UInt32(truncatingIfNeeded: low)
        if high == 0, low >> 32 == 0 || low >> 32 == 0xFFFF { return isPrivate(last) }  // ::, ::1, compatible, mapped
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return isPrivate(last) }  // NAT64
        if high >> 48 == 0x2002 { return isPrivate(UInt32(truncatingIfNeeded: high >> 16)) }  // 6to4
        // Teredo: the server's address, and the client's with its bits inverted.
        if high >> 32 == 0x2001_0000 { return isPrivate(UInt32(truncatingIfNeeded: high)) || isPrivate(~last) }
        // Anycast addresses of PCP, TURN and DNS-SD.
        if high == 0x2001_0001_0000_0000, (1...3).contains(low) { return false }
        return private6.contains { $0.contains(high) } && !public6.contains { $0.contains(high) }
    }

    /// Reads four decimal numbers with dots.
    static func ipv4(_ text: some StringProtocol) -> UInt32? {
        var address: UInt32 = 0
        return inet_pton(AF_INET, String(text), &address) == 1 ? UInt32(bigEndian: address) : nil
    }

    /// Reads an IPv4 address also in its old forms, such as `127.1` and `0x7f000001`.
    static func ipv4(anyFormOf text: String) -> UInt32? {
        var address = in_addr()
        return inet_aton(text, &address) != 0 ? UInt32(bigEndian: address.s_addr) : nil
    }

    /// Reads an IPv6 address without brackets; a zone identifier is ignored.
    static func ipv6(_ text: some StringProtocol) -> (high: UInt64, low: UInt64)? {
        var address: (UInt64, UInt64) = (0, 0)
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return nil }
        return (UInt64(bigEndian: address.0), UInt64(bigEndian: address.1))
    }
}

extension HTTPURL {
    /// Whether the host is this machine: `localhost` (RFC 6761, 6.3), an address in `127.0.0.0/8`, or `::1`.
    var isLoopback: Bool {
        if host.hasPrefix("[") {
            guard let address = SpecialAddresses.ipv6(host.dropFirst().dropLast()) else { return false }
            return address == (0, 1) || address.high == 0 && address.low >> 24 == 0xFFFF_7F
        }
        let name = hostWithoutDot
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return SpecialAddresses.ipv4(name).map { $0 >> 24 == 127 } ?? false
    }

    /// Whether the host is an address of IPv6, or one of IPv4 in the usual form.
    var isAddress: Bool { host.hasPrefix("[") || SpecialAddresses.ipv4(hostWithoutDot) != nil }

    /// The host without the dot at the end of a fully qualified name.
    var hostWithoutDot: String { host.hasSuffix(".") ? String(host.dropLast()) : host }

    /// Whether the host is written as an address that isn't globally reachable, or is `localhost`.
    ///
    /// Other spellings of IPv4 addresses (`127.1`, `0x7f000001`) are private too, because no public server is named like that.
    var isPrivateAddress: Bool {
        if isLoopback { return true }
        if host.hasPrefix("[") {
            guard let address = SpecialAddresses.ipv6(host.dropFirst().dropLast()) else { return true }
            return SpecialAddresses.isPrivate(high: address.high, low: address.low)
        }
        let name = hostWithoutDot
        guard let last = name.split(separator: ".").last, Self.isNumber(last) else { return false }
        return SpecialAddresses.ipv4(name).map { SpecialAddresses.isPrivate($0) } ?? true
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.allSatisfy(\.isDigit)
            || text.hasPrefix("0x") && text.utf8.dropFirst(2).allSatisfy { $0.hexValue != nil }
    }
}
