internal import AshlarCore

extension ApplicationConfig {
    /// Reads settings whole.
    ///
    /// Missing values are those of `Settings()`. From then on, this configuration and its copies hide secret settings;
    /// with ``ConfigPlan/declare(_:at:)``, all configurations of a plan do, and variables and arguments find the settings.
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
        let outline = SettingsOutline(type, at: path)
        snapshot.context.declaredSecrets.add(outline.secretPaths())
        var binder = SettingsBinder(config: self, outline: outline, path: path)
        let settings = binder.bind(type, unknownKeys)
        guard binder.problems.isEmpty, let settings else { throw .joining(binder.sortedProblems) }
        return settings
    }
}

/// Reads settings and gathers every problem.
private struct SettingsBinder {
    let config: ApplicationConfig
    let outline: SettingsOutline
    let path: ConfigPath
    var problems: [ConfigError] = []

    /// The problems in the order of the settings that they concern.
    var sortedProblems: [ConfigError] {
        func order(_ problem: ConfigError) -> Int {
            let steps = problem.key?.components ?? []
            return outline.entries.firstIndex { $0.steps.starts(with: steps) || steps.starts(with: $0.steps) } ?? .max
        }
        return problems.enumerated().sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
            .map(\.element)
    }

    mutating func bind<Settings: ConfigSettings>(
        _ type: Settings.Type, _ unknownKeys: ConfigUnknownKeys
    ) -> Settings? {
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
            var missing = ConfigAssignments(settingElements: true)
            addDefaults(of: outline, in: valid, at: 0, to: &missing)
            let snapshot = merged([fallback, valid, missing.tree(of: ConfigLocation(file: "defaults"))])
            guard let root = snapshot.find(path.components) else { return nil }
            let place = ConfigPlace(snapshot: snapshot, node: root)
            let decoding = ConfigDecoding(
                config, place, ConfigPath(path.components), recordsKeys: unknownKeys != .allowed)
            do {
                let settings = try decoding.decode(type)
                check(outline, in: given, at: 0)
                if unknownKeys != .allowed {
                    findUnknownKeys(in: snapshot.tree, decoding.requested, isError: unknownKeys == .refused)
                }
                return settings
            } catch {
                var problem = config.problem(of: error, place, ConfigPath(path.components))
                let steps = (problem.key ?? path).components
                let nodes = Self.nodes(at: steps, in: valid)
                // Removed elements change the indices of the elements after them.
                problem.key = ConfigPath(
                    given.path(of: nodes[nodes.count - 1]).components + steps.dropFirst(nodes.count - 1))
                problems.append(problem)
                let depth = min(removalDepth(of: steps[...], in: outline), nodes.count - 1)
                guard depth > path.components.count else { return nil }
                valid = valid.removing([nodes[depth]])
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
    private func removalDepth(of steps: ArraySlice<ConfigPath.Component>, in outline: SettingsOutline) -> Int {
        guard let entry = outline.entries.first(where: { steps.starts(with: $0.steps) }) else { return steps.count }
        let inner = steps.dropFirst(entry.steps.count)
        guard let first = inner.first else { return steps.count }
        if let elements = entry.elements, inner.count > elements.steps.count {
            let depth = entry.steps.count + elements.steps.count
            return depth + removalDepth(of: steps.dropFirst(depth), in: elements.outline)
        }
        return entry.isDictionary || first.key == nil ? entry.steps.count + 1 : entry.steps.count
    }

    private func merged(_ trees: [ConfigTree]) -> ConfigSnapshot {
        let layers = trees.map { ConfigLayer(kind: .base, label: "", tree: $0) }
        var merger = ConfigMerger(layers, policy: .deep)
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

    // MARK: Elements

    /// Adds the defaults that the elements of collections lack.
    private func addDefaults(
        of outline: SettingsOutline, in tree: ConfigTree, at node: Int, to missing: inout ConfigAssignments
    ) {
        for entry in outline.entries {
            guard let elements = entry.elements, let collection = tree.descend(from: node, entry.steps) else {
                continue
            }
            let inner = elements.outline
            for element in elements.nodes(in: collection, of: tree) where tree.kind(of: element) == .dictionary {
                for entry in inner.entries {
                    guard let value = entry.defaultValue, lacks(entry.steps, tree, element) else { continue }
                    // Only an index beyond the end of an array can fail.
                    try? missing.set(
                        value, at: tree.path(of: element).components + entry.steps,
                        from: ConfigLocation(file: "defaults"))
                }
                addDefaults(of: inner, in: tree, at: element, to: &missing)
            }
        }
    }

    /// Whether a value is missing, and not because a section is malformed.
    private func lacks(_ steps: [ConfigPath.Component], _ tree: ConfigTree, _ node: Int) -> Bool {
        var at = node
        for step in steps {
            guard tree.kind(of: at) == .dictionary else { return false }
            guard let next = tree.descend(from: at, [step]) else { return true }
            at = next
        }
        return false
    }

    // MARK: Requirements

    /// Checks the requirements of the fields, and those of the elements of collections.
    private mutating func check(_ outline: SettingsOutline, in given: ConfigTree, at base: Int) {
        for entry in outline.entries {
            let node = given.descend(from: base, entry.steps)
            if let node, let elements = entry.elements {
                let inner = elements.outline
                for element in elements.nodes(in: node, of: given) { check(inner, in: given, at: element) }
            }
            guard let field = entry.field else { continue }
            guard let node else {
                let key = ConfigPath(given.path(of: base).components + entry.steps)
                if field.isRequired { problems.append(config.missing(key, expected: entry.typeName)) }
                continue
            }
            check(node, in: given, by: field)
        }
    }

    /// Checks a value, or its elements if the requirement is one of theirs.
    private mutating func check(_ node: Int, in given: ConfigTree, by field: ConfigField) {
        let context = config.snapshot.context
        let value = given.value(of: node)
        guard let isRight = field.isRight?(value, context.coercion) else {
            // A malformed value passes, because it has been reported.
            if field.isRight != nil, given.kind(of: node).isContainer {
                for element in given.children(of: node) { check(element, in: given, by: field) }
            }
            return
        }
        if isRight { return }
        let key = given.path(of: node)
        let place = ConfigPlace(snapshot: ConfigSnapshot(tree: given, context: context), node: node)
        let problem = config.mismatch(place, key, field.expected ?? "another value", isSecret: field.isSecret)
        let isHidden = field.isSecret || place.isSecret
        problems.append(
            ConfigError(
                .invalidValue, key: key, location: problem.location, expected: problem.expected,
                found: problem.found, notes: problem.notes,
                hint: isHidden ? nil : ConfigChoices.hint(for: value, among: field.choices)))
    }

    // MARK: Unknown keys

    /// Finds the values that the types of the settings did not request.
    private mutating func findUnknownKeys(in tree: ConfigTree, _ requested: [Int: Set<String>?], isError: Bool) {
        for (dictionary, names) in requested.sorted(by: { $0.key < $1.key }) {
            guard let names else { continue }
            for node in tree.children(of: dictionary) {
                let name = tree.key(of: node)
                if names.contains(name) || config.snapshot.context.isSection(node, of: tree) { continue }
                let (section, key) = (tree.path(of: dictionary), tree.path(of: node))
                let hint = NearestName.find(name, among: names.sorted()).map {
                    "did you mean \(section.appending($0))?"
                }
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
