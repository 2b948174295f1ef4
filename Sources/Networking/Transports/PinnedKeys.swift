internal import AshlarCore

/// The pinned public keys of a configuration, by normalized host.
struct PinnedKeys: Sendable {
    private let pins: [String: String]

    /// Checks the pins of a configuration.
    ///
    /// - Throws: `.invalidConfiguration` for a host that no URL can have, for two pins of one host, and for a malformed pin.
    init(_ configured: [String: String]) throws(NetworkError) {
        var pins: [String: String] = [:]
        for (host, pin) in configured {
            let name = try Self.host(host)
            try Self.check(pin, of: host)
            guard pins.updateValue(pin, forKey: name) == nil else {
                throw Self.invalid("two pins for the host \(name.debugDescription)", host)
            }
        }
        self.pins = pins
    }

    var isEmpty: Bool { pins.isEmpty }

    /// Returns the pin of a URL's host.
    subscript(url: HTTPURL) -> String? { pins[Self.withoutTrailingDot(url.host)] }

    private static func host(_ text: String) throws(NetworkError) -> String {
        // The URL's own parser decides which hosts are valid, so that a pin can match a URL.
        let isAddress = text.contains(":") && !text.hasPrefix("[")
        guard let url = try? HTTPURL("https://\(isAddress ? "[\(text)]" : text)/"), url.port == nil,
            url.userInfo == nil,
            url.path == "/", url.query == nil, url.fragment == nil
        else { throw invalid("expected a host name or an IP address, found \(text.debugDescription)", text) }
        return withoutTrailingDot(url.host)
    }

    private static func withoutTrailingDot(_ host: String) -> String {
        host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    private static func check(_ pin: String, of host: String) throws(NetworkError) {
        // libcurl interprets text without the prefix as the name of a key file.
        let hashes = pin.split(separator: ";", omittingEmptySubsequences: false)
        for hash in hashes {
            guard hash.hasPrefix("sha256//"), AshlarCore.Base64.decode(hash.utf8.dropFirst(8))?.count == 32 else {
                throw invalid("expected sha256// and the Base64 of 32 bytes as a pin of \(host)", host)
            }
        }
    }

    private static func invalid(_ message: String, _ host: String) -> NetworkError {
        var error = NetworkError(.invalidConfiguration, message, phase: .prepare)
        error.key = "pinnedKeys[\(host)]"
        return error
    }
}
