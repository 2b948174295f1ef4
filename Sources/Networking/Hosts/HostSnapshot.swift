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
        table.with(canonicalHost) { entry in
            entry.host.map { ProtocolHostPair(scheme: entry.scheme ?? scheme ?? entry.canonicalScheme, host: $0) }
        }
    }

    /// As ``resolve(_:scheme:)``; a known host for which nothing is chosen gets its `canonical_protocol` if the endpoint
    /// names no scheme.
    func resolveForClient(_ canonicalHost: String, _ scheme: String?) -> (scheme: String?, host: String)? {
        table.with(canonicalHost) { entry in
            if let host = entry.host { return (entry.scheme ?? scheme ?? entry.canonicalScheme, host) }
            return scheme == nil ? (entry.canonicalScheme, canonicalHost) : nil
        }
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

    /// Whether the user chose, now or in an earlier run, so that the store keeps it.
    var isRemembered: Bool { origin == .chosen || origin == .restored }
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

    private let entries: [Entry]
    /// Indexes of entries plus one; 0 is free.
    private let slots: [UInt32]

    init(_ map: HostMap, _ choices: [String: HostChoice]) {
        var size = 8
        while size < map.configurations.count * 2 { size *= 2 }
        entries = map.configurations.map { configuration in
            let name = HostSyntax.normalized(configuration.canonicalHost)
            let choice = choices[name]
            return Entry(
                name: Array(name.utf8), canonicalScheme: configuration.canonicalScheme, scheme: choice?.pair.scheme,
                host: choice?.pair.host)
        }
        var slots = [UInt32](repeating: 0, count: size)
        for (index, entry) in entries.enumerated() {
            var slot = entry.name.withUnsafeBufferPointer(Self.hash) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(index + 1)
        }
        self.slots = slots
    }

    /// Calls `body` with the entry of a host, or returns nil; the entry is not copied.
    @inline(__always)
    func with<R>(_ host: String, _ body: (borrowing Entry) -> R?) -> R? {
        guard let index = find(host) else { return nil }
        return entries.withUnsafeBufferPointer { body($0[index]) }
    }

    private func find(_ host: String) -> Int? {
        var host = host
        return host.withUTF8 { utf8 in
            if let found = lookUp(utf8) { return found }
            // What is left is rare enough to be normalized the long way: a dot at the end, other scripts.
            guard utf8.contains(where: { $0 >= 0x80 }) || utf8.last == 0x2E || utf8.contains(0x3A) else { return nil }
            return Array(HostSyntax.normalized(String(decoding: utf8, as: UTF8.self)).utf8)
                .withUnsafeBufferPointer(lookUp)
        }
    }

    @inline(__always)
    private func lookUp(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        slots.withUnsafeBufferPointer { slots in
            entries.withUnsafeBufferPointer { entries in
                var slot = Self.hash(name) & (slots.count - 1)
                while slots[slot] != 0 {
                    let index = Int(slots[slot]) - 1
                    if entries[index].name.withUnsafeBufferPointer({ Self.equal($0, name) }) { return index }
                    slot = (slot + 1) & (slots.count - 1)
                }
                return nil
            }
        }
    }

    @inline(__always)
    private static func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var index = 0
        while index < b.count {
            let byte = b[index]
            if a[index] != (byte &- 0x41 < 26 ? byte | 0x20 : byte) { return false }
            index += 1
        }
        return true
    }

    /// Mixes eight bytes at a time, the case bit set everywhere so that case does not count.
    ///
    /// The names are the app's own, so nobody can choose them to collide.
    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var index = 0
        while index < raw.count {
            var word: UInt64 = 0
            if index + 8 <= raw.count {
                word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            } else {
                for rest in index..<raw.count { word = word << 8 | UInt64(raw[rest]) }
            }
            hash = (hash ^ (word | 0x2020_2020_2020_2020)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            index += 8
        }
        return Int(truncatingIfNeeded: hash)
    }
}
