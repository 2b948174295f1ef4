internal import AshlarCore

/// The pinned public keys of a configuration, by normalized host.
struct PinnedKeys: Sendable {
    private static let setting = "pinnedKeys"
    private let pins: HostSettings<String>

    /// Checks the pins of a configuration.
    ///
    /// - Throws: `.invalidConfiguration` for a host that no URL can have, for two pins of one host, and for a malformed pin.
    init(_ configured: [String: String]) throws(NetworkError) {
        pins = try HostSettings(configured, Self.setting)
        for (host, pin) in configured { try Self.check(pin, of: host) }
    }

    var isEmpty: Bool { pins.isEmpty }

    /// Returns the pin of a URL's host.
    subscript(url: HTTPURL) -> String? { pins[url] }

    private static func check(_ pin: String, of host: String) throws(NetworkError) {
        // libcurl interprets text without the prefix as the name of a key file.
        let hashes = pin.split(separator: ";", omittingEmptySubsequences: false)
        for hash in hashes {
            guard hash.hasPrefix("sha256//"), AshlarCore.Base64.decode(hash.utf8.dropFirst(8))?.count == 32 else {
                throw HostSettings<String>.invalid(
                    "expected sha256// and the Base64 of 32 bytes as a pin of \(host)", host, setting)
            }
        }
    }
}
