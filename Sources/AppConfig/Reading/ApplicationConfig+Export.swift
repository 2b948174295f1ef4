internal import AshlarCore

extension ConfigTreeBuilder {
    /// The treatment of secret entries in dictionaries.
    enum SecretEntries {
        case omitted
        /// The entry remains, and its value becomes `<redacted>`.
        case redacted
    }

    /// Adds a value without its secrets, under the pending key.
    mutating func redacted(_ node: Int, of tree: ConfigTree, isSecret: [Bool]) {
        if isSecret[node] || !tree.kind(of: node).isContainer {
            scalar(node, of: tree, isSecret: isSecret, escapesReferences: false)
        } else {
            open(tree.kind(of: node), position: 0)
            children(of: node, in: tree, isSecret: isSecret)
            close()
        }
    }

    /// Adds the children of a container without secrets.
    ///
    /// A secret element of an array becomes `<redacted>`, so that the indices of other elements don't change.
    /// Credentials in URLs also become `<redacted>`.
    ///
    /// - Parameters:
    ///   - root: The container.
    ///   - tree: The tree of the container.
    ///   - isSecret: Whether each node of the tree is secret; nil includes secrets.
    ///   - entries: The treatment of secret entries.
    ///   - escapesReferences: Whether `${` in strings is escaped.
    mutating func children(
        of root: Int, in tree: ConfigTree, isSecret: [Bool]?, entries: SecretEntries = .redacted,
        escapesReferences: Bool = false
    ) {
        var levels = [tree.children(of: root)]
        while let top = levels.indices.last {
            guard let node = levels[top].next() else {
                levels.removeLast()
                if !levels.isEmpty { close() }
                continue
            }
            let isElement = tree.kind(of: Int(tree.nodes[node].parent)) == .array
            let isHidden = isSecret?[node] ?? false
            if isHidden, !isElement, entries == .omitted { continue }
            if !isElement { key(tree.key(of: node)) }
            if tree.kind(of: node).isContainer, !isHidden {
                open(tree.kind(of: node), position: 0)
                levels.append(tree.children(of: node))
            } else {
                scalar(node, of: tree, isSecret: isSecret, escapesReferences: escapesReferences)
            }
        }
    }

    private mutating func scalar(_ node: Int, of tree: ConfigTree, isSecret: [Bool]?, escapesReferences: Bool) {
        if isSecret?[node] ?? false {
            string(ConfigDescription.redacted, position: 0)
        } else if case .string(let text)? = tree.scalar(of: node) {
            let shown = isSecret == nil ? text : SecretText.redactingCredentials(in: text)
            string(escapesReferences ? ConfigReferenceSyntax.escaped(shown) : shown, position: 0)
        } else {
            copy(node, of: tree, sourceOffset: 0)
        }
    }
}
