internal import AshlarCore

extension ApplicationConfig {
    /// Reads settings whole.
    ///
    /// Missing values are those of `Settings()`. Variables and arguments find the settings, and secret settings are hidden,
    /// from the first use of the type in the process; ``ConfigPlan/declare(_:at:)`` is such a use before loading.
    ///
    /// - Parameters:
    ///   - type: The type of the settings.
    ///   - path: The path of the section with the settings, by default the root.
    ///   - unknownKeys: The treatment of values that the type does not declare.
    /// - Returns: The settings.
    /// - Throws: ``ConfigError`` with all problems at once: values of wrong types, values out of range, missing and unknown
    ///   keys, each with its location, in the order of the properties.
    /// - Complexity: O(*n*) in the number of values for each problem.
    public func bind<Settings: ConfigSettings>(
        _ type: Settings.Type = Settings.self, at path: ConfigPath = .root,
        unknownKeys: ConfigUnknownKeys = .allowed
    ) throws(ConfigError) -> Settings {
        var binder = SettingsBinder(self, SettingsOutline(type, at: path), path)
        let settings = binder.bind(type)
        if unknownKeys != .allowed { binder.findUnknownKeys(isError: unknownKeys == .refused) }
        guard binder.problems.isEmpty, let settings else { throw .joining(binder.sortedProblems) }
        return settings
    }
}

/// Reads settings and gathers every problem.
private struct SettingsBinder {
    private let config: ApplicationConfig
    private let outline: SettingsOutline
    private let path: ConfigPath
    private(set) var problems: [ConfigError] = []

    init(_ config: ApplicationConfig, _ outline: SettingsOutline, _ path: ConfigPath) {
        self.config = config
        self.outline = outline
        self.path = path
        outline.declare()
    }

    /// The problems in the order of the settings that they concern.
    var sortedProblems: [ConfigError] {
        func order(_ problem: ConfigError) -> Int {
            let steps = problem.key?.components ?? []
            return outline.entries.firstIndex { $0.steps.starts(with: steps) || steps.starts(with: $0.steps) } ?? .max
        }
        return problems.enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
            .map(\.element)
    }

    mutating func bind<Settings: ConfigSettings>(_ type: Settings.Type) -> Settings? {
        let given = config.flattened().tree.marked(by: config.snapshot.context.secrets)
        var defaults = ConfigAssignments()
        do throws(ConfigError) {
            try set(outline.defaults, at: path.components, &defaults)
        } catch {
            problems.append(error)
            return nil
        }
        let fallback = defaults.tree(of: ConfigLocation(file: "defaults"))
        // A malformed value is reported and removed, until the rest can be decoded.
        var valid = given
        while true {
            let snapshot = merged([fallback, valid])
            guard let root = snapshot.find(path.components) else { return nil }
            let place = ConfigPlace(snapshot: snapshot, node: root)
            do {
                let settings = try ConfigDecoding(config, place, ConfigPath(path.components)).decode(type)
                check(given)
                return settings
            } catch {
                var problem = config.problem(of: error, place, ConfigPath(path.components))
                let steps = (problem.key ?? path).components
                let nodes = Self.nodes(at: steps, in: valid)
                // Removed elements change the indices of the elements after them.
                problem.key = ConfigPath(
                    given.path(of: nodes[nodes.count - 1]).components + steps.dropFirst(nodes.count - 1))
                problems.append(problem)
                let depth = min(removalDepth(of: steps), nodes.count - 1)
                guard depth > path.components.count else { return nil }
                valid = valid.removing(nodes[depth])
            }
        }
    }

    /// Returns the root and the nodes on a path, as far as they exist.
    private static func nodes(at steps: [ConfigPath.Component], in tree: ConfigTree) -> [Int] {
        var nodes = [0]
        for step in steps {
            guard let next = tree.descend(from: nodes[nodes.count - 1], [step]) else { break }
            nodes.append(next)
        }
        return nodes
    }

    /// Returns the length of the path to remove, so that the remaining values can be decoded: that of a setting with a
    /// default, or of an element or an entry of a collection.
    private func removalDepth(of steps: [ConfigPath.Component]) -> Int {
        guard let entry = outline.entries.first(where: { steps.starts(with: $0.steps) }) else { return steps.count }
        let inner = steps.dropFirst(entry.steps.count)
        guard let first = inner.first else { return steps.count }
        return entry.isDictionary || first.key == nil ? entry.steps.count + 1 : entry.steps.count
    }

    private func merged(_ trees: [ConfigTree]) -> ConfigSnapshot {
        let layers = trees.map { ConfigLayer(kind: .base, label: "", tree: $0) }
        var merger = ConfigMerger(layers, policy: .deep, readsDirectives: false)
        return ConfigSnapshot(tree: merger.merge(), context: config.snapshot.context)
    }

    private func set(
        _ value: ConfigValue, at steps: [ConfigPath.Component], _ assignments: inout ConfigAssignments
    ) throws(ConfigError) {
        guard steps.isEmpty else {
            return try assignments.set(value, at: steps, from: ConfigLocation(file: "defaults"))
        }
        for (key, value) in value.dictionary ?? [:] {
            assignments.set(value, at: key, from: ConfigLocation(file: "defaults"))
        }
    }

    /// Checks the requirements of the fields.
    private mutating func check(_ given: ConfigTree) {
        let snapshot = ConfigSnapshot(tree: given, context: config.snapshot.context)
        for entry in outline.entries {
            guard let field = entry.field else { continue }
            let key = ConfigPath(entry.steps)
            guard let node = given.descend(entry.steps) else {
                if field.isRequired { problems.append(config.missing(key, expected: entry.typeName)) }
                continue
            }
            // A malformed value passes, because it has been reported.
            guard let isRight = field.isRight, !isRight(given.value(of: node), snapshot.context.coercion) else {
                continue
            }
            let problem = config.mismatch(
                ConfigPlace(snapshot: snapshot, node: node), key, field.expected ?? "another value",
                isSecret: field.isSecret)
            problems.append(
                ConfigError(
                    .invalidValue, key: key, location: problem.location, expected: problem.expected,
                    found: problem.found, notes: problem.notes))
        }
    }

    /// Finds the values that the settings do not declare.
    mutating func findUnknownKeys(isError: Bool) {
        let tree = config.flattened().tree
        guard let root = tree.descend(path.components) else { return }
        let names = outline.entries.map { ConfigPath($0.steps).description }
        let known = Set(outline.entries.map(\.steps))
        var pending = [root]
        while let section = pending.popLast() {
            for node in tree.children(of: section) {
                let steps = tree.path(of: node).components
                if known.contains(steps) || config.snapshot.context.isSection(node, of: tree) { continue }
                if outline.sections.contains(steps), tree.kind(of: node) == .dictionary {
                    pending.append(node)
                    continue
                }
                let key = ConfigPath(steps)
                let hint = NearestName.find(key.description, among: names).map { "did you mean \($0)?" }
                if isError {
                    problems.append(
                        ConfigError(
                            .unknownKey, key: key, location: tree.location(of: node), reason: "no such key is known",
                            hint: hint))
                } else {
                    config.record(
                        ConfigDiagnostic(
                            .unknownKey, key: key, location: tree.location(of: node),
                            message: ["no such key is known", hint].compactMap { $0 }.joined(separator: "; ")))
                }
            }
        }
    }
}
