/// The keys beginning with `$`, with which a file describes its values.
///
/// - `$secret: [names]`: the values of these keys, and the values inside them, are never printed.
/// - `$revision: integer or date`: in the root, the age of a document; remote sources refuse one that is older.
enum ConfigDirectives {
    static let secret = "$secret"
    static let revision = "$revision"
    static let revisionForm = "an integer or a date in the root"

    /// The paths in a layer's `$secret` directives, as they are after the merge.
    static func secretPaths(in layer: ConfigLayer) -> Set<ConfigPath> {
        let tree = layer.tree
        var paths: Set<ConfigPath> = []
        for node in tree.descendants(of: layer.root) where tree.isDirective(node) && tree.key(of: node) == secret {
            let parent = tree.path(of: Int(tree.nodes[node].parent)).components
            let below = ConfigPath(Array(parent.dropFirst(tree.path(of: layer.root).components.count)))
            for child in tree.children(of: node) {
                if case .string(let name)? = tree.scalar(of: child) { paths.insert(below.appending(name)) }
            }
        }
        return paths
    }

    /// Returns a tree whose directives are removed, so that a merge omits them.
    ///
    /// - Throws: ``ConfigError`` if a key begins with `$` but isn't a directive, or if a directive is malformed or
    ///   misplaced.
    static func removed(from tree: ConfigTree) throws(ConfigError) -> ConfigTree {
        var problems: [ConfigError] = []
        var directives: [Int] = []
        for node in tree.descendants(of: 0) where tree.isDirective(node) {
            let key = tree.key(of: node)
            func wrong(expected: String, found: String? = nil) {
                problems.append(
                    ConfigError(
                        .unknownDirective, key: tree.path(of: node), location: tree.location(of: node),
                        expected: expected, found: found ?? tree.kind(of: node).name))
            }
            switch key {
            case secret:
                let isRight =
                    tree.kind(of: node) == .array && tree.children(of: node).allSatisfy { tree.kind(of: $0) == .string }
                if !isRight { wrong(expected: "an array of strings") }
            case revision:
                if ConfigRevision(node, of: tree) == nil || tree.nodes[node].parent != 0 {
                    wrong(expected: revisionForm)
                }
            default: wrong(expected: "a key that does not begin with $, or one of $secret, $revision", found: key)
            }
            directives.append(node)
        }
        if !problems.isEmpty { throw .joining(problems) }
        return tree.removing(directives)
    }
}
