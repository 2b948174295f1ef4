internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys beginning with `$`, with which a file controls how its dictionaries merge.
///
/// - `$replace: true`: the dictionary replaces the weaker one instead of merging with it.
/// - `$unset: [names]`: these keys of the weaker dictionary are removed.
/// - `$append: […]`, `$prepend: […]`: the dictionary adds elements to the weaker array and has no other keys.
/// - `$secret: [names]`: the values of these keys, and the values inside them, are never printed.
/// - `$revision: number or date`: in the root, the age of a document; remote sources refuse one that is older.
enum ConfigDirectives {
    static let replace = "$replace"
    static let unset = "$unset"
    static let append = "$append"
    static let prepend = "$prepend"
    static let secret = "$secret"
    static let revision = "$revision"

    /// Whether a dictionary adds elements to an array.
    static func isList(_ node: Int, _ tree: ConfigTree) -> Bool {
        guard tree.hasDirectives, tree.kind(of: node) == .dictionary, let first = tree.children(of: node).first
        else { return false }
        let key = tree.key(of: first)
        return key == append || key == prepend
    }

    /// The number or the seconds since 2001 in a `$revision`; nil if it is malformed.
    static func revision(_ node: Int, _ tree: ConfigTree) -> Double? {
        switch tree.scalar(of: node) {
        case .integer(let number)?: Double(number)
        case .date(let date)?: date.timeIntervalSinceReferenceDate
        case .string(let text)?: RFC3339.parse(text.utf8, allowsDateOnly: true)?.secondsSince2001
        default: nil
        }
    }

    static func replaces(_ node: Int, _ tree: ConfigTree) -> Bool {
        guard tree.hasDirectives, let flag = tree.child(of: node, key: replace) else { return false }
        return tree.scalar(of: flag) == .boolean(true)
    }

    /// The names in a dictionary's `$unset`.
    static func unset(_ node: Int, _ tree: ConfigTree) -> [String] { names(unset, node, tree) }

    /// The names in a dictionary's `$secret`.
    static func secret(_ node: Int, _ tree: ConfigTree) -> [String] { names(secret, node, tree) }

    /// The paths in a layer's `$secret` directives, as they are after the merge.
    static func secretPaths(in layer: ConfigLayer) -> Set<ConfigPath> {
        let tree = layer.tree
        var paths: Set<ConfigPath> = []
        for node in (layer.root + 1)..<max(layer.root + 1, Int(tree.nodes[layer.root].end)) {
            guard tree.isDirective(node), tree.key(of: node) == secret else { continue }
            let parent = tree.path(of: Int(tree.nodes[node].parent)).components
            let below = ConfigPath(Array(parent.dropFirst(tree.path(of: layer.root).components.count)))
            for name in names(secret, Int(tree.nodes[node].parent), tree) { paths.insert(below.appending(name)) }
        }
        return paths
    }

    private static func names(_ directive: String, _ node: Int, _ tree: ConfigTree) -> [String] {
        guard tree.hasDirectives, let list = tree.child(of: node, key: directive) else { return [] }
        return tree.children(of: list).compactMap { child in
            if case .string(let name)? = tree.scalar(of: child) { name } else { nil }
        }
    }

    /// Throws if a key of the layer begins with `$` but isn't a directive, or if a directive is malformed or misplaced.
    static func check(_ layer: ConfigLayer) throws(ConfigError) {
        let tree = layer.tree
        var problems: [ConfigError] = []
        for node in (layer.root + 1)..<max(layer.root + 1, Int(tree.nodes[layer.root].end)) where tree.isDirective(node)
        {
            let parent = Int(tree.nodes[node].parent)
            let key = tree.key(of: node)
            func wrong(_ reason: String? = nil, expected: String? = nil, found: String? = nil) {
                problems.append(
                    ConfigError(
                        .unknownDirective, key: tree.path(of: node), location: tree.location(of: node), reason: reason,
                        expected: expected, found: found ?? (reason == nil ? tree.kind(of: node).name : nil)))
            }
            switch key {
            case replace:
                if tree.kind(of: node) != .boolean { wrong(expected: "a boolean") }
            case unset, secret:
                let isRight =
                    tree.kind(of: node) == .array && tree.children(of: node).allSatisfy { tree.kind(of: $0) == .string }
                if !isRight { wrong(expected: "an array of strings") }
            case revision:
                if revision(node, tree) == nil || parent != layer.root {
                    wrong(expected: "an integer or a date in the root")
                }
            case append, prepend:
                if tree.kind(of: node) != .array { wrong(expected: "an array") }
                let isAlone = tree.children(of: parent).allSatisfy { [append, prepend].contains(tree.key(of: $0)) }
                if !isAlone || parent == layer.root { wrong("\(key) must be alone in its dictionary") }
            default:
                wrong(
                    expected:
                        "a key that does not begin with $, or one of $replace, $unset, $append, $prepend, $secret, "
                        + "$revision",
                    found: key)
            }
        }
        if !problems.isEmpty { throw .joining(problems) }
    }
}
