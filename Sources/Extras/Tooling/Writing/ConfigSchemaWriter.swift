import AshlarAppConfig
import AshlarCore

/// Writes the declaration of settings as a JSON schema.
///
/// The members that begin with `$documented`, such as the Swift type of a setting, are for documentation only.
enum ConfigSchemaWriter {
    /// A type that contains itself ends at this depth.
    private static let maximumDepth = 4

    /// Returns the schema of settings, in which each section is an object.
    static func section(_ outline: SettingsOutline, depth: Int = maximumDepth) -> [String: ConfigValue] {
        section(outline.entries[...], at: 0, depth)
    }

    private static func section(
        _ entries: ArraySlice<SettingsOutline.Entry>, at level: Int, _ depth: Int
    ) -> [String: ConfigValue] {
        var properties: [String: ConfigValue] = [:]
        var required: [ConfigValue] = []
        for (key, numbers) in Dictionary(grouping: entries.indices, by: { entries[$0].steps[level].key ?? "" }) {
            let entry = entries[numbers[0]]
            let isSetting = entry.steps.count == level + 1
            if isSetting, entry.field?.isRequired == true { required.append(.string(key)) }
            var property =
                isSetting ? schema(of: entry, depth) : section(numbers.map { entries[$0] }[...], at: level + 1, depth)
            property["$documentedOrder"] = .integer(Int64(numbers[0]))
            properties[key] = .dictionary(property)
        }
        var schema: [String: ConfigValue] = [
            "type": "object", "properties": .dictionary(properties), "additionalProperties": false,
            // Directives, such as `$replace`.
            "patternProperties": ["^\\$": [:]],
        ]
        if !required.isEmpty { schema["required"] = .array(required.sorted { "\($0)" < "\($1)" }) }
        return schema
    }

    private static func schema(of entry: SettingsOutline.Entry, _ depth: Int) -> [String: ConfigValue] {
        var schema = schema(of: entry.type, entry.defaultValue, depth)
        let isSecret = entry.field?.isSecret == true || ConfigSecrets.standard.isSecret(ConfigPath(entry.steps))
        var limits: [String: ConfigValue] = [:]
        if !entry.choices.isEmpty { limits["enum"] = .array(entry.choices) }
        if let bounds = entry.field?.bounds {
            limits["minimum"] = number(bounds.least)
            limits["maximum"] = number(bounds.greatest)
        }
        // The limits of an array are those of its elements.
        if case .dictionary(var items)? = schema["items"] {
            items.merge(limits) { $1 }
            schema["items"] = .dictionary(items)
        } else {
            schema.merge(limits) { $1 }
        }
        if let summary = entry.field?.summary, !summary.isEmpty { schema["description"] = .string(summary) }
        if let value = entry.defaultValue, !isSecret, entry.field?.isRequired != true {
            schema["default"] = ConfigKeyTable.redacted(value)
        }
        if isSecret { schema["writeOnly"] = true }
        schema["$documentedType"] = .string(entry.typeName + (entry.isOptional ? "?" : ""))
        if let expected = entry.field?.expected, entry.field?.choices.isEmpty == true {
            schema["$documentedLimit"] = .string(expected)
        }
        return schema
    }

    /// Returns a schema without the members for documentation.
    static func published(_ schema: [String: ConfigValue]) -> [String: ConfigValue] {
        schema.filter { !$0.key.hasPrefix("$documented") }.mapValues {
            $0.dictionary.map { .dictionary(published($0)) } ?? $0
        }
    }

    /// Returns the schema of a type; a default value tells the type that a structure is encoded as.
    private static func schema(of type: Any.Type, _ value: ConfigValue?, _ depth: Int) -> [String: ConfigValue] {
        if let collection = type as? any SettingsCollection.Type, let wildcard = collection.wildcard {
            let element = ConfigValue.dictionary(schema(of: collection.elementType, nil, depth))
            return wildcard == .anyIndex
                ? ["type": "array", "items": element] : ["type": "object", "additionalProperties": element]
        }
        if let optional = type as? any SettingsCollection.Type { return schema(of: optional.elementType, value, depth) }
        if let settings = type as? any ConfigSettings.Type {
            func outline<Settings: ConfigSettings>(_ type: Settings.Type) -> SettingsOutline {
                SettingsOutline(type, at: .root)
            }
            return depth > 0 ? section(outline(settings), depth: depth - 1) : ["type": "object"]
        }
        var schema: [String: ConfigValue] = [:]
        let choices = ConfigChoices.values(of: type)
        if !choices.isEmpty { schema["enum"] = .array(choices) }
        if let name = name(of: type, value ?? choices.first) { schema["type"] = .string(name) }
        return schema
    }

    private static func number(_ text: String) -> ConfigValue {
        Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
    }

    private static func name(of type: Any.Type, _ value: ConfigValue?) -> String? {
        // A duration is a number or a string with a unit.
        if type == Duration.self { return nil }
        switch value {
        case .boolean?: return "boolean"
        case .integer?, .unsigned?: return "integer"
        case .real?: return "number"
        case .string?, .date?, .data?: return "string"
        case .array?: return "array"
        case .dictionary?: return "object"
        case .null?, nil: break
        }
        switch type {
        case is Bool.Type: return "boolean"
        case is any FixedWidthInteger.Type: return "integer"
        case is any BinaryFloatingPoint.Type: return "number"
        case is ConfigValue.Type: return nil
        case is any ConfigConvertible.Type: return "string"
        default: return nil
        }
    }
}
