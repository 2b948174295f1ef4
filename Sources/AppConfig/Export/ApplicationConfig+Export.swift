/// A format in which a configuration is exported.
public struct ConfigExportFormat: Hashable, Sendable {
    enum Kind { case json, propertyList }
    let kind: Kind

    /// JSON; dates, data, and numbers that are not finite are strings.
    public static let json: ConfigExportFormat = ConfigExportFormat(kind: .json)
    /// An XML property list; `null` in an array is an empty string, and dates have whole seconds.
    public static let propertyList: ConfigExportFormat = ConfigExportFormat(kind: .propertyList)
}

extension ApplicationConfig {
    /// Returns the effective values as the text of a file that reads back as the same values.
    ///
    /// Keys of secret values are left out; a secret element of an array becomes `<redacted>`, so that the others keep their
    /// indices. `${` in strings is escaped. Keys that begin with `$` read back only without directives.
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
        let isSecret = includesSecrets ? [Bool](repeating: false, count: whole.tree.nodes.count) : whole.secretNodes
        whole.tree.copyChildren(of: 0, to: &builder, isSecret: isSecret)
        builder.close()
        let tree = builder.finish(sources: whole.tree.sources)
        switch format.kind {
        case .json: return JSONWriter(isPretty: true).text(tree) + "\n"
        case .propertyList: return PropertyListWriter().text(tree)
        }
    }
}

extension ConfigTree {
    /// Copies a container's children without secret values, and with references escaped.
    fileprivate func copyChildren(of root: Int, to builder: inout ConfigTreeBuilder, isSecret: [Bool]) {
        var levels = [children(of: root)]
        while let top = levels.indices.last {
            guard let node = levels[top].next() else {
                levels.removeLast()
                if !levels.isEmpty { builder.close() }
                continue
            }
            let isElement = kind(of: Int(nodes[node].parent)) == .array
            if isSecret[node], !isElement { continue }
            if !isElement { builder.key(key(of: node)) }
            if isSecret[node] {
                builder.string(ConfigDescription.redacted, position: 0)
            } else if kind(of: node).isContainer {
                builder.open(kind(of: node), position: 0)
                levels.append(children(of: node))
            } else if case .string(let text)? = scalar(of: node) {
                builder.string(ConfigReferenceSyntax.escaped(text), position: 0)
            } else {
                builder.copy(node, of: self, sourceOffset: 0)
            }
        }
    }
}
