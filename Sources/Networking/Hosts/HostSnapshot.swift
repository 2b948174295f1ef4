/// A host map and its selections at one moment.
///
/// A snapshot is immutable, so its pairs and rows are consistent. ``HostSwitch/changes()`` returns snapshots.
public struct HostSnapshot: Sendable {
    /// The map.
    package let map: HostMap
    /// The environments for hosts without a selection.
    let defaults: HostDefault
    /// The selections and the defaults by normalized canonical host.
    let choices: [String: HostChoice]
    /// The last typed strings by normalized canonical host and key.
    let typed: [String: [String: String]]
    private let table: HostTable

    init(
        map: HostMap, choices: [String: HostChoice] = [:], typed: [String: [String: String]] = [:],
        defaults: HostDefault = .canonical
    ) {
        let selections = choices.filter { $0.value.origin != .defaulted }
        self.choices = defaults.choices(in: map, .defaulted).merging(selections) { _, selected in selected }
        self.map = map
        self.typed = typed
        self.defaults = defaults
        table = HostTable(map, self.choices)
    }

    func with(_ choices: [String: HostChoice], typed: [String: [String: String]]? = nil) -> HostSnapshot {
        HostSnapshot(map: map, choices: choices, typed: typed ?? self.typed, defaults: defaults)
    }

    /// Returns the selected pair of a canonical host, or nil if none is selected or the host is unknown.
    ///
    /// - Parameters:
    ///   - canonicalHost: The name, with its port if the map's name has one; case and a trailing dot are ignored.
    ///   - scheme: The scheme of the endpoint. The environment's scheme takes precedence over it; the configuration's
    ///     `canonical_protocol` applies if both are nil.
    /// - Returns: The pair, or nil.
    /// - Complexity: O(1).
    public func resolve(_ canonicalHost: String, scheme: String? = nil) -> ProtocolHostPair? {
        guard let entry = table[canonicalHost], let host = entry.host else { return nil }
        return ProtocolHostPair(scheme: entry.scheme ?? scheme ?? entry.canonicalScheme, host: host)
    }

    /// Like ``resolve(_:scheme:)``, but returns the `canonical_protocol` of a known host without a selection if the
    /// endpoint has no scheme.
    func resolveForClient(_ canonicalHost: String, _ scheme: String?) -> ProtocolHostPair? {
        guard let entry = table[canonicalHost] else { return nil }
        if let host = entry.host {
            return ProtocolHostPair(scheme: entry.scheme ?? scheme ?? entry.canonicalScheme, host: host)
        }
        return scheme == nil ? ProtocolHostPair(scheme: entry.canonicalScheme, host: canonicalHost) : nil
    }

    /// Returns the key of the selected environment of a canonical host, or nil.
    func selectedKey(_ canonicalHost: String) -> String? { choices[HostSyntax.normalized(canonicalHost)]?.key }

    /// Returns the canonical hosts that resolve to another host than in an older snapshot, or to another environment.
    ///
    /// The hosts of the older map come first, in the order of the maps.
    ///
    /// - Complexity: O(*n*) in the number of canonical hosts.
    package func changes(since old: HostSnapshot) -> [HostChange] {
        let names = old.map.configurations.map(\.canonicalHost)
        let added = map.configurations.map(\.canonicalHost).filter { old.map[$0] == nil }
        return (names + added).compactMap { host in
            let change = HostChange(
                canonicalHost: host, key: selectedKey(host), previous: old.resolve(host), current: resolve(host))
            return old.selectedKey(host) != change.key || change.previous != change.current ? change : nil
        }
    }

    /// Whether the maps, the selected pairs and the typed strings are equal.
    package func hasSameSelections(as other: HostSnapshot) -> Bool {
        map == other.map && typed == other.typed
            && choices.mapValues(\.pair) == other.choices.mapValues(\.pair)
            && choices.mapValues(\.key) == other.choices.mapValues(\.key)
    }
}

/// A change of the selection for one canonical host.
public struct HostChange: Hashable, Sendable {
    /// The canonical host as written in the map.
    public var canonicalHost: String
    /// The key of the selected environment, or nil.
    public var key: String?
    /// The pair before the change, or nil for the canonical host itself.
    public var previous: ProtocolHostPair?
    /// The pair after the change, or nil for the canonical host itself.
    public var current: ProtocolHostPair?
}

/// The selection for one canonical host.
struct HostChoice: Hashable, Sendable {
    /// The reason that a host is chosen.
    enum Origin: Hashable, Sendable {
        case chosen, restored, release, prerelease, defaulted
    }

    var key: String
    /// The environment's own scheme, if it has one, and the selected host.
    var pair: ProtocolHostPair
    var origin: Origin

    /// Whether the user made the selection, now or in an earlier run, so that it is stored.
    var isRemembered: Bool { origin == .chosen || origin == .restored }
}

/// The lookup of a snapshot, by normalized canonical host.
///
/// Hosts are usually written in lowercase, so the first lookup uses the name as given.
struct HostTable: Sendable {
    /// A class, so that a lookup copies one reference instead of four strings.
    final class Entry: Sendable {
        let canonicalScheme: String
        let scheme: String?
        /// The selected host, or nil if nothing is selected.
        let host: String?

        init(_ configuration: HostConfiguration, _ choice: HostChoice?) {
            canonicalScheme = configuration.canonicalScheme
            scheme = choice?.pair.scheme
            host = choice?.pair.host
        }
    }

    private let entries: [String: Entry]

    init(_ map: HostMap, _ choices: [String: HostChoice]) {
        let named = map.configurations.map { configuration in
            let name = HostSyntax.normalized(configuration.canonicalHost)
            return (name, Entry(configuration, choices[name]))
        }
        entries = Dictionary(named, uniquingKeysWith: { first, _ in first })
    }

    subscript(host: String) -> Entry? { entries[host] ?? entries[HostSyntax.normalized(host)] }
}

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
    func choices(in map: HostMap, _ origin: HostChoice.Origin) -> [String: HostChoice] {
        var choices: [String: HostChoice] = [:]
        for configuration in map.configurations {
            guard let key = key(in: configuration), let entry = configuration[key], let host = entry.host,
                entry.editing == .none
            else { continue }
            choices[HostSyntax.normalized(configuration.canonicalHost)] = HostChoice(
                key: entry.key, pair: ProtocolHostPair(scheme: entry.scheme, host: host), origin: origin)
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

/// A scheme and host that belong together.
public struct ProtocolHostPair: Hashable, Sendable, CustomStringConvertible {
    /// The scheme, `http` or `https`, or nil if there is none.
    public var scheme: String?
    /// The host with its optional port.
    public var host: String

    /// Creates a pair.
    public init(scheme: String?, host: String) {
        self.scheme = scheme
        self.host = host
    }

    /// The start of a URL, such as `https://qa.example.com:8443`.
    public var description: String { (scheme.map { $0 + "://" } ?? "") + host }
}

/// Returns the current host for a canonical host, or nil to leave it unchanged.
///
/// `endpointScheme` is the scheme that the endpoint requests, or nil. The returned host may have a port; a returned
/// scheme replaces the endpoint's.
package typealias HostResolver =
    @Sendable (_ canonicalHost: String, _ endpointScheme: String?) -> ProtocolHostPair?
