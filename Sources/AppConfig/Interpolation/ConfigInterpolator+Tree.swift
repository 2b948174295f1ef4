// Builds the new tree after all templates have been resolved.
extension ConfigInterpolator {
    /// Returns the tree with resolved values instead of templates, and copies of containers instead of references.
    mutating func rebuilt() -> ConfigTree {
        struct Walk {
            var children: ConfigTree.Children
            var isSecret: Bool
            /// Whether a reference copied the values to this position.
            var isCopy = false
        }
        // The number of each node in the new tree, and the new nodes that are copies of it.
        var numbers = [Int](repeating: 0, count: tree.nodes.count)
        var copies: [(new: Int, old: Int)] = []
        var builder = ConfigTreeBuilder()
        builder.reserve(
            nodes: tree.nodes.count, keyBytes: tree.keyBytes.count, strings: tree.strings.count)
        builder.open(.dictionary, position: 0)
        var walks = [Walk(children: tree.children(of: 0), isSecret: false)]
        while let last = walks.indices.last {
            guard let node = walks[last].children.next() else {
                builder.close()
                walks.removeLast()
                continue
            }
            let isSecret = walks[last].isSecret
            let isCopy = walks[last].isCopy
            let known = resolved[Unit(node: node)]
            if case .failed? = known { continue }
            if builder.count > plan.limits.values {
                errors.append(
                    ConfigError(
                        .limitExceeded, key: tree.path(of: node), location: tree.location(of: node),
                        reason: "references grow beyond \(plan.limits.values) values"))
                while builder.depth > 0 { builder.close() }
                break
            }
            if tree.kind(of: Int(tree.nodes[node].parent)) == .dictionary { builder.key(tree.key(of: node)) }
            builder.source = tree.nodes[node].source
            let position = tree.nodes[node].position
            if isCopy { copies.append((builder.count, node)) } else { numbers[node] = builder.count }
            switch known {
            case .scalar(let value, let isTainted)?:
                builder.value(value, position: position)
                builder.mark(builder.count - 1, isTainted || isSecret ? [.secret, .interpolated] : .interpolated)
            case .value(let value, let isTainted)?:
                let first = builder.count
                builder.value(value, position: position)
                builder.mark(first, isTainted || isSecret ? [.secret, .interpolated] : .interpolated)
            case .container(let target)?:
                builder.open(tree.kind(of: target), position: position)
                builder.mark(builder.count - 1, .interpolated)
                let isTainted = isSecret || self.isSecret[target]
                if isTainted { builder.mark(builder.count - 1, .secret) }
                walks.append(Walk(children: tree.children(of: target), isSecret: isTainted, isCopy: true))
            case .failed?: break
            case nil:
                if tree.kind(of: node).isContainer {
                    builder.open(tree.kind(of: node), position: position)
                    walks.append(Walk(children: tree.children(of: node), isSecret: isSecret, isCopy: isCopy))
                } else {
                    builder.source = 0
                    builder.copy(node, of: tree, sourceOffset: 0)
                    if isSecret { builder.mark(builder.count - 1, .secret) }
                }
            }
        }
        var sourceNodes: [Int: [Int]] = [:]
        for (new, old) in copies where numbers[old] != 0 { sourceNodes[new] = [numbers[old]] }
        for (node, targets) in references where numbers[node] != 0 {
            sourceNodes[numbers[node]] = targets.map { numbers[$0] }.filter { $0 != 0 }
        }
        return builder.finish(sources: tree.sources, sourceNodes: sourceNodes)
    }
}
