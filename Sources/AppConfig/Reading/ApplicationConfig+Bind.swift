internal import AshlarCore
internal import AshlarTrees

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
        _ type: Settings.Type = Settings.self, at path: ConfigPath = .root, unknownKeys: ConfigUnknownKeys = .allowed
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
    /// The paths of the malformed elements and values that were removed.
    var removed: [[ConfigPath.Component]] = []

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
        var secrecy = config.snapshot.secrecy()
        let given = secrecy.marked(config.root)
        let defaults = path.components.reversed().reduce(outline.defaults) { value, step in
            step.key.map { .dictionary([$0: value]) } ?? value
        }
        // A malformed value is reported and removed, until the rest can be decoded.
        var valid = given
        while true {
            let root = completed(valid, with: defaults)
            guard let place = place(root, []).descend(path.components) else { return nil }
            let decoding = ConfigDecoding(
                config, place, ConfigPath(path.components), recordsKeys: unknownKeys != .allowed)
            do {
                let settings = try decoding.decode(type)
                check(outline, in: self.place(given, []))
                if unknownKeys != .allowed {
                    findUnknownKeys(in: place.node, decoding.requested, isError: unknownKeys == .refused)
                }
                return settings
            } catch {
                var problem = config.problem(of: error, place, ConfigPath(path.components))
                let steps = (problem.key ?? path).components
                let known = Self.known(steps, in: valid)
                // Removed elements change the indices of the elements after them.
                problem.key = ConfigPath(original(known, removed) + steps.dropFirst(known.count))
                problems.append(problem)
                let depth = min(removalDepth(of: steps[...], in: outline), known.count)
                guard depth > path.components.count else { return nil }
                let target = Array(known.prefix(depth))
                guard let rest = ConfigMerger(.runtime).remove(target[...], from: valid) else { return nil }
                removed.append(original(target, removed))
                valid = rest
            }
        }
    }

    /// Returns the part of a path that exists.
    private static func known(_ steps: [ConfigPath.Component], in root: ConfigNode) -> [ConfigPath
        .Component]
    {
        var node = root
        return Array(
            steps.prefix { step in
                guard let child = node.child(step) else { return false }
                node = child
                return true
            })
    }

    /// Returns a path in the given values for one in the values without the removed elements.
    private func original(
        _ steps: [ConfigPath.Component], _ removed: [[ConfigPath.Component]]
    ) -> [ConfigPath.Component] {
        var path: [ConfigPath.Component] = []
        for step in steps {
            guard case .index(var index) = step else {
                path.append(step)
                continue
            }
            let gaps = removed.filter { $0.count == path.count + 1 && $0.starts(with: path) }.compactMap {
                gap in
                if case .index(let index)? = gap.last { index } else { nil }
            }
            for gap in gaps.sorted() where gap <= index { index += 1 }
            path.append(.index(index))
        }
        return path
    }

    private func place(_ root: ConfigNode, _ steps: [ConfigPath.Component]) -> ConfigPlace {
        ConfigPlace(snapshot: config.snapshot, root: root, steps: steps, node: root)
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

    // MARK: Defaults

    /// Returns the values with the defaults that they lack, also in the elements of collections.
    private func completed(_ root: ConfigNode, with defaults: ConfigValue) -> ConfigNode {
        completed(Self.filled(root, with: defaults), by: outline)
    }

    private func completed(_ node: ConfigNode, by outline: SettingsOutline) -> ConfigNode {
        outline.entries.reduce(node) { node, entry in
            guard let elements = entry.elements else { return node }
            return Self.mapping(node, at: entry.steps[...]) { collection in
                elements.mapping(collection) { element in
                    guard element.members != nil else { return element }
                    let inner = elements.outline
                    return completed(Self.filled(element, with: inner.defaults), by: inner)
                }
            }
        }
    }

    /// Returns a node with the values that it lacks, unless a section is malformed.
    private static func filled(_ node: ConfigNode, with defaults: ConfigValue) -> ConfigNode {
        guard case .dictionary(var members, let origin) = node, case .dictionary(let entries) = defaults
        else {
            return node
        }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            if let child = members[key], !child.isRemoved {
                members.set(key, filled(child, with: value))
            } else {
                var merger = ConfigMerger(Self.defaults)
                members.set(key, merger.merge(PlacedValue([key: value]), over: nil).child(.key(key)) ?? node)
            }
        }
        return .dictionary(members, origin)
    }

    private static let defaults = ConfigLayer(.defaults, source: ConfigTreeSource.code("defaults").literal)

    private static func mapping(
        _ node: ConfigNode, at steps: ArraySlice<ConfigPath.Component>, _ body: (ConfigNode) -> ConfigNode
    ) -> ConfigNode {
        guard let step = steps.first else { return body(node) }
        guard case .dictionary(var members, let origin) = node, case .key(let key) = step, let child = node.child(step)
        else { return node }
        members.set(key, mapping(child, at: steps.dropFirst(), body))
        return .dictionary(members, origin)
    }

    // MARK: Requirements

    /// Checks the requirements of the fields, and those of the elements of collections.
    private mutating func check(_ outline: SettingsOutline, in base: ConfigPlace) {
        for entry in outline.entries {
            let place = base.descend(entry.steps)
            if let place, let elements = entry.elements {
                let inner = elements.outline
                for element in elements.places(in: place) { check(inner, in: element) }
            }
            guard let field = entry.field else { continue }
            guard let place else {
                let key = ConfigPath(base.steps + entry.steps)
                if field.isRequired { problems.append(config.missing(key, expected: entry.typeName)) }
                continue
            }
            check(place, by: field)
        }
    }

    /// Checks a value, or its elements if the requirement is one of theirs.
    private mutating func check(_ place: ConfigPlace, by field: ConfigField) {
        let value = place.value
        guard let isRight = field.isRight?(value, config.snapshot.context.coercion) else {
            // A malformed value passes, because it has been reported.
            if field.isRight != nil { for element in place.children { check(element, by: field) } }
            return
        }
        if isRight { return }
        let problem = config.mismatch(place, place.path, field.expected ?? "another value", isSecret: field.isSecret)
        let isHidden = field.isSecret || place.isSecret
        problems.append(
            ConfigError(
                .invalidValue, key: place.path, location: problem.location, expected: problem.expected,
                found: problem.found, notes: problem.notes,
                hint: isHidden ? nil : ConfigChoices.hint(for: value, among: field.choices)))
    }

    // MARK: Unknown keys

    /// Finds the values that the types of the settings did not request.
    private mutating func findUnknownKeys(
        in section: ConfigNode, _ requested: [[ConfigPath.Component]: Set<String>?], isError: Bool
    ) {
        let dictionaries = requested.map { (ConfigPath(path.components + $0.key), $0.key, $0.value) }
        for (dictionary, steps, names) in dictionaries.sorted(by: {
            $0.0.description < $1.0.description
        }) {
            guard let names, let node = section.descend(steps) else { continue }
            for (name, child) in node.members ?? ConfigMembers() {
                if names.contains(name) { continue }
                if dictionary.components.isEmpty, child.members != nil,
                    config.snapshot.context.isSection(name)
                {
                    continue
                }
                let key = dictionary.appending(name)
                let hint = NearestName.find(name, among: names.sorted()).map {
                    "did you mean \(dictionary.appending($0))?"
                }
                if isError {
                    problems.append(
                        ConfigError(
                            .unknownKey, key: key, location: child.location, reason: "no such key is known",
                            hint: hint))
                } else {
                    config.record(
                        ConfigDiagnostic(
                            .unknownKey, key: key, location: child.location,
                            message: ["no such key is known", hint].compactMap { $0 }.joined(separator: "; ")))
                }
            }
        }
    }
}

extension SettingsElements {
    /// Returns a collection with other elements.
    fileprivate func mapping(_ collection: ConfigNode, _ body: (ConfigNode) -> ConfigNode)
        -> ConfigNode
    {
        func map(_ node: ConfigNode, _ rest: ArraySlice<ConfigPath.Component>) -> ConfigNode {
            guard let step = rest.first else { return body(node) }
            switch node {
            case .array(let elements, let origin) where step == .anyIndex:
                return .array(elements.map { map($0, rest.dropFirst()) }, origin)
            case .dictionary(let members, let origin) where step == .anyKey:
                return .dictionary(members.mapNodes { $1.isRemoved ? $1 : map($1, rest.dropFirst()) }, origin)
            default: return node
            }
        }
        return map(collection, steps[...])
    }
}
