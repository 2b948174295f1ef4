/// The proxies from environment variables, by curl's rules.
///
/// The transport selects the proxy itself, because libcurl doesn't report whether it used one.
struct EnvironmentProxies: Sendable {
    private let http: String?
    private let https: String?
    private let excluded: [String]

    init(_ environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        // A CGI program must not use HTTP_PROXY, because a request's `Proxy` field sets it.
        http = value("http_proxy") ?? all
        https = value("https_proxy", "HTTPS_PROXY") ?? all
        excluded = (value("no_proxy", "NO_PROXY") ?? "").split { $0 == "," || $0 == " " }.map { entry in
            let name = entry.lowercased()
            return name.hasPrefix(".") ? String(name.dropFirst()) : name
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
        return host.hasSuffix("." + entry)
    }

    /// Whether an IPv4 address is in a network such as `10.0.0.0/8`.
    private func isInNetwork(_ entry: String, _ host: String) -> Bool {
        let parts = entry.split(separator: "/")
        guard parts.count == 2, let bits = UInt32(parts[1]), bits <= 32, let network = SpecialAddresses.ipv4(parts[0]),
            let address = SpecialAddresses.ipv4(host)
        else { return false }
        return bits == 0 || (network ^ address) >> (32 - bits) == 0
    }
}
