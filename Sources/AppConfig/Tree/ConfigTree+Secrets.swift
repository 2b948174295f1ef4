extension ConfigTree {
    /// For each node, whether it is secret: itself, through a container around it, or through a value that it uses.
    ///
    /// - Complexity: O(*n*) in the number of nodes.
    func secretNodes(by rule: ConfigSecrets) -> [Bool] {
        struct Level {
            let end: Int
            let state: ConfigSecretMatcher.State
            let isArray: Bool
            var index = 0
        }
        var matcher = ConfigSecretMatcher(rule)
        var isSecret = [Bool](repeating: false, count: nodes.count)
        var levels = [Level(end: nodes.count, state: matcher.root, isArray: false)]
        isSecret[0] = matcher.root.isSecret
        for number in nodes.indices.dropFirst() {
            while levels.count > 1, levels[levels.count - 1].end <= number { levels.removeLast() }
            let (node, top) = (nodes[number], levels.count - 1)
            var state = levels[top].state
            if levels[top].isArray {
                if !state.isOutsideListedPaths { state = matcher.step(state, .index(levels[top].index)) }
                if !node.flags.contains(.superseded) { levels[top].index += 1 }
            } else {
                state = matcher.step(state, .key(key(of: number)))
            }
            if node.flags.contains(.secret) { state.isSecret = true }
            isSecret[number] = state.isSecret
            if node.kind.isContainer {
                levels.append(Level(end: Int(node.end), state: state, isArray: node.kind == .array))
            }
        }
        if !sourceNodes.isEmpty { spread(&isSecret) }
        return isSecret
    }

    /// Marks the values that use secret values, and their descendants.
    private func spread(_ isSecret: inout [Bool]) {
        var built: [Int: [Int]] = [:]
        for (node, sources) in sourceNodes { for source in sources { built[source, default: []].append(node) } }
        var pending = built.keys.filter { isSecret[$0] }
        while let source = pending.popLast() {
            for root in built[source] ?? [] {
                for node in root..<Int(nodes[root].end) where !isSecret[node] {
                    isSecret[node] = true
                    if built[node] != nil { pending.append(node) }
                }
            }
        }
    }
}
