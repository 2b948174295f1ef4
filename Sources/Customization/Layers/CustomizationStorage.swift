internal import AshlarCore

/// The shared content of a snapshot: its layers, composed tables, and the problems of reads.
final class CustomizationStorage: Sendable {
    let tree: CustomizationTree?
    let selection: CustomizationSelection
    let policy: CustomizationPolicy
    let layers: [CustomizationLayer]
    let diagnostics: [CustomizationDiagnostic]
    let tables: [String: ComposedTable]
    /// The table `Localizable`, which reads use by default.
    let main: ComposedTable
    private let problems = Mutex(ProblemList())

    init(tree: CustomizationTree?, selection: CustomizationSelection, policy: CustomizationPolicy) {
        self.tree = tree
        self.selection = selection
        self.policy = policy
        let stack = selection.stack(of: tree, policy: policy)
        layers = stack.layers
        diagnostics = stack.diagnostics
        func compose(_ name: String) -> ComposedTable { ComposedTable(name: name, layers: stack.layers) }
        main = compose(CustomizationLayer.defaultTable)
        var tables = [CustomizationLayer.defaultTable: main]
        for name in Set(stack.layers.flatMap(\.tables.keys)) where tables[name] == nil { tables[name] = compose(name) }
        self.tables = tables
    }

    /// Returns the composed table with a name; nil if no layer defines it.
    func table(_ name: String?) -> ComposedTable? {
        guard let name else { return main }
        return tables[name]
    }

    var problemList: [CustomizationDiagnostic] { problems.withLock { $0.list } }

    /// Stores a problem of a read, and calls the policy's hook.
    func report(_ problem: CustomizationDiagnostic) {
        problems.withLock { $0.add(problem) }
        policy.onProblem?(problem)
    }
}

/// The problems of reads, each code once per key, up to a limit.
struct ProblemList: Sendable {
    static let maximumCount = 256

    private struct Identity: Hashable {
        var code: CustomizationDiagnostic.Code
        var key: String?
        var file: String
    }
    private(set) var list: [CustomizationDiagnostic] = []
    private var known: Set<Identity> = []

    mutating func add(_ problem: CustomizationDiagnostic) {
        guard list.count < Self.maximumCount else { return }
        let identity = Identity(code: problem.code, key: problem.key, file: problem.location.file)
        if known.insert(identity).inserted { list.append(problem) }
    }
}

extension Theme {
    /// The theme as a layer with only its own values.
    package var layer: CustomizationLayer {
        CustomizationLayer(
            id: table.file.isEmpty ? name : table.file + "#" + name, role: .theme(name),
            tables: [CustomizationLayer.defaultTable: table], colors: colors, resolvesAliases: true,
            diagnostics: diagnostics)
    }
}

/// Finds a theme and the themes that it extends.
enum ThemeStack {
    /// Returns the parent of all other themes in DB5: the theme named "default", ignoring case.
    private static func common(_ themes: [Theme]) -> Theme? { themes.last { $0.name.lowercased() == "default" } }

    /// Returns the name of the default theme: the theme named "default", or else the first theme.
    static func defaultName(among themes: [Theme]) -> String? { (common(themes) ?? themes.first)?.name }

    /// Returns the layers of a theme, its most distant parent first.
    static func layers(
        _ name: String, among themes: [Theme]
    ) -> (layers: [CustomizationLayer], diagnostics: [CustomizationDiagnostic]) {
        var diagnostics: [CustomizationDiagnostic] = []
        func report(_ code: CustomizationDiagnostic.Code, _ message: String, _ file: String) {
            diagnostics.add(.error, code, message, at: CustomizationLocation(file: file))
        }
        let named = Dictionary(themes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var next = named[name]
        if next == nil {
            next = defaultName(among: themes).flatMap { named[$0] }
            let instead = next.map { "; \($0.name) is used" } ?? ""
            report(.unknownName, "unknown theme \(name)\(instead)", themes.first?.table.file ?? "")
        }
        var path: [Theme] = []
        var seen: Set<String> = []
        while let theme = next {
            guard seen.insert(theme.name).inserted else {
                report(.aliasCycle, "the theme \(theme.name) extends itself", theme.table.file)
                break
            }
            path.append(theme)
            if let parent = theme.parent {
                next = named[parent]
                if next == nil {
                    report(
                        .unknownName, "the theme \(theme.name) extends the unknown theme \(parent)",
                        theme.table.file)
                }
            } else {
                next = common(themes)
                // The default theme isn't the parent of itself, nor of a theme that it extends.
                var (ancestor, known) = (next, Set<String>())
                while let found = ancestor, known.insert(found.name).inserted {
                    if found.name == theme.name { next = nil }
                    ancestor = found.parent.flatMap { named[$0] }
                }
            }
        }
        return (path.reversed().map(\.layer), diagnostics)
    }
}
