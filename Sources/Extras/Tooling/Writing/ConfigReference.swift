public import AshlarAppConfig
internal import AshlarCore

/// The reference documentation of settings.
///
/// Default values of secret settings, and credentials inside URLs, aren't printed.
public struct ConfigReference: Sendable, CustomReflectable {
    private struct Row: Sendable {
        let path: ConfigPath
        let steps: [ConfigPath.Component]
        let typeName: String
        let defaultValue: ConfigValue?
        let isOptional: Bool
        let choices: [ConfigValue]
        let field: ConfigField?
        let isSecret: Bool
    }

    private let rows: [Row]
    private let title: String

    /// Creates the reference of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the settings.
    ///   - path: The path of the section with the settings; by default the root.
    public init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath = .root) {
        let outline = SettingsOutline(type, at: path)
        title = "\(type)"
        rows = outline.entries.map { entry in
            let path = ConfigPath(entry.steps)
            return Row(
                path: path, steps: entry.steps, typeName: entry.typeName, defaultValue: entry.defaultValue,
                isOptional: entry.isOptional, choices: entry.choices, field: entry.field,
                isSecret: entry.field?.isSecret == true || ConfigSecrets.standard.isSecret(path))
        }
    }

    /// A table in Markdown: key, type, default, and description of each setting.
    public var markdown: String {
        var lines = ["| key | type | default | description |", "|---|---|---|---|"]
        for row in rows {
            let type = row.typeName + (row.isOptional ? "?" : "")
            var notes = [row.field?.summary ?? ""]
            if let expected = row.field?.expected { notes.append("Expected: \(expected).") }
            if !row.choices.isEmpty, !row.typeName.contains("(") {
                notes.append("One of \(row.choices.map(Self.text).joined(separator: ", ")).")
            }
            if row.isSecret { notes.append("Secret.") }
            let value = row.isSecret ? "" : row.defaultValue.map { "`\(Self.text($0))`" } ?? ""
            let cells = [
                "`\(row.path)`", type, row.field?.isRequired == true ? "required" : value,
                notes.filter { !$0.isEmpty }.joined(separator: " "),
            ]
            lines.append("| " + cells.map(Self.escaped).joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The settings without secret default values.
    public var customMirror: Mirror { Mirror(self, children: ["markdown": markdown], displayStyle: .struct) }

    private static func escaped(_ cell: String) -> String {
        String(cell.flatMap { $0 == "|" ? ["\\", "|"] : $0.isNewline ? [" "] : [$0] })
    }

    private static func text(_ value: ConfigValue) -> String { JSONWriter(isPretty: false).text(redacted(value)) }

    /// The value without credentials inside URLs.
    private static func redacted(_ value: ConfigValue) -> ConfigValue {
        switch value {
        case .string(let text): .string(SecretText.redacted(text))
        case .array(let elements): .array(elements.map(redacted))
        case .dictionary(let entries): .dictionary(entries.mapValues(redacted))
        default: value
        }
    }

    /// A JSON schema (draft 2020-12), with which editors check and complete files.
    public var jsonSchema: String {
        var schema = section(at: 0, rows)
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = .string(title)
        return JSONWriter(isPretty: true).text(.dictionary(schema)) + "\n"
    }

    private func section(at depth: Int, _ rows: [Row]) -> [String: ConfigValue] {
        var properties: [String: ConfigValue] = [:]
        var required: [ConfigValue] = []
        for (key, rows) in Dictionary(grouping: rows, by: { $0.steps[depth].key ?? "" }).sorted(by: { $0.key < $1.key })
        {
            if let row = rows.first, row.steps.count == depth + 1 {
                properties[key] = .dictionary(schema(of: row))
                if row.field?.isRequired == true { required.append(.string(key)) }
            } else {
                properties[key] = .dictionary(section(at: depth + 1, rows))
            }
        }
        var schema: [String: ConfigValue] = ["type": "object", "properties": .dictionary(properties)]
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    private func schema(of row: Row) -> [String: ConfigValue] {
        var schema: [String: ConfigValue] = [:]
        if let type = Self.schemaType(of: row.typeName, row.defaultValue) { schema["type"] = .string(type) }
        if !row.choices.isEmpty { schema["enum"] = .array(row.choices) }
        if let summary = row.field?.summary, !summary.isEmpty { schema["description"] = .string(summary) }
        if let value = row.defaultValue, !row.isSecret, row.field?.isRequired != true {
            schema["default"] = Self.redacted(value)
        }
        if let bounds = row.field?.bounds {
            schema["minimum"] = Self.number(bounds.least)
            schema["maximum"] = Self.number(bounds.greatest)
        }
        if row.isSecret { schema["writeOnly"] = true }
        return schema
    }

    private static func number(_ text: String) -> ConfigValue {
        Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
    }

    private static func schemaType(of typeName: String, _ value: ConfigValue?) -> String? {
        // A duration is a number or a string with a unit.
        if typeName == "Duration" { return nil }
        switch value {
        case .boolean?: return "boolean"
        case .integer?, .unsigned?: return "integer"
        case .real?: return "number"
        case .string?, .date?, .data?: return "string"
        case .array?: return "array"
        case .dictionary?: return "object"
        case .null?, nil: break
        }
        switch typeName {
        case "Bool": return "boolean"
        case "String", "URL", "Date", "Data": return "string"
        case "Double", "Float": return "number"
        case _ where typeName.hasPrefix("Int") || typeName.hasPrefix("UInt"): return "integer"
        case _ where typeName.hasPrefix("[String:") || typeName.hasPrefix("Dictionary"): return "object"
        case _ where typeName.hasPrefix("[") || typeName.hasPrefix("Array"): return "array"
        default: return nil
        }
    }
}
