// Which nodes of a tree are secret: by a mark of their own, by a rule, or by what they were built from.
extension ConfigTree {
    /// Whether a node, a container around it, or a value it was made from is secret.
    ///
    /// - Complexity: O(*d*) in the depth of the node for each value it was built from; for all nodes at once see
    ///   ``secretNodes(by:)``.
    func isSecret(_ node: Int, by rule: ConfigSecrets) -> Bool {
        var pending = [node]
        var seen: Set<Int> = [node]
        while let next = pending.popLast() {
            var at = next
            while at != 0 {
                if nodes[at].flags.contains(.secret) { return true }
                at = Int(nodes[at].parent)
            }
            if rule.isSecret(path(of: next)) { return true }
            for source in sourceNodes[next] ?? [] where seen.insert(source).inserted { pending.append(source) }
        }
        return false
    }

    /// For each node, whether it is secret.
    ///
    /// - Complexity: O(*n*) in the number of nodes, and O(*w*) in the width of dictionaries for each listed path.
    func secretNodes(by rule: ConfigSecrets) -> [Bool] {
        var isSecret = [Bool](repeating: false, count: nodes.count)
        for node in listedNodes(by: rule) { isSecret[node] = true }
        var known: [String: Bool] = [:]
        for node in nodes.indices.dropFirst() {
            if isSecret[node] { continue }
            if isSecret[Int(nodes[node].parent)] || nodes[node].flags.contains(.secret) {
                isSecret[node] = true
            } else if nodes[node].keyLength > 0, rule.hasNames {
                let key = key(of: node)
                isSecret[node] = known[key] ?? rule.isSecretKey(key)
                known[key] = isSecret[node]
            }
        }
        if !sourceNodes.isEmpty { spread(&isSecret) }
        return isSecret
    }

    /// The nodes at the paths that a rule lists, also as root keys with dots and in sections of bundle identifiers.
    private func listedNodes(by rule: ConfigSecrets) -> [Int] {
        let listed = rule.paths.union(ConfigDeclaredKeys.secretPaths).map(\.components)
        if listed.isEmpty { return [] }
        var found = listed.compactMap { descend($0) }
        for child in children(of: 0) where nodes[child].flags.contains(.escapedKey) {
            for reading in ConfigSecrets.readings(of: [.key(key(of: child))]) {
                for components in listed where components.starts(with: reading) {
                    if let node = descend(from: child, components.dropFirst(reading.count)) { found.append(node) }
                }
            }
            found += listed.compactMap { $0.isEmpty ? nil : descend(from: child, $0) }
        }
        return found.filter { $0 != 0 }
    }

    /// Marks the values that were made from secret values, and their descendants.
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
