extension ApplicationConfig: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Every value as a line `path = value`, sorted by path; secret values are `<redacted>`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public var description: String {
        lines().map { "\($0.path) = \($0.text)" }.joined(separator: "\n")
    }

    /// The description with the location of each value.
    public var debugDescription: String {
        lines().map { "\($0.path) = \($0.text)  // \($0.tree.location(of: $0.node))" }.joined(separator: "\n")
    }

    /// The paths and the text of their values; secret values are `<redacted>`.
    public var customMirror: Mirror {
        let children = lines().map { line -> Mirror.Child in (line.path, line.text) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    /// All values that aren't containers, including elements of arrays, in the order of their paths.
    private func lines() -> [(path: String, text: String, node: Int, tree: ConfigTree)] {
        let whole = flattened()
        let (tree, isSecret) = (whole.tree, whole.secretNodes)
        var lines: [(path: String, text: String, node: Int, tree: ConfigTree)] = []
        for node in tree.nodes.indices.dropFirst() {
            if tree.kind(of: node).isContainer, tree.count(of: node) > 0 { continue }
            let text = isSecret[node] ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree)
            lines.append((tree.path(of: node).description, text, node, tree))
        }
        return lines.sorted { $0.path < $1.path }
    }
}
