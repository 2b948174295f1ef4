extension ApplicationConfig: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Every value in a line `path = value`, sorted by path; secret values are `<redacted>`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public var description: String {
        lines(withOrigins: false).joined(separator: "\n")
    }

    /// The description with the place of each value.
    public var debugDescription: String { lines(withOrigins: true).joined(separator: "\n") }

    /// The paths and the text of their values; secret values are `<redacted>`.
    public var customMirror: Mirror {
        let tree = flattened().tree
        let children = leaves(of: tree).map { leaf -> Mirror.Child in (leaf.text, text(leaf.node, in: tree)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }

    private func lines(withOrigins: Bool) -> [String] {
        let tree = flattened().tree
        return leaves(of: tree).map { leaf in
            "\(leaf.text) = \(text(leaf.node, in: tree))" + (withOrigins ? "  // \(tree.origin(of: leaf.node))" : "")
        }
    }

    private func text(_ node: Int, in tree: ConfigTree) -> String {
        tree.isSecret(node, by: snapshot.context.secrets)
            ? ConfigDescription.redacted : ConfigDescription.text(node, in: tree)
    }

    /// All values that hold no others, elements of arrays among them.
    private func leaves(of tree: ConfigTree) -> [(text: String, node: Int)] {
        var found: [(text: String, node: Int)] = []
        for node in tree.nodes.indices.dropFirst() {
            if tree.kind(of: node).isContainer, tree.count(of: node) > 0 { continue }
            found.append((tree.path(of: node).description, node))
        }
        return found.sorted { $0.text < $1.text }
    }
}
