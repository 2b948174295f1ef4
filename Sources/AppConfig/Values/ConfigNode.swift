internal import AshlarCore

/// A value of a merged configuration with its origin: the entry that sets it, and what this entry replaces.
///
/// A tree is immutable. A change makes new nodes on the path to the value; the old tree stays as the new one's past, from
/// which explanations are read.
indirect enum ConfigNode: Sendable {
    /// A value that is neither an array nor a dictionary.
    case scalar(ConfigValue, ConfigOrigin)
    case array([ConfigNode], ConfigOrigin)
    case dictionary(ConfigMembers, ConfigOrigin)
    /// The absence of a value that a stronger layer removed.
    case removed(ConfigOrigin)

    static func empty(_ layer: ConfigLayer) -> ConfigNode {
        .dictionary(ConfigMembers(), ConfigOrigin(ConfigEntry(layer, size: 0, isDictionary: true)))
    }

    var origin: ConfigOrigin {
        get {
            switch self {
            case .scalar(_, let origin), .array(_, let origin), .dictionary(_, let origin),
                .removed(let origin):
                origin
            }
        }
        set {
            switch self {
            case .scalar(let value, _): self = .scalar(value, newValue)
            case .array(let elements, _): self = .array(elements, newValue)
            case .dictionary(let members, _): self = .dictionary(members, newValue)
            case .removed: self = .removed(newValue)
            }
        }
    }

    /// The node that takes the place of one that is being changed.
    static let taken = ConfigNode.removed(ConfigOrigin(ConfigEntry(.runtime)))

    /// Takes the entries out of a dictionary, so that they can be changed in place; nil if it is another node.
    mutating func takeMembers() -> (ConfigMembers, ConfigOrigin)? {
        guard case .dictionary(let members, let origin) = self else { return nil }
        self = .taken
        return (members, origin)
    }

    /// Takes the elements out of an array, so that they can be changed in place; nil if it is another node.
    mutating func takeElements() -> ([ConfigNode], ConfigOrigin)? {
        guard case .array(let elements, let origin) = self else { return nil }
        self = .taken
        return (elements, origin)
    }

    var isRemoved: Bool {
        if case .removed = self { true } else { false }
    }

    var kind: ConfigKind {
        switch self {
        case .scalar(let value, _): value.kind
        case .array: .array
        case .dictionary: .dictionary
        case .removed: .null
        }
    }

    var location: ConfigLocation { origin.entry.location }

    var members: ConfigMembers? {
        if case .dictionary(let members, _) = self { members } else { nil }
    }

    var elements: [ConfigNode]? {
        if case .array(let elements, _) = self { elements } else { nil }
    }

    /// The number of elements or entries.
    var count: Int { elements?.count ?? members?.count ?? 0 }

    /// The elements of an array or the entries of a dictionary, in the order of the sources.
    var children: [(step: ConfigPath.Component, node: ConfigNode)] {
        switch self {
        case .array(let elements, _): elements.enumerated().map { (.index($0), $1) }
        case .dictionary(let members, _): members.map { (.key($0), $1) }
        default: []
        }
    }

    /// The keys of a dictionary, in the order of the sources.
    var keys: [String] { members?.map { $0.key } ?? [] }

    func child(_ step: ConfigPath.Component) -> ConfigNode? {
        guard let child = anyChild(step), !child.isRemoved else { return nil }
        return child
    }

    /// Returns the node at a step, also a removed one.
    func anyChild(_ step: ConfigPath.Component) -> ConfigNode? {
        switch (self, step) {
        case (.dictionary(let members, _), .key(let key)): members[key]
        case (.array(let elements, _), .index(let index)):
            elements.indices.contains(index) ? elements[index] : nil
        default: nil
        }
    }

    /// Returns the node at the end of a path that starts at this one.
    func descend(_ steps: some Sequence<ConfigPath.Component>) -> ConfigNode? {
        var node = self
        for step in steps {
            guard let child = node.child(step) else { return nil }
            node = child
        }
        return node
    }

    /// The value with its descendants.
    ///
    /// - Complexity: O(*n*) in the number of values.
    var value: ConfigValue {
        switch self {
        case .scalar(let value, _): return value
        case .array(let elements, _): return .array(elements.map(\.value))
        case .dictionary(let members, _):
            var entries = [String: ConfigValue](minimumCapacity: members.count)
            for (key, node) in members { entries[key] = node.value }
            return .dictionary(entries)
        case .removed: return .null
        }
    }

    /// Whether both nodes have equal values, regardless of their origins.
    func hasSameValue(as other: ConfigNode) -> Bool {
        switch (self, other) {
        case (.scalar(.real(let left), _), .scalar(.real(let right), _)):
            // A configuration with NaN equals itself.
            left == right || left.bitPattern == right.bitPattern
        case (.scalar(let left, _), .scalar(let right, _)): left == right
        case (.array(let left, _), .array(let right, _)):
            left.count == right.count && zip(left, right).allSatisfy { $0.hasSameValue(as: $1) }
        case (.dictionary(let left, _), .dictionary(let right, _)):
            left.count == right.count
                && left.allSatisfy { key, node in
                    right[key].map { !$0.isRemoved && node.hasSameValue(as: $0) } ?? false
                }
        default: false
        }
    }
}

extension ConfigNode {
    /// Returns the values at every depth of a dictionary, except dictionaries with entries, with their paths.
    func leaves(below steps: [ConfigPath.Component] = []) -> [(steps: [ConfigPath.Component], node: ConfigNode)] {
        (members ?? ConfigMembers()).flatMap { key, child in
            let steps = steps + [.key(key)]
            return child.members != nil && child.count > 0 ? child.leaves(below: steps) : [(steps, child)]
        }
    }

    /// Returns the paths of values and of the dictionaries around them as text, for suggestions.
    ///
    /// The paths of deep values are long, and there can be many, so not all are returned.
    func names() -> [String] {
        var names: Set<String> = []
        for (steps, _) in leaves().prefix(20_000) {
            for length in steps.indices.prefix(16) { names.insert(ConfigPath(Array(steps[...length])).description) }
        }
        return names.sorted()
    }

    /// The same values without the values that they replaced, and with their marks of secrets.
    var withoutPast: ConfigNode {
        var node = self
        switch self {
        case .array(let elements, let origin): node = .array(elements.map(\.withoutPast), origin)
        case .dictionary(let members, let origin):
            node = .dictionary(members.mapNodes { $1.withoutPast }, origin)
        case .scalar, .removed: break
        }
        node.origin.merged = []
        node.origin.over = nil
        return node
    }
}

/// The entries of a dictionary in the order in which they were added.
struct ConfigMembers: Sendable, Sequence {
    private var entries: [(key: String, node: ConfigNode)] = []
    /// The positions of the entries; empty for a dictionary that is searched in order.
    private var positions: [String: Int] = [:]
    private static let searched = 8
    /// The number of entries that aren't removed.
    private(set) var count = 0

    func position(of key: String) -> Int? {
        positions.isEmpty ? entries.firstIndex { $0.key == key } : positions[key]
    }

    /// The entry of a key, also a removed one.
    subscript(key: String) -> ConfigNode? { position(of: key).map { entries[$0].node } }

    /// The entry at a position, also a removed one.
    subscript(at position: Int) -> ConfigNode { entries[position].node }

    mutating func set(_ key: String, _ node: ConfigNode) { set(key, node, at: position(of: key)) }

    /// Sets the node of a key whose position is known; nil for a new key.
    mutating func set(_ key: String, _ node: ConfigNode, at position: Int?) {
        if !node.isRemoved { count += 1 }
        if let position {
            if !entries[position].node.isRemoved { count -= 1 }
            entries[position].node = node
            return
        }
        entries.append((key, node))
        if !positions.isEmpty {
            positions[key] = entries.count - 1
        } else if entries.count > Self.searched {
            for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        }
    }

    /// Takes a node out, so that it can be changed in place and set again; nil if there is no entry.
    mutating func take(_ key: String) -> ConfigNode? {
        guard let position = position(of: key) else { return nil }
        let node = entries[position].node
        entries[position].node = .taken
        if !node.isRemoved { count -= 1 }
        return node
    }

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        if count > Self.searched { positions.reserveCapacity(count) }
    }

    /// The entries that aren't removed.
    func makeIterator() -> some IteratorProtocol<(key: String, node: ConfigNode)> {
        entries.lazy.filter { !$0.node.isRemoved }.makeIterator()
    }

    /// Returns the same entries, removed ones included, with other nodes.
    func mapNodes(_ body: (String, ConfigNode) -> ConfigNode) -> ConfigMembers {
        var copy = self
        copy.count = 0
        for position in entries.indices {
            copy.entries[position].node = body(entries[position].key, entries[position].node)
            if !copy.entries[position].node.isRemoved { copy.count += 1 }
        }
        return copy
    }
}

/// The origin of a node.
struct ConfigOrigin: Sendable {
    /// The strongest entry of the value.
    var entry: ConfigEntry
    /// The weaker entries from which a dictionary or an array is merged, the weakest first.
    var merged: [ConfigEntry] = []
    /// The node of weaker layers that the weakest of these entries replaces.
    var over: ConfigNode?
    /// The references from which a string was built.
    var built: ConfigBuilt?
    /// Whether the value is never printed, whatever its path.
    var isSecret = false

    init(_ entry: ConfigEntry, over: ConfigNode? = nil) {
        self.entry = entry
        self.over = over
    }

    /// The entry that replaces the weaker value.
    var first: ConfigEntry { merged.first ?? entry }

    /// Adds an entry of a layer, which is one entry however many values the layer sets.
    mutating func join(_ next: ConfigEntry) {
        if next.layer === entry.layer { return }
        merged.append(entry)
        entry = next
    }
}

/// What references built a value from.
final class ConfigBuilt: Sendable {
    /// The text with the references.
    let template: String
    /// The paths of the values that the references use.
    let uses: [[ConfigPath.Component]]

    init(template: String, uses: [[ConfigPath.Component]]) {
        self.template = template
        self.uses = uses
    }
}

/// The entry of one layer at a path.
struct ConfigEntry: Sendable {
    let layer: ConfigLayer
    var place: UInt32
    /// The number of entries or elements in the layer; -1 for another value.
    var size: Int32
    var isDictionary: Bool

    init(_ layer: ConfigLayer, place: UInt32 = 0, size: Int = -1, isDictionary: Bool = false) {
        self.layer = layer
        self.place = place
        self.size = Int32(clamping: size)
        self.isDictionary = isDictionary
    }

    var location: ConfigLocation { layer.source.location(at: place) }

    /// Whether the source declares the value as secret; a dictionary isn't, because other layers can add entries to it.
    var isSecret: Bool { !isDictionary && layer.source.isSecret(at: place) }
}
