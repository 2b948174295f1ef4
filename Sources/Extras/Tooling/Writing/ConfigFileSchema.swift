public import AshlarAppConfig
internal import AshlarCore

/// A JSON schema of configuration files, as ``ConfigReference/jsonSchema`` writes it.
///
/// The tool `ashlar config check` has no settings of the app's type, so it reads their schema from a file. Of JSON Schema's
/// keywords, `type`, `enum`, `minimum`, `maximum`, `properties`, `required`, `additionalProperties`, `patternProperties` with
/// patterns of the reference, `items`, `default`, `description`, and `writeOnly` are read; others are ignored.
public struct ConfigFileSchema: Sendable {
    private let root: [String: ConfigValue]

    init(root: [String: ConfigValue]) { self.root = root }

    /// Reads a schema.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text.
    ///   - file: The path of the file in errors.
    /// - Throws: `ConfigError` if the text is malformed.
    public init(_ bytes: [UInt8], file: String) throws(ConfigError) {
        let name = file.hasSuffix(".json") ? String(file.dropLast(5)) : file
        var plan = ConfigPlan(files: .memory(["\(name).json": bytes]), environments: [])
        plan.name = name
        plan.readsDirectives = false
        plan.requiresBase = true
        plan.literalLayers = [.base]
        root = try ApplicationConfig.load(plan).values
    }

    // MARK: Checking

    /// Returns the problems of a configuration: unknown and missing keys, and values of other types, out of range, or not
    /// among the choices.
    ///
    /// Values are read by the configuration's rules, so a text such as `"30"` is an integer.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func problems(in config: ApplicationConfig) -> [ConfigError] {
        var problems: [ConfigError] = []
        if let place = config.locate(.root) { check(place, by: root, in: config, &problems) }
        return problems
    }

    private func check(
        _ place: ConfigPlace, by schema: [String: ConfigValue], in config: ApplicationConfig,
        _ problems: inout [ConfigError]
    ) {
        if let expected = mismatch(place, schema) {
            var problem = config.mismatch(place, place.path, expected)
            if let choices = schema["enum"]?.array, !place.isSecret {
                problem.hint = ConfigChoices.hint(for: place.value, among: choices)
            }
            problems.append(problem)
            return
        }
        switch place.kind {
        case .array:
            guard let items = schema["items"]?.dictionary else { return }
            for element in place.children { check(element, by: items, in: config, &problems) }
        case .dictionary: checkEntries(of: place, by: schema, in: config, &problems)
        default: break
        }
    }

    private func checkEntries(
        of place: ConfigPlace, by schema: [String: ConfigValue], in config: ApplicationConfig,
        _ problems: inout [ConfigError]
    ) {
        let properties = schema["properties"]?.dictionary ?? [:]
        let isRoot = place.path == .root
        for entry in place.children {
            if let known = properties[entry.key]?.dictionary {
                check(entry, by: known, in: config, &problems)
            } else if case .dictionary(let other)? = schema["additionalProperties"] {
                check(entry, by: other, in: config, &problems)
            } else if schema["additionalProperties"] == false, !(isRoot && entry.key.contains(".")) {
                let nearest = NearestName.find(entry.key, among: properties.keys.sorted())
                problems.append(
                    ConfigError(
                        .unknownKey, key: entry.path, location: entry.location, reason: "no such key is known",
                        hint: nearest.map { "did you mean \(place.path.appending($0))?" }))
            }
        }
        let keys = Set(place.children.map(\.key))
        for case .string(let key) in schema["required"]?.array ?? [] where !keys.contains(key) {
            problems.append(
                ConfigError(
                    .missingKey, key: place.path.appending(key), location: isRoot ? nil : place.location,
                    expected: "a value", found: "nothing"))
        }
    }

    /// Returns the expectation that a value doesn't meet.
    private func mismatch(_ place: ConfigPlace, _ schema: [String: ConfigValue]) -> String? {
        let types = schema["type"].map { $0.array ?? [$0] } ?? []
        let names = types.compactMap { if case .string(let name) = $0 { name } else { nil } }
        if !names.isEmpty, !names.contains(where: { isType($0, place) }) { return names.joined(separator: " or ") }
        if let choices = schema["enum"]?.array {
            let text = place.read(as: String.self)
            let isChoice = choices.contains { choice in
                choice == place.value || text != nil && String(configValue: choice, coercion: .standard) == text
            }
            if !isChoice { return ConfigChoices.expected(choices) }
        }
        guard let number = place.read(as: Double.self) else { return nil }
        let least = schema["minimum"].flatMap { Double(configValue: $0, coercion: .standard) }
        let greatest = schema["maximum"].flatMap { Double(configValue: $0, coercion: .standard) }
        if number >= least ?? number, number <= greatest ?? number { return nil }
        return ConfigFileSchema.range(schema)
    }

    private func isType(_ name: String, _ place: ConfigPlace) -> Bool {
        switch name {
        case "boolean": place.read(as: Bool.self) != nil
        case "integer": place.read(as: Int64.self) != nil || place.read(as: UInt64.self) != nil
        case "number": place.read(as: Double.self) != nil
        case "string": !place.kind.isContainer && place.kind != .null
        case "array": place.kind == .array
        case "object": place.kind == .dictionary
        case "null": place.kind == .null
        default: true
        }
    }

    private static func range(_ schema: [String: ConfigValue]) -> String? {
        func text(_ key: String) -> String? { schema[key].flatMap { String(configValue: $0, coercion: .standard) } }
        switch (text("minimum"), text("maximum")) {
        case (let least?, let greatest?): return "\(least) to \(greatest)"
        case (let least?, nil): return "at least \(least)"
        case (nil, let greatest?): return "at most \(greatest)"
        case (nil, nil): return nil
        }
    }

    // MARK: Documentation

    /// A table in Markdown: key, type, default, and description with range and choices, sorted by key.
    public var markdown: String {
        var rows: [[String]] = []
        addRows(of: root, label: "", isRequired: false, to: &rows)
        return ConfigKeyTable.markdown(rows)
    }

    private func addRows(
        of schema: [String: ConfigValue], label: String, isRequired: Bool, to rows: inout [[String]]
    ) {
        let properties = schema["properties"]?.dictionary
        if properties == nil {
            let items = schema["items"]?.dictionary
            func string(_ name: String) -> String? { if case .string(let text)? = schema[name] { text } else { nil } }
            let type = string("$documentedType") ?? Self.typeName(schema)
            var notes: [String] = []
            if let summary = string("description") { notes.append(summary) }
            if let expected = string("$documentedLimit") ?? Self.range(schema) ?? items.flatMap(Self.range) {
                notes.append("Expected: \(expected).")
            }
            // The name of a type can contain the choices.
            if let choices = (schema["enum"] ?? items?["enum"])?.array, !type.contains("(") {
                notes.append("One of \(choices.map(ConfigKeyTable.text).joined(separator: ", ")).")
            }
            if schema["writeOnly"] == true { notes.append("Secret.") }
            let value = schema["default"].map { "`\(ConfigKeyTable.text($0))`" } ?? ""
            rows.append([
                "`\(label)`", type, isRequired ? "required" : value, notes.joined(separator: " "),
            ])
        }
        let required = schema["required"]?.array ?? []
        func order(_ schema: [String: ConfigValue]) -> Int64 {
            if case .integer(let number)? = schema["$documentedOrder"] { number } else { 0 }
        }
        let entries = (properties ?? [:]).compactMapValues(\.dictionary)
        for (key, entry) in entries.sorted(by: { (order($0.value), $0.key) < (order($1.value), $1.key) }) {
            let path = ConfigPath(components: [key])
            addRows(
                of: entry, label: label.isEmpty ? "\(path)" : "\(label).\(path)",
                isRequired: required.contains(.string(key)), to: &rows)
        }
        addElements(of: schema, label: label, to: &rows)
    }

    /// Adds rows for the elements of a collection, if they are objects, and of the collections in it.
    private func addElements(of schema: [String: ConfigValue], label: String, to rows: inout [[String]]) {
        for (name, suffix) in [("items", "[]"), ("additionalProperties", ".*")] {
            guard let elements = schema[name]?.dictionary else { continue }
            if elements["properties"] != nil {
                addRows(of: elements, label: label + suffix, isRequired: false, to: &rows)
            } else {
                addElements(of: elements, label: label + suffix, to: &rows)
            }
        }
    }

    private static func typeName(_ schema: [String: ConfigValue]) -> String {
        guard case .string(let name)? = schema["type"] else { return "" }
        switch name {
        case "array": return "[\(schema["items"]?.dictionary.map(typeName) ?? "")]"
        case "object": return schema["additionalProperties"]?.dictionary.map { "[string: \(typeName($0))]" } ?? name
        default: return name
        }
    }
}
