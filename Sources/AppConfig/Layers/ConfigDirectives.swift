internal import AshlarTrees

/// Reads the keys beginning with `$`, with which a file describes its values.
///
/// - `$secret: [names]`: the values of these keys, and the values inside them, are never printed.
/// - `$revision: integer or date`: in the root, the age of a document; remote sources refuse one that is older.
struct ConfigDirectives {
    static let secret = "$secret"
    static let revision = "$revision"
    static let revisionForm = "an integer or a date in the root"

    /// The paths in `$secret` directives.
    private(set) var secrets: [[ConfigPath.Component]] = []
    private var problems: [ConfigError] = []
    private let source: ConfigTreeSource

    /// Removes the directives from a tree, and returns the paths of secret values.
    ///
    /// - Throws: ``ConfigError`` if a key begins with `$` but isn't a directive, or if a directive is malformed or
    ///   misplaced.
    static func read(_ tree: inout ConfigTree) throws(ConfigError) -> [[ConfigPath.Component]] {
        var directives = ConfigDirectives(source: tree.source)
        directives.take(from: &tree.root, [])
        if !directives.problems.isEmpty { throw .joining(directives.problems) }
        return directives.secrets
    }

    private init(source: ConfigTreeSource) { self.source = source }

    private mutating func take(from value: inout PlacedValue, _ path: [ConfigPath.Component]) {
        switch value.content {
        case .array(var elements) where elements.contains(where: \.isContainer):
            value.content = .null
            for index in elements.indices { take(from: &elements[index], path + [.index(index)]) }
            value.content = .array(elements)
        case .dictionary(var members):
            value.content = .null
            var hasDirective = false
            for index in members.indices {
                if members[index].key.utf8.first == UInt8(ascii: "$") {
                    hasDirective = true
                    read(members[index], path)
                } else if members[index].value.isContainer {
                    take(from: &members[index].value, path + [.key(members[index].key)])
                }
            }
            if hasDirective { members.removeAll { $0.key.utf8.first == UInt8(ascii: "$") } }
            value.content = .dictionary(members)
        default: break
        }
    }

    private mutating func read(_ member: PlacedValue.Member, _ path: [ConfigPath.Component]) {
        let value = member.value
        func problem(expected: String, found: String? = nil) -> ConfigError {
            ConfigError(
                .unknownDirective, key: ConfigPath(path + [.key(member.key)]),
                location: source.location(at: value.place), expected: expected, found: found ?? value.kind.name)
        }
        switch member.key {
        case Self.secret:
            guard case .array(let elements) = value.content, elements.allSatisfy({ $0.kind == .string })
            else {
                return problems.append(problem(expected: "an array of strings"))
            }
            for case .string(let name) in elements.map(\.content) { secrets.append(path + [.key(name)]) }
        case Self.revision:
            if ConfigRevision(value) == nil || !path.isEmpty {
                problems.append(problem(expected: Self.revisionForm))
            }
        default:
            problems.append(
                problem(expected: "a key that does not begin with $, or one of $secret, $revision", found: member.key))
        }
    }
}

extension PlacedValue {
    fileprivate var isContainer: Bool { kind.isContainer }
}
