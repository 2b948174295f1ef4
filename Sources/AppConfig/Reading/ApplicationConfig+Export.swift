internal import AshlarCore

/// An export format of a configuration.
public struct ConfigExportFormat: Hashable, Sendable {
    enum Kind { case json, propertyList }
    let kind: Kind

    /// JSON; dates, data, and numbers that aren't finite are strings.
    public static let json: ConfigExportFormat = ConfigExportFormat(kind: .json)
    /// An XML property list, in which `null` in an array is an empty string and dates have whole seconds.
    ///
    /// Control characters, which XML can't contain, become U+FFFD.
    public static let propertyList: ConfigExportFormat = ConfigExportFormat(kind: .propertyList)
}

extension ApplicationConfig {
    /// Returns the effective values as the text of a file that contains the same values when it is loaded.
    ///
    /// Keys of secret values are omitted. A secret element of an array becomes `<redacted>`, so that the indices of
    /// other elements don't change. Credentials in URLs also become `<redacted>`. `${` in strings is escaped. To load
    /// keys that begin with `$`, turn directives off.
    ///
    /// ```swift
    /// let config = ApplicationConfig(["http": ["timeout": 30], "apiToken": "secret"])
    /// print(config.exported(as: .json))  // {"http": {"timeout": 30}}, over several lines
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public func exported(as format: ConfigExportFormat, includesSecrets: Bool = false) -> String {
        let whole = flattened()
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        builder.children(
            of: 0, in: whole.tree, isSecret: includesSecrets ? nil : whole.secretNodes, entries: .omitted,
            escapesReferences: true)
        builder.close()
        let tree = builder.finish(sources: whole.tree.sources)
        switch format.kind {
        case .json: return JSONWriter(isPretty: true).text(tree) + "\n"
        case .propertyList: return PropertyListWriter().text(tree)
        }
    }
}

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
