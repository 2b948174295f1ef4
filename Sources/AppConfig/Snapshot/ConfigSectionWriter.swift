/// Builds the tree of a root key with one changed value; all other values retain their locations.
struct ConfigSectionWriter {
    /// The number of the source of written values in a section.
    static let source: UInt16 = 0

    /// The current value of the root key.
    let old: ConfigPlace?
    /// Whether the old value is in a section, whose sources the new section uses.
    let isSection: Bool

    private var sourceOffset: UInt16 { isSection ? 0 : 1 }

    /// Returns the new tree, whose root contains only this key, or nothing if it was removed; nil for an invalid index.
    func tree(of components: [ConfigPath.Component], _ value: ConfigValue?) -> ConfigTree? {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        if value != nil || components.count > 1 {
            guard write(value, components[...], &builder) else { return nil }
        }
        builder.close()
        let sources = old?.tree.sources ?? []
        return builder.finish(
            sources: isSection && !sources.isEmpty
                ? sources : [.code(ConfigLayerKind.runtime.description)] + sources)
    }

    private func write(
        _ value: ConfigValue?, _ steps: ArraySlice<ConfigPath.Component>, _ builder: inout ConfigTreeBuilder
    ) -> Bool {
        guard case .key(let first)? = steps.first else { return false }
        builder.key(first)
        var node = old?.node
        /// The elements after the step into each open container.
        var trailing: [[Int]] = []
        for (depth, step) in steps.dropFirst().enumerated() {
            let isRemoved = value == nil && depth + 2 == steps.count
            let (kind, children) = contents(of: node)
            var behind: [Int] = []
            switch step {
            case .key(let key):
                open(.dictionary, node, kind == .dictionary, &builder)
                node = nil
                for child in kind == .dictionary ? children : [] {
                    if old?.tree.key(of: child) == key { node = child } else { copy(child, &builder) }
                }
                if !isRemoved { builder.key(key) }
            case .index(let index):
                let elements = kind == .array ? children : []
                guard index <= elements.count, index < elements.count || value != nil else { return false }
                open(.array, node, kind == .array, &builder)
                for child in elements[..<index] { copy(child, &builder) }
                behind = Array(elements[min(index + 1, elements.count)...])
                node = index < elements.count ? elements[index] : nil
            }
            trailing.append(behind)
        }
        if let value {
            builder.source = Self.source
            builder.value(value, dropsNulls: true)
        }
        for behind in trailing.reversed() {
            for child in behind { copy(child, &builder) }
            builder.close()
        }
        return true
    }

    private func contents(of node: Int?) -> (kind: ConfigKind?, children: [Int]) {
        guard let node, let old else { return (nil, []) }
        let kind = old.tree.kind(of: node)
        return (kind, kind.isContainer ? Array(old.tree.children(of: node)) : [])
    }

    /// Opens a container, which retains its location if the old value has the same type.
    private func open(
        _ kind: ConfigKind, _ node: Int?, _ isKept: Bool, _ builder: inout ConfigTreeBuilder
    ) {
        if isKept, let node, let old {
            builder.source = old.tree.nodes[node].source + sourceOffset
            builder.open(kind, position: old.tree.nodes[node].position)
        } else {
            builder.source = Self.source
            builder.open(kind, position: 0)
        }
    }

    private func copy(_ child: Int, _ builder: inout ConfigTreeBuilder) {
        guard let tree = old?.tree else { return }
        if tree.kind(of: Int(tree.nodes[child].parent)) == .dictionary { builder.key(tree.key(of: child)) }
        builder.copy(child, of: tree, sourceOffset: sourceOffset)
    }
}
