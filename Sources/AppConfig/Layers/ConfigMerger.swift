internal import AshlarTrees

/// Merges the values of one layer with the result of all weaker layers: a step of a strict left fold.
///
/// Each new node keeps its entry, and the weaker node that it replaces, so that every value can be explained.
struct ConfigMerger {
    private let layer: ConfigLayer
    private let isDeep: Bool
    /// The path of the value that is being merged.
    private var path: [ConfigPath.Component] = []
    private(set) var diagnostics: [ConfigDiagnostic] = []

    /// Creates a merger for a layer.
    ///
    /// A variable or an argument sets single values with every policy; otherwise it would remove the values next to them.
    init(_ layer: ConfigLayer, policy: ConfigMergePolicy = .deep) {
        self.layer = layer
        isDeep = policy.isDeep || layer.kind == .variables || layer.kind == .arguments
    }

    /// Returns the root that results from a dictionary and the weaker root.
    mutating func merge(_ values: PlacedValue, over root: ConfigNode?) -> ConfigNode {
        node(values, over: root) ?? root ?? .empty(layer)
    }

    /// Returns the node that results from a value and the weaker node; nil if there is none.
    private mutating func node(_ value: PlacedValue, over below: ConfigNode?) -> ConfigNode? {
        switch value.content {
        case .null: return removed(below, by: ConfigEntry(layer, place: value.place))
        case .array(let elements):
            let entry = ConfigEntry(layer, place: value.place, size: elements.count)
            let origin = replace(below, by: entry, .array)
            var nodes: [ConfigNode] = []
            nodes.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                nodes.append(node(element, over: nil, at: .index(index)) ?? null(element))
            }
            return .array(nodes, origin)
        case .dictionary(let members):
            let entry = ConfigEntry(layer, place: value.place, size: members.count, isDictionary: true)
            var merged: ConfigMembers
            var origin: ConfigOrigin
            // The root is merged with every policy.
            if case .dictionary(let known, let old)? = below, isDeep || path.isEmpty {
                merged = known
                origin = old
                origin.join(entry)
            } else {
                merged = ConfigMembers()
                merged.reserveCapacity(members.count)
                origin = replace(below, by: entry, .dictionary)
            }
            for member in members {
                let position = merged.position(of: member.key)
                let weaker = position.map { merged[at: $0] }
                if let child = node(member.value, over: weaker, at: .key(member.key)) {
                    merged.set(member.key, child, at: position)
                }
            }
            return .dictionary(merged, origin)
        default:
            let scalar = value.scalar ?? .null
            return .scalar(scalar, replace(below, by: ConfigEntry(layer, place: value.place), scalar.kind))
        }
    }

    private mutating func node(
        _ value: PlacedValue, over below: ConfigNode?, at step: ConfigPath.Component
    ) -> ConfigNode? {
        path.append(step)
        defer { path.removeLast() }
        return node(value, over: below)
    }

    /// Returns the node of a null that is an element of an array.
    private func null(_ value: PlacedValue) -> ConfigNode {
        .scalar(.null, ConfigOrigin(ConfigEntry(layer, place: value.place)))
    }

    /// Returns the node of a value that is removed; nil if there is none.
    private func removed(_ below: ConfigNode?, by entry: ConfigEntry) -> ConfigNode? {
        guard let past = past(below) else { return nil }
        return .removed(ConfigOrigin(entry, over: past.isRemoved ? past.origin.over : past))
    }

    /// Returns the origin of a value that replaces a weaker one; reports a conflict of their types.
    private mutating func replace(
        _ below: ConfigNode?, by entry: ConfigEntry, _ kind: ConfigKind, setsElements: Bool = false
    ) -> ConfigOrigin {
        let past = past(below)
        if isDeep, let past, !past.isRemoved,
            setsElements ? past.kind != .array : (kind == .dictionary) != (past.kind == .dictionary)
        {
            diagnostics.append(
                ConfigDiagnostic(
                    .kindConflict, key: ConfigPath(path), location: entry.location,
                    message: "\(kind.name) replaces \(past.kind.name) from \(past.location)"))
        }
        return ConfigOrigin(entry, over: past)
    }

    /// The weaker node without what this layer has set before.
    private func past(_ node: ConfigNode?) -> ConfigNode? {
        guard var node else { return nil }
        if node.origin.first.layer === layer { return node.origin.over }
        if node.origin.entry.layer === layer, let weaker = node.origin.merged.popLast() { node.origin.entry = weaker }
        return node
    }

    // MARK: Single values

    /// Sets one value, which creates missing containers and replaces other values on the path.
    ///
    /// An element of an array is replaced. Another dictionary is merged, unless it `replaces` the weaker one.
    ///
    /// - Throws: If an index is beyond the end of an array; nothing is set.
    /// - Complexity: O(*d*) in the depth of the path, if the containers on it belong to this tree alone.
    mutating func set(
        _ value: PlacedValue, at steps: [ConfigPath.Component], in root: inout ConfigNode?, replaces: Bool = false
    ) throws(IndexOutOfRange) {
        try Self.checkIndices(of: steps, in: root)
        path = []
        set(value, steps[...], in: &root, replaces: replaces)
    }

    private static func checkIndices(
        of steps: [ConfigPath.Component], in root: ConfigNode?
    ) throws(IndexOutOfRange) {
        var node = root
        for step in steps {
            if case .index(let index) = step {
                let count = node?.elements?.count ?? 0
                guard index >= 0, index <= count else { throw IndexOutOfRange(index: index, count: count) }
            }
            node = node?.anyChild(step)
        }
    }

    private mutating func set(
        _ value: PlacedValue, _ steps: ArraySlice<ConfigPath.Component>, in node: inout ConfigNode?, replaces: Bool
    ) {
        guard let step = steps.first else { return setWhole(value, in: &node, replaces: replaces) }
        // A container is taken out of the tree, changed in place, and put back.
        switch step {
        case .key(let key):
            let isKnown = node?.members != nil
            var (members, origin) =
                node?.takeMembers() ?? (ConfigMembers(), replace(node, by: container(value), .dictionary))
            var child = members.take(key)
            if isKnown { join(&origin, value, with: child) }
            path.append(step)
            set(value, steps.dropFirst(), in: &child, replaces: replaces)
            if let child { members.set(key, child) }
            node = .dictionary(members, origin)
        case .index(let index):
            let isKnown = node?.elements != nil
            var (elements, origin) =
                node?.takeElements() ?? ([], replace(node, by: container(value), .array, setsElements: true))
            var child: ConfigNode?
            if index == elements.count {
                elements.append(.taken)
            } else {
                child = elements[index]
                elements[index] = .taken
            }
            if isKnown { join(&origin, value, with: child) }
            path.append(step)
            set(value, steps.dropFirst(), in: &child, replaces: replaces)
            elements[index] = child ?? null(value)
            node = .array(elements, origin)
        }
    }

    private mutating func setWhole(_ value: PlacedValue, in node: inout ConfigNode?, replaces: Bool) {
        guard replaces || path.last?.key == nil else {
            node = self.node(value, over: node) ?? node
            return
        }
        guard var whole = self.node(value, over: nil) else { return }
        whole.origin = replace(node, by: whole.origin.entry, whole.kind)
        node = whole
    }

    /// The entry of a container on the path to a single value.
    private func container(_ value: PlacedValue) -> ConfigEntry {
        ConfigEntry(layer, place: value.place, size: 1, isDictionary: true)
    }

    /// Adds a single value to the origin of a container on its path.
    private func join(_ origin: inout ConfigOrigin, _ value: PlacedValue, with child: ConfigNode?) {
        if origin.entry.layer !== layer {
            origin.join(container(value))
        } else if child?.origin.entry.layer !== layer {
            origin.entry.size += 1
        }
    }

    /// Returns the root without a value; nil if there is no such value.
    func remove(_ steps: ArraySlice<ConfigPath.Component>, from node: ConfigNode) -> ConfigNode? {
        guard let step = steps.first, let old = node.child(step) else { return nil }
        let rest = steps.dropFirst()
        switch (node, step) {
        case (.dictionary(var members, let origin), .key(let key)):
            let next = rest.isEmpty ? removed(old, by: ConfigEntry(layer)) : remove(rest, from: old)
            if rest.isEmpty, next == nil {
                members.set(key, .removed(ConfigOrigin(ConfigEntry(layer))))
            } else if let next {
                members.set(key, next)
            } else {
                return nil
            }
            return .dictionary(members, origin)
        case (.array(var elements, let origin), .index(let index)):
            if rest.isEmpty {
                elements.remove(at: index)
            } else if let next = remove(rest, from: old) {
                elements[index] = next
            } else {
                return nil
            }
            return .array(elements, origin)
        default: return nil
        }
    }
}
