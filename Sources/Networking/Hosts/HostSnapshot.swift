/// A host map and its selections at one moment.
///
/// A snapshot is immutable, so its pairs, rows and explanations are consistent. ``HostSwitch/current`` returns the
/// latest snapshot.
public struct HostSnapshot: Sendable {
    /// The map.
    public let map: HostMap
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
        self.choices = defaults.choices(in: map).merging(selections) { _, selected in selected }
        (self.map, self.typed, self.defaults) = (map, typed, defaults)
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
            (canonicalScheme, scheme, host) = (configuration.canonicalScheme, choice?.pair.scheme, choice?.pair.host)
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
