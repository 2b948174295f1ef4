internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that a type declares, in the order of its properties.
package struct SettingsOutline {
    package struct Entry {
        package let steps: [ConfigPath.Component]
        package let typeName: String
        /// The default value; nil for an optional property without one.
        package let defaultValue: ConfigValue?
        package let isOptional: Bool
        /// Whether the value is a dictionary with arbitrary keys.
        let isDictionary: Bool
        /// The values of an enumeration.
        package let choices: [ConfigValue]
        package let field: ConfigField?

        var isRequired: Bool { field?.isRequired ?? false }
    }

    package private(set) var entries: [Entry] = []
    /// The default value of the whole type.
    let defaults: ConfigValue
    /// The paths of the dictionaries that contain entries.
    private(set) var sections: Set<[ConfigPath.Component]> = []

    /// Reads the declaration of a type.
    ///
    /// - Precondition: The type is encoded as a dictionary, and its fields refer to its properties.
    package init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath) {
        let root: EncodedValue
        do {
            root = try TreeEncoder.encode(Settings(), superKey: nil, isScalar: Self.isScalar)
        } catch {
            preconditionFailure("\(type) can't be encoded: \(error)")
        }
        defaults = Self.value(of: root) ?? .dictionary([:])
        precondition(defaults.dictionary != nil, "\(type) is not encoded as a dictionary")
        let base = path.components
        var fields = Dictionary(type.fields.map { (base + $0.path.components, $0) }) { $1 }
        add(root, base, &fields)
        precondition(fields.isEmpty, "\(type) has no property \(fields.values.map(\.path.description).sorted())")
    }

    private mutating func add(
        _ node: EncodedValue, _ steps: [ConfigPath.Component], _ fields: inout [[ConfigPath.Component]: ConfigField]
    ) {
        if case .object(let children) = node.content, !Self.isLeaf(node.type) {
            sections.insert(steps)
            for (key, child) in children { add(child, steps + [.key(key)], &fields) }
            return
        }
        let choices = (node.type as? any CaseIterable.Type).map { Self.choices($0) } ?? []
        let name = (node.type as? any ConfigConvertible.Type)?.configTypeName ?? "\(node.type)"
        entries.append(
            Entry(
                steps: steps, typeName: name, defaultValue: Self.value(of: node), isOptional: node.isOptional,
                isDictionary: node.type is any DictionaryType.Type, choices: choices,
                field: fields.removeValue(forKey: steps)))
    }

    /// Whether a type that is encoded as a dictionary has arbitrary keys instead of properties.
    private static func isLeaf(_ type: Any.Type) -> Bool { type is any DictionaryType.Type || type == ConfigValue.self }

    private static func choices<Cases: CaseIterable>(_ type: Cases.Type) -> [ConfigValue] {
        type.allCases.compactMap { value in
            guard let value = value as? any Encodable else { return nil }
            return (try? TreeEncoder.encode(value, superKey: nil, isScalar: Self.isScalar)).flatMap(Self.value)
        }
    }

    // MARK: Values

    /// Whether a value other than a Boolean, string or number is a value of a configuration.
    private static func isScalar(_ value: any Encodable) -> Bool {
        value is ConfigValue || value is Date || value is Data || value is URL || value is Duration
    }

    /// Returns an encoded value without the properties that are `nil`.
    private static func value(of node: EncodedValue) -> ConfigValue? {
        switch node.content {
        case .empty, .null: nil
        case .scalar(let value): scalar(value)
        case .array(let elements): .array(elements.map { self.value(of: $0) ?? .null })
        case .object(let members):
            .dictionary(
                Dictionary(members.compactMap { key, node in self.value(of: node).map { (key, $0) } }) { $1 })
        }
    }

    private static func scalar(_ value: any Encodable) -> ConfigValue? {
        switch value {
        case let value as ConfigValue: value
        case let value as Bool: .boolean(value)
        case let value as String: .string(value)
        case let value as Double: .real(value)
        case let value as Float: .real(Double("\(value)") ?? Double(value))
        case let value as any FixedWidthInteger:
            Int64(exactly: value).map { .integer($0) } ?? UInt64(exactly: value).map { .unsigned($0) }
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as URL: .string(value.absoluteString)
        case let value as Duration:
            value.components.attoseconds == 0
                ? .integer(value.components.seconds)
                : .real(Double(value.components.seconds) + Double(value.components.attoseconds) / 1e18)
        default: nil
        }
    }

    /// Makes the settings known to variables and arguments, and hides secret settings.
    package func declare() {
        for entry in entries {
            ConfigDeclaredKeys.add("\(ConfigPath(entry.steps))", isSecret: entry.field?.isSecret ?? false)
        }
    }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
