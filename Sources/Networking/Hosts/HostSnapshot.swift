/// A host map and what is chosen in it, at one moment.
///
/// A snapshot is a value that never changes: scheme and host of a pair belong together, and rows, answers and
/// explanations of one snapshot agree. ``HostSwitch/current`` gives the latest.
public struct HostSnapshot: Sendable {
    /// The map.
    public let map: HostMap
    /// What is chosen, by normalized canonical host.
    let choices: [String: HostChoice]
    /// The text typed last, by normalized canonical host and key.
    let typed: [String: [String: String]]
    private let table: HostTable

    init(map: HostMap, choices: [String: HostChoice] = [:], typed: [String: [String: String]] = [:]) {
        (self.map, self.choices, self.typed) = (map, choices, typed)
        table = HostTable(map, choices)
    }

    /// Returns the pair that is chosen for a canonical host, or nil if none is chosen or the host is unknown.
    ///
    /// - Parameters:
    ///   - canonicalHost: The name, with its port if the map's has one; case and a dot at the end do not count.
    ///   - scheme: The scheme that the endpoint names. It yields to the chosen environment's and beats the
    ///     configuration's `canonical_protocol`.
    /// - Returns: The pair, or nil.
    /// - Complexity: O(1); nothing is allocated for a host in lower case.
    public func resolve(_ canonicalHost: String, scheme: String? = nil) -> ProtocolHostPair? {
        guard let entry = table.find(canonicalHost), let host = entry.host else { return nil }
        return ProtocolHostPair(scheme: entry.scheme ?? scheme ?? entry.canonicalScheme, host: host)
    }

    /// As ``resolve(_:scheme:)``; a known host for which nothing is chosen gets its `canonical_protocol` if the endpoint
    /// names no scheme.
    func resolveForClient(_ canonicalHost: String, _ scheme: String?) -> (scheme: String?, host: String)? {
        guard let entry = table.find(canonicalHost) else { return nil }
        if let host = entry.host { return (entry.scheme ?? scheme ?? entry.canonicalScheme, host) }
        return scheme == nil ? (entry.canonicalScheme, canonicalHost) : nil
    }

    /// The key of the environment that is chosen for a canonical host, or nil.
    public func chosenKey(_ canonicalHost: String) -> String? { choices[HostSyntax.normalized(canonicalHost)]?.key }
}

/// What is chosen for one canonical host.
struct HostChoice: Hashable, Sendable {
    /// Who chose.
    enum Origin: Hashable, Sendable {
        case chosen, restored, release, prerelease
    }

    var key: String
    /// The environment's own scheme, if it has one, and the host that is asked instead.
    var pair: ProtocolHostPair
    var origin: Origin
}

/// The lookup of a snapshot: a hash table that finds a host without making a string.
final class HostTable: Sendable {
    struct Entry: Sendable {
        /// The normalized canonical host.
        let name: [UInt8]
        let canonicalScheme: String
        let scheme: String?
        /// The chosen host, or nil if nothing is chosen.
        let host: String?
    }

    private let slots: [Entry?]

    init(_ map: HostMap, _ choices: [String: HostChoice]) {
        var size = 8
        while size < map.configurations.count * 2 { size *= 2 }
        var slots = [Entry?](repeating: nil, count: size)
        for configuration in map.configurations {
            let name = HostSyntax.normalized(configuration.canonicalHost)
            let choice = choices[name]
            let entry = Entry(
                name: Array(name.utf8), canonicalScheme: configuration.canonicalScheme, scheme: choice?.pair.scheme,
                host: choice?.pair.host)
            var slot = Self.hash(entry.name) & (size - 1)
            while slots[slot] != nil { slot = (slot + 1) & (size - 1) }
            slots[slot] = entry
        }
        self.slots = slots
    }

    func find(_ host: String) -> Entry? {
        var host = host
        return host.withUTF8 { utf8 in
            // Names in other scripts and a dot before a port are rare enough to be normalized the long way.
            if let entry = lookUp(utf8.last == 0x2E ? UnsafeBufferPointer(rebasing: utf8.dropLast()) : utf8) {
                return entry
            }
            guard utf8.contains(where: { $0 >= 0x80 || $0 == 0x3A }) else { return nil }
            return Array(HostSyntax.normalized(String(decoding: utf8, as: UTF8.self)).utf8)
                .withUnsafeBufferPointer(lookUp)
        }
    }

    @inline(__always)
    private func lookUp(_ name: UnsafeBufferPointer<UInt8>) -> Entry? {
        var slot = Self.hash(name) & (slots.count - 1)
        while let entry = slots[slot] {
            if entry.name.count == name.count, Self.equal(entry.name, name) { return entry }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    @inline(__always)
    private static func equal(_ a: [UInt8], _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < b.count {
            if a[index] != lowercased(b[index]) { return false }
            index += 1
        }
        return true
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// FNV-1a; the names are the app's own, so nobody can choose them to collide.
    @inline(__always)
    private static func hash(_ bytes: some Collection<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(lowercased(byte))) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 29)
    }
}
