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
    /// - Complexity: O(*n*) in the number of values.
    public func bind<Settings: ConfigSettings>(
        _ type: Settings.Type = Settings.self, at path: ConfigPath = .root, unknownKeys: ConfigUnknownKeys = .allowed
    ) throws(ConfigError) -> Settings {
        let outline = SettingsOutline(type, at: .root)
        snapshot.context.declaredSecrets.add(
            outline.secretPaths().map { ConfigPath(path.components + $0.components) })
        var binder = SettingsBinder(config: self)
        let settings = binder.bind(type, outline, at: root.steps(of: path), unknownKeys)
        guard binder.problems.isEmpty, let settings else { throw .joining(binder.problems) }
        return settings
    }
}

/// Reads settings and gathers every problem.
private struct SettingsBinder {
    let config: ApplicationConfig
    private(set) var problems: [ConfigError] = []
    /// The keys that types know in each dictionary; nil for a dictionary with arbitrary keys.
    private var known: [[ConfigPath.Component]: Set<String>?] = [:]
    /// Whether the settings can't be decoded as a whole, so that each value is decoded by itself.
    private var isMalformed = false

    init(config: ApplicationConfig) { self.config = config }

    mutating func bind<Settings: ConfigSettings>(
        _ type: Settings.Type, _ outline: SettingsOutline, at path: [ConfigPath.Component],
        _ unknownKeys: ConfigUnknownKeys
    ) -> Settings? {
        let root = ConfigPlace(snapshot: config.snapshot, root: config.root, steps: [], node: config.root)
        let given: ConfigPlace
        switch find(path, in: root) {
        case .value(let place): given = place
        case .nothing:
            given = ConfigPlace(snapshot: config.snapshot, root: config.root, steps: path, node: .empty(.runtime))
        case .malformed: return nil
        }
        let whole = ConfigPlace(
            snapshot: config.snapshot, root: config.root, steps: path, node: completed(given.node, by: outline))
        let settings = decode(type, at: whole)
        let problem = problems.popLast()
        isMalformed = settings == nil
        check(outline, in: given)
        if problems.isEmpty, let problem { problems.append(problem) }
        if unknownKeys != .allowed { findUnknownKeys(isError: unknownKeys == .refused) }
        return settings
    }

    /// Decodes a value and notes the keys that its type requests; reports the first problem.
    private mutating func decode<T: Decodable>(_ type: T.Type, at place: ConfigPlace) -> T? {
        let decoding = ConfigDecoding(config, place, place.path, recordsKeys: true)
        do {
            let value = try decoding.decode(type)
            for (steps, keys) in decoding.requested { known[place.steps + steps] = .some(keys) }
            return value
        } catch {
            problems.append(config.problem(of: error, place, place.path))
            return nil
        }
    }

    private enum Found {
        case value(ConfigPlace)
        case nothing
        /// A value on the path isn't a container.
        case malformed
    }

    /// Finds a value and notes the keys on its path; reports a value on it that isn't a container, once.
    private mutating func find(_ steps: [ConfigPath.Component], in base: ConfigPlace, notesKeys: Bool = false) -> Found
    {
        var place = base
        for step in steps {
            guard place.kind == (step.key == nil ? .array : .dictionary) else {
                let problem = config.mismatch(place, place.path, step.key == nil ? "array" : "dictionary")
                if problems.last?.key != problem.key { problems.append(problem) }
                return .malformed
            }
            if notesKeys, let key = step.key, known[place.steps] != .some(nil) {
                known[place.steps] = (known[place.steps] ?? [])?.union([key])
            }
            guard let child = place.descend([step]) else { return .nothing }
            place = child
        }
        return .value(place)
    }

    // MARK: Defaults

    /// Returns the values with the defaults that they lack, also in the elements of collections.
    private func completed(_ node: ConfigNode, by outline: SettingsOutline) -> ConfigNode {
        outline.entries.reduce(Self.filled(node, with: outline.defaults)) { node, entry in
            guard let elements = entry.elements else { return node }
            return Self.mapping(node, at: entry.steps[...]) { collection in
                elements.mapping(collection) { element in
                    element.members == nil ? element : completed(element, by: elements.outline)
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

    /// Checks the values of settings: their types, the requirements of the fields, and the elements of collections.
    private mutating func check(_ outline: SettingsOutline, in base: ConfigPlace) {
        for entry in outline.entries {
            switch find(entry.steps, in: base, notesKeys: isMalformed) {
            case .value(let place):
                let count = problems.count
                check(entry.type, at: place)
                if let field = entry.field, problems.count == count { check(place, by: field) }
            case .nothing:
                if entry.field?.isRequired == true {
                    problems.append(
                        config.missing(ConfigPath(base.steps + entry.steps), expected: entry.typeName))
                }
            case .malformed: break
            }
        }
    }

    /// Checks the type of a value, or of each element of a collection.
    private mutating func check(_ type: Any.Type, at place: ConfigPlace) {
        if let settings = type as? any ConfigSettings.Type, place.kind == .dictionary {
            return check(SettingsElements.outline(settings), in: place)
        }
        if let collection = type as? any SettingsCollection.Type {
            switch (collection.wildcard, place.kind) {
            case (.anyIndex?, .array), (.anyKey?, .dictionary):
                if isMalformed, place.kind == .dictionary { known[place.steps] = .some(nil) }
                for element in place.children { check(collection.elementType, at: element) }
                return
            case (nil, .null): return
            case (nil, _): return check(collection.elementType, at: place)
            default: break
            }
        }
        // The type of a property that encodes itself in an unusual way is unknown.
        if isMalformed, type != Never.self, let type = type as? any Decodable.Type { _ = decode(type, at: place) }
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

    /// Finds the values whose keys the types of the settings don't know.
    private mutating func findUnknownKeys(isError: Bool) {
        let dictionaries = known.map { (ConfigPath($0.key), $0.key, $0.value) }
        for (dictionary, steps, names) in dictionaries.sorted(by: { $0.0.description < $1.0.description }) {
            guard let names, let node = config.root.descend(steps) else { continue }
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
