internal import AshlarCore

/// Merges layers, from the weakest to the strongest, into one tree by the rules of ``ConfigFold``.
///
/// The merger uses an explicit stack instead of recursion.
struct ConfigMerger {
    typealias Contributor = ConfigFold.Contributor

    /// The contributors to one key that remain after the fold: one value, dictionaries, or an array and its elements.
    private struct Item {
        var first: Contributor
        var more: [Contributor] = []
        var last: Contributor { more.last ?? first }
        var all: [Contributor] { [first] + more }
    }

    private struct Frame {
        var items: [Item]
        var next = 0
        var isArray: Bool
    }

    private let fold: ConfigFold
    private var layers: [ConfigLayer] { fold.layers }
    private var sourceOffsets: [UInt16] = []
    private var sources: [ConfigTreeSource] = []
    private var builder = ConfigTreeBuilder()
    private var table = HashIndex()
    private(set) var diagnostics: [ConfigDiagnostic] = []

    init(_ layers: [ConfigLayer], policy: ConfigMergePolicy) { fold = ConfigFold(layers, policy: policy) }

    /// Merges the layers; a single layer without omitted values is returned unchanged.
    mutating func merge() -> ConfigTree {
        if layers.isEmpty { return .empty }
        if layers.count == 1, layers[0].root == 0, !layers[0].tree.hasGaps { return layers[0].tree }
        // Sections share the tree of their file, whose sources are added only once.
        var offsets: [ObjectIdentifier: UInt16] = [:]
        for layer in layers {
            let identity = ObjectIdentifier(layer.tree)
            if offsets[identity] == nil {
                offsets[identity] = UInt16(sources.count)
                sources += layer.tree.sources
            }
            sourceOffsets.append(offsets[identity] ?? 0)
        }
        let size = layers.map { $0.tree.nodes.count }.max() ?? 0
        builder.reserve(nodes: size, keyBytes: size * 8, strings: size / 2)
        builder.open(.dictionary, position: 0)
        let roots = fold.live(layers.indices.map { Contributor(layer: $0, node: layers[$0].root) }, isRoot: true)
        var frames = [Frame(items: items(of: roots), isArray: false)]
        while let top = frames.last {
            guard top.next < top.items.count else {
                builder.close()
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next += 1
            if let frame = emit(top.items[top.next], withKey: !top.isArray) { frames.append(frame) }
        }
        return builder.finish(sources: sources)
    }

    /// Appends an item: a copied subtree, or the start of a container whose children follow.
    private mutating func emit(_ item: Item, withKey: Bool) -> Frame? {
        let (layer, node) = (layers[item.last.layer], item.last.node)
        let tree = layer.tree
        if withKey { builder.key(Self.key(of: item.first, in: layers)) }
        builder.source = sourceOffsets[item.last.layer] + tree.nodes[node].source
        let needsWalk = !item.more.isEmpty || tree.hasGaps
        if !needsWalk || !tree.kind(of: node).isContainer {
            builder.source = 0
            builder.copy(node, of: tree, sourceOffset: sourceOffsets[item.last.layer])
            return nil
        }
        let position = tree.nodes[node].position
        if tree.kind(of: node) == .dictionary, !fold.setsElements(item.last) {
            builder.open(.dictionary, position: position)
            return Frame(items: items(of: item.all), isArray: false)
        }
        builder.open(.array, position: position)
        return Frame(
            items: fold.elements(of: item.all).compactMap { values in
                // `null` is an element, unless a stronger layer sets another one.
                values.count == 1 ? Item(first: values[0]) : self.item(of: values)
            }, isArray: true)
    }

    // MARK: The keys of a dictionary

    /// Returns the keys of merged dictionaries, each with its remaining contributors.
    private mutating func items(of contributors: [Contributor]) -> [Item] {
        if contributors.count == 1 {
            let tree = layers[contributors[0].layer].tree
            return tree.children(of: contributors[0].node).compactMap { child in
                tree.kind(of: child) == .null
                    ? nil : Item(first: Contributor(layer: contributors[0].layer, node: child))
            }
        }
        var groups: [[Contributor]] = []
        let layers = layers
        table.reset(expecting: contributors.reduce(0) { $0 + layers[$1.layer].tree.count(of: $1.node) })
        for contributor in contributors {
            let tree = layers[contributor.layer].tree
            for child in tree.children(of: contributor.node) {
                let next = Contributor(layer: contributor.layer, node: child)
                let key = tree.keyBytes[tree.nodes[child].keyRange]
                let twin = table.insert(groups.count, hash: ByteHash.hash(key.span.bytes)) { group in
                    Self.key(of: groups[group][0], in: layers) == key
                }
                if let twin {
                    groups[twin].append(next)
                } else {
                    groups.append([next])
                }
            }
        }
        return groups.compactMap { item(of: $0) }
    }

    private static func key(of contributor: Contributor, in layers: [ConfigLayer]) -> ArraySlice<UInt8> {
        let tree = layers[contributor.layer].tree
        return tree.keyBytes[tree.nodes[contributor.node].keyRange]
    }

    /// Returns the item of a key; nil if no contributor remains.
    private mutating func item(of contributors: [Contributor]) -> Item? {
        var conflicts: [(Contributor, Contributor)] = []
        let live = fold.live(contributors) { conflicts.append(($0, $1)) }
        for (below, above) in conflicts { reportConflict(below, above) }
        guard let first = live.first else { return nil }
        return Item(first: first, more: Array(live.dropFirst()))
    }

    /// Returns the path after the merge, without the section of a bundle identifier.
    private func path(of contributor: Contributor) -> ConfigPath {
        let (tree, root) = (layers[contributor.layer].tree, layers[contributor.layer].root)
        return ConfigPath(
            Array(tree.path(of: contributor.node).components.dropFirst(tree.path(of: root).components.count)))
    }

    private mutating func reportConflict(_ below: Contributor, _ above: Contributor) {
        let (lower, upper) = (layers[below.layer].tree, layers[above.layer].tree)
        diagnostics.append(
            ConfigDiagnostic(
                .kindConflict, key: path(of: above), location: upper.location(of: above.node),
                message: "\(upper.kind(of: above.node).name) replaces \(lower.kind(of: below.node).name) "
                    + "from \(lower.location(of: below.node))"))
    }
}
