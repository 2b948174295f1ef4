internal import AshlarCore

/// What a snapshot shares: its layers, composed tables, and the problems that reads met.
final class CustomizationStorage: Sendable {
    let tree: CustomizationTree?
    let selection: CustomizationSelection
    let policy: CustomizationPolicy
    let layers: [CustomizationLayer]
    let diagnostics: [CustomizationDiagnostic]
    let tables: [String: ComposedTable]
    /// The table `Localizable`, which reads use unless told otherwise.
    let main: ComposedTable
    private let problems = Mutex(ProblemList())

    init(tree: CustomizationTree?, selection: CustomizationSelection, policy: CustomizationPolicy) {
        (self.tree, self.selection, self.policy) = (tree, selection, policy)
        let stack = selection.stack(of: tree, policy: policy)
        (layers, diagnostics) = (stack.layers, stack.diagnostics)
        var names = Set(stack.layers.flatMap(\.tables.keys))
        names.insert(CustomizationLayer.defaultTable)
        var tables: [String: ComposedTable] = [:]
        for name in names {
            tables[name] = ComposedTable(
                name: name, layers: stack.layers, numbers: policy.numbers, hasLanguage: selection.hasLanguage)
        }
        main =
            tables[CustomizationLayer.defaultTable]
            ?? ComposedTable(name: CustomizationLayer.defaultTable, layers: [], numbers: .strict, hasLanguage: false)
        self.tables = tables
    }

    /// The composed table of that name, or nil if no layer has it.
    @inline(__always)
    func table(_ name: String?) -> ComposedTable? {
        guard let name else { return main }
        return tables[name]
    }

    /// The problems that reads met.
    var problemList: [CustomizationDiagnostic] { problems.withLock { $0.list } }

    /// Keeps a problem that a read met, and tells the policy's hook.
    func report(_ problem: CustomizationDiagnostic) {
        problems.withLock { $0.add(problem) }
        policy.onProblem?(problem)
    }
}

/// The problems that reads met, each kind once per key, up to a bound.
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
