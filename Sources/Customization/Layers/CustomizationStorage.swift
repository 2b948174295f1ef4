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
        (self.tree, self.selection, self.policy) = (tree, selection, policy)
        let stack = selection.stack(of: tree, policy: policy)
        (layers, diagnostics) = (stack.layers, stack.diagnostics)
        func compose(_ name: String) -> ComposedTable {
            ComposedTable(name: name, layers: stack.layers, numbers: policy.numbers, hasLanguage: selection.hasLanguage)
        }
        main = compose(CustomizationLayer.defaultTable)
        var tables = [CustomizationLayer.defaultTable: main]
        for name in Set(stack.layers.flatMap(\.tables.keys)) where tables[name] == nil { tables[name] = compose(name) }
        self.tables = tables
    }

    /// Returns the composed table with a name; nil if no layer defines it.
    @inline(__always)
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
