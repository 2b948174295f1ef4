internal import AshlarCore

extension HTTPURL {
    /// Whether the host is written as an address that isn't globally reachable, or is `localhost`.
    ///
    /// Other spellings of IPv4 addresses (`127.1`, `0x7f000001`) are private too, because no public server is named like that.
    var isPrivateAddress: Bool {
        if host.hasPrefix("[") {
            guard let address = SpecialAddresses.ipv6(host.dropFirst().dropLast().prefix { $0 != "%" }) else {
                return true
            }
            return SpecialAddresses.isPrivate(high: address.high, low: address.low)
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let last = name.split(separator: ".").last, Self.isNumber(last) else { return false }
        return SpecialAddresses.ipv4(name).map { SpecialAddresses.isPrivate($0) } ?? true
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.allSatisfy(\.isDigit)
            || text.hasPrefix("0x") && text.utf8.dropFirst(2).allSatisfy { $0.hexValue != nil }
    }
}
