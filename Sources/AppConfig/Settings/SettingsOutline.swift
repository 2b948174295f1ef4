/// The settings that a type declares, in the order of its properties.
struct SettingsOutline {
    struct Entry {
        let steps: [ConfigPath.Component]
        let typeName: String
        /// The default value; nil for an optional property without one.
        let defaultValue: ConfigValue?
        let isOptional: Bool
        /// Whether the value is a dictionary with arbitrary keys.
        let isDictionary: Bool
        /// The values of an enumeration.
        let choices: [ConfigValue]
        let field: ConfigField?

        var isRequired: Bool { field?.isRequired ?? false }
    }

    private(set) var entries: [Entry] = []
    /// The default value of the whole type.
    let defaults: ConfigValue
    /// The paths of the dictionaries that contain entries.
    private(set) var sections: Set<[ConfigPath.Component]> = []

    /// Reads the declaration of a type.
    ///
    /// - Precondition: The type is encoded as a dictionary, and its fields refer to its properties.
    init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath) {
        let root = SettingsNode(type: type, codingPath: [])
        do {
            try root.encode(Settings())
        } catch {
            preconditionFailure("\(type) cannot be encoded: \(error)")
        }
        defaults = root.value ?? .dictionary([:])
        precondition(defaults.dictionary != nil, "\(type) is not encoded as a dictionary")
        let base = path.components
        var fields = Dictionary(type.fields.map { (base + $0.path.components, $0) }) { $1 }
        add(root, base, &fields)
        precondition(fields.isEmpty, "\(type) has no property \(fields.values.map(\.path.description).sorted())")
    }

    private mutating func add(
        _ node: SettingsNode, _ steps: [ConfigPath.Component], _ fields: inout [[ConfigPath.Component]: ConfigField]
    ) {
        if case .dictionary(let children) = node.contents, !Self.isLeaf(node.type) {
            sections.insert(steps)
            for child in children { add(child.node, steps + [.key(child.key)], &fields) }
            return
        }
        let choices = (node.type as? any CaseIterable.Type).map { Self.choices($0) } ?? []
        let name = (node.type as? any ConfigConvertible.Type)?.configTypeName ?? "\(node.type)"
        entries.append(
            Entry(
                steps: steps, typeName: name, defaultValue: node.value, isOptional: node.isOptional,
                isDictionary: node.type is any DictionaryType.Type, choices: choices,
                field: fields.removeValue(forKey: steps)))
    }

    /// Whether a type that is encoded as a dictionary has arbitrary keys instead of properties.
    private static func isLeaf(_ type: Any.Type) -> Bool { type is any DictionaryType.Type || type == ConfigValue.self }

    private static func choices<Cases: CaseIterable>(_ type: Cases.Type) -> [ConfigValue] {
        type.allCases.compactMap { value in
            guard let value = value as? any Encodable else { return nil }
            let node = SettingsNode(type: type, codingPath: [])
            return (try? node.encode(value)).flatMap { node.value }
        }
    }

    /// Makes the settings known to variables and arguments, and hides secret settings.
    func declare() {
        for entry in entries {
            ConfigDeclaredKeys.add("\(ConfigPath(entry.steps))", isSecret: entry.field?.isSecret ?? false)
        }
    }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
