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
        unknownKeys: ConfigSchema.UnknownKeys = .allowed
    ) throws(ConfigError) -> Settings {
        var binder = SettingsBinder(self, SettingsOutline(type, at: path), path)
        let settings = binder.bind(type)
        if unknownKeys != .allowed { binder.findUnknownKeys(isError: unknownKeys == .refused) }
        guard binder.problems.isEmpty, let settings else { throw .joining(binder.sortedProblems) }
        return settings
    }
}

extension ConfigPlan {
    /// Declares settings before the configuration is loaded.
    ///
    /// Variables and arguments then find the settings by their declared names, and secret ones are never printed.
    public func declare<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath = .root) {
        SettingsOutline(type, at: path).declare()
    }
}

/// Reads settings and gathers every problem.
private struct SettingsBinder {
    private let config: ApplicationConfig
    private let outline: SettingsOutline
    private let path: ConfigPath
    private(set) var problems: [ConfigError] = []

    init(_ config: ApplicationConfig, _ outline: SettingsOutline, _ path: ConfigPath) {
        (self.config, self.outline, self.path) = (config, outline, path)
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
        // A malformed value is reported and replaced by its default, until the rest can be decoded.
        var replacements = ConfigAssignments()
        var replaced: Set<ConfigPath> = []
        while true {
            let snapshot = merged([
                defaults.tree(of: .init(file: "defaults")), given, replacements.tree(of: .init(file: "")),
            ])
            guard let root = snapshot.find(path.components) else { return nil }
            let place = ConfigPlace(snapshot: snapshot, node: root)
            do {
                let decoding = ConfigDecoding(config, place, ConfigPath(path.components))
                let settings = try ConfigDecoder(decoding: decoding, node: root).decode(type)
                check(snapshot, given)
                return settings
            } catch {
                let problem = config.problem(of: error, place, ConfigPath(path.components))
                problems.append(problem)
                // A bad element is replaced with its whole array.
                let steps = (problem.key ?? path).components.dropFirst(path.components.count)
                let key = ConfigPath(path.components + steps.prefix { $0.key != nil })
                guard key.components.count > path.components.count, replaced.insert(key).inserted,
                    (try? set(value(at: key) ?? .null, at: key.components, &replacements)) != nil
                else { return nil }
            }
        }
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

    /// The default at a path.
    private func value(at key: ConfigPath) -> ConfigValue? {
        key.components.dropFirst(path.components.count).reduce(outline.defaults) { value, step in
            switch step {
            case .key(let key): value?.dictionary?[key]
            case .index: nil
            }
        }
    }

    /// Checks the requirements of the fields.
    private mutating func check(_ snapshot: ConfigSnapshot, _ given: ConfigTree) {
        for entry in outline.entries {
            guard let field = entry.field else { continue }
            let key = ConfigPath(entry.steps)
            if given.descend(entry.steps) == nil {
                if field.isRequired { problems.append(config.missing(key, expected: entry.typeName)) }
                continue
            }
            guard let isRight = field.isRight, let node = snapshot.find(entry.steps) else { continue }
            let value = snapshot.tree.value(of: node)
            if isRight(value, snapshot.context.coercion) { continue }
            var problem = config.mismatch(
                ConfigPlace(snapshot: snapshot, node: node), key, field.expected ?? "another value",
                isSecret: field.isSecret)
            problem = ConfigError(
                .invalidValue, key: key, location: problem.location, expected: problem.expected, found: problem.found,
                notes: problem.notes)
            problems.append(problem)
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
