/// The environment of a canonical host without a selection.
///
/// A debug build starts with the test servers, a release build with those of production:
///
/// ```swift
/// let map = try HostMap(json: Array(#"""
///     {"configurations": [{"canonical_host": "api.example.com", "canonical_protocol": "https", "prerelease_key": "QA",
///       "hosts": [{"key": "PROD", "host": "api.example.com"}, {"key": "QA", "host": "qa.example.com"}]}]}
///     """#.utf8))
/// let hosts = HostSwitch(map, defaults: .prerelease)
/// assert(hosts.resolve("api.example.com")?.host == "qa.example.com")
/// ```
public enum HostDefault: Hashable, Sendable {
    /// The canonical host itself.
    case canonical
    /// The environment of `release_key`.
    case release
    /// The environment of `prerelease_key`.
    case prerelease
    /// The environment with a key.
    case environment(String)

    /// The choices for a map; hosts that don't have the environment, or whose host is typed, have none.
    func choices(in map: HostMap) -> [String: HostChoice] {
        var choices: [String: HostChoice] = [:]
        for configuration in map.configurations {
            guard let key = key(in: configuration), let entry = configuration[key], let host = entry.host,
                entry.editing == .none
            else { continue }
            choices[HostSyntax.normalized(configuration.canonicalHost)] = HostChoice(
                key: entry.key, pair: ProtocolHostPair(scheme: entry.scheme, host: host), origin: .defaulted)
        }
        return choices
    }

    private func key(in configuration: HostConfiguration) -> String? {
        switch self {
        case .canonical: nil
        case .release: configuration.releaseKey
        case .prerelease: configuration.prereleaseKey
        case .environment(let key): key
        }
    }
}
