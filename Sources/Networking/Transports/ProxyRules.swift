/// The proxy of each URL, from a configuration or from environment variables by curl's rules.
///
/// The transport selects the proxy itself, because libcurl doesn't report whether it used one.
struct ProxyRules: Sendable {
    private let http: String?
    private let https: String?
    private let excluded: [String]

    /// The variables that are read.
    static let variables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    init(_ proxy: NetworkProxy) {
        (http, https) = (proxy.url, proxy.url)
        excluded = Self.names(proxy.excluded.joined(separator: ","))
    }

    init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        // A CGI program must not use HTTP_PROXY, because a request's `Proxy` field sets it.
        http = value("http_proxy") ?? all
        https = value("https_proxy", "HTTPS_PROXY") ?? all
        excluded = Self.names(value("no_proxy", "NO_PROXY") ?? "")
    }

    private static func names(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isWhitespace }.map { entry in
            var name = entry.lowercased()
            if name.hasPrefix(".") { name.removeFirst() }
            if name.hasSuffix(".") { name.removeLast() }
            return name
        }
    }

    /// Returns the proxy for a URL, or nil for a direct connection.
    func proxy(for url: HTTPURL) -> String? {
        guard let proxy = url.scheme == .https ? https : http else { return nil }
        let host = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
        return excluded.contains { excludes($0, host) } ? nil : proxy
    }

    private func excludes(_ entry: String, _ host: String) -> Bool {
        if entry == "*" || entry == host || "[\(entry)]" == host { return true }
        if host.hasPrefix("[") || SpecialAddresses.ipv4(host) != nil { return isInNetwork(entry, host) }
        return !entry.isEmpty && host.hasSuffix("." + entry)
    }

    /// Whether an address is in a network such as `10.0.0.0/8` or `fd00::/8`; without a length, it is the address itself.
    private func isInNetwork(_ entry: String, _ host: String) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bits = parts.count == 2 ? Int(parts[1]) : .max
        guard let bits, bits >= 0 else { return false }
        if let address = SpecialAddresses.ipv4(host), let network = SpecialAddresses.ipv4(parts[0]) {
            guard bits <= 32 || parts.count == 1 else { return false }
            return bits == 0 || (network ^ address) >> UInt32(32 - min(bits, 32)) == 0
        }
        let literal = parts[0].drop { $0 == "[" }.prefix { $0 != "]" }
        guard host.hasPrefix("["), bits <= 128 || parts.count == 1, literal.contains(":"),
            let address = SpecialAddresses.ipv6(host.dropFirst().dropLast()),
            let network = SpecialAddresses.ipv6(literal)
        else { return false }
        let (high, low) = (address.high ^ network.high, address.low ^ network.low)
        return high >> UInt64(64 - min(bits, 64)) == 0 && low >> UInt64(64 - min(max(bits - 64, 0), 64)) == 0
    }
}
