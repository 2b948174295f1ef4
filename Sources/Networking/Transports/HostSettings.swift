internal import AshlarCore

/// Settings by host: a host name or an IP address without a port; case, a trailing dot and the form of an address are
/// ignored.
struct HostSettings<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]

    /// Normalizes the hosts of a setting.
    ///
    /// - Throws: `.invalidConfiguration` for a host that no URL can have, and for two values of one host.
    init(_ configured: [String: Value], _ setting: String) throws(NetworkError) {
        for (host, value) in configured {
            let key = try Self.key(of: host, setting)
            guard values.updateValue(value, forKey: key) == nil else {
                throw Self.invalid("two values for the host \(host.debugDescription)", host, setting)
            }
        }
    }

    var isEmpty: Bool { values.isEmpty }

    /// Returns the value for a URL's host.
    subscript(url: HTTPURL) -> Value? { values.isEmpty ? nil : values[Self.key(of: url)] }

    /// Returns the host of a URL, or the number of its address, which the transports connect to in any spelling.
    private static func key(of url: HTTPURL) -> String {
        let host = url.hostWithoutDot
        if host.hasPrefix("["), let address = IPAddress.ipv6(host.dropFirst().dropLast()) {
            return "\(address.high):\(address.low)\(host.drop { $0 != "%" })"
        }
        return IPAddress.ipv4(anyFormOf: host).map(String.init) ?? host
    }

    private static func key(of text: String, _ setting: String) throws(NetworkError) -> String {
        // The URL's own parser decides which hosts are valid, so that a setting can match a URL.
        let isAddress = text.contains(":") && !text.hasPrefix("[")
        guard let url = try? HTTPURL(authority: isAddress ? "[\(text)]" : text, scheme: .https), url.port == nil
        else { throw invalid("expected a host name or an IP address, found \(text.debugDescription)", text, setting) }
        return key(of: url)
    }

    /// Returns the error for the value of a host.
    static func invalid(_ message: String, _ host: String, _ setting: String) -> NetworkError {
        NetworkError(.invalidConfiguration, message, phase: .prepare, key: "\(setting)[\(host)]")
    }
}

extension HostSettings<String> {
    /// Checks the pinned public keys of a configuration.
    ///
    /// - Throws: `.invalidConfiguration` for a host that no URL can have, for two pins of one host, and for a malformed pin.
    init(pins: [String: String]) throws(NetworkError) {
        let setting = "pinnedKeys"
        try self.init(pins, setting)
        for (host, pin) in pins {
            // libcurl interprets text without the prefix as the name of a key file.
            for hash in pin.split(separator: ";", omittingEmptySubsequences: false) {
                guard hash.hasPrefix("sha256//"), AshlarCore.Base64.decode(hash.utf8.dropFirst(8))?.count == 32 else {
                    throw Self.invalid(
                        "expected sha256// and the Base64 of 32 bytes as a pin of \(host)", host, setting)
                }
            }
        }
    }
}
