public import AshlarAppConfig
internal import AshlarCore

/// The reference documentation of settings.
///
/// Default values of secret settings, and credentials inside texts, aren't printed.
public struct ConfigReference: Sendable, CustomReflectable {
    private struct Row: Sendable {
        /// The path, with `[]` for an element of an array and `*` for an arbitrary key.
        let label: String
        let typeName: String
        let defaultValue: ConfigValue?
        let isOptional: Bool
        let choices: [ConfigValue]
        let field: ConfigField?
        let isSecret: Bool
    }

    private let rows: [Row]
    private let schema: [String: ConfigValue]

    /// Creates the reference of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the settings.
    ///   - path: The path of the section with the settings; by default the root.
    public init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath = .root) {
        let outline = SettingsOutline(type, at: path)
        rows = Self.rows(of: outline, below: "", depth: 4)
        var schema = ConfigSchemaWriter.section(outline)
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = .string("\(type)")
        // Keys with dots are sections of bundle identifiers.
        schema["patternProperties"] = ["^\\$|\\.": [:]]
        self.schema = schema
    }

    private static func rows(of outline: SettingsOutline, below prefix: String, depth: Int) -> [Row] {
        outline.entries.flatMap { entry -> [Row] in
            let path = ConfigPath(entry.steps)
            let label = prefix.isEmpty ? "\(path)" : "\(prefix).\(path)"
            let row = Row(
                label: label, typeName: entry.typeName, defaultValue: entry.defaultValue,
                isOptional: entry.isOptional, choices: entry.choices, field: entry.field,
                isSecret: entry.field?.isSecret == true || ConfigSecrets.standard.isSecret(path))
            guard depth > 0, let elements = entry.elements else { return [row] }
            let element = elements.steps.reduce(label) { $1 == .anyIndex ? "\($0)[]" : "\($0).*" }
            return [row] + rows(of: elements.outline, below: element, depth: depth - 1)
        }
    }

    /// A table in Markdown: key, type, default, and description of each setting.
    ///
    /// The key of a setting in an element is written `servers[].port`, and below an arbitrary key `limits.*.port`.
    public var markdown: String {
        ConfigKeyTable.markdown(
            rows.map { row in
                var notes = [row.field?.summary ?? ""]
                if let expected = row.field?.expected, row.field?.choices.isEmpty == true {
                    notes.append("Expected: \(expected).")
                }
                if !row.choices.isEmpty, !row.typeName.contains("(") {
                    notes.append("One of \(row.choices.map(ConfigKeyTable.text).joined(separator: ", ")).")
                }
                if row.isSecret { notes.append("Secret.") }
                let value = row.isSecret ? "" : row.defaultValue.map { "`\(ConfigKeyTable.text($0))`" } ?? ""
                return [
                    "`\(row.label)`", row.typeName + (row.isOptional ? "?" : ""),
                    row.field?.isRequired == true ? "required" : value,
                    notes.filter { !$0.isEmpty }.joined(separator: " "),
                ]
            })
    }

    /// The settings without secret default values.
    public var customMirror: Mirror { Mirror(self, children: ["markdown": markdown], displayStyle: .struct) }

    /// A JSON schema (draft 2020-12), with which editors and ``ConfigFileSchema`` check files.
    ///
    /// Structures permit no keys except those of their properties, directives that begin with `$`, and in the root, keys
    /// with dots. Arrays and dictionaries have the schema of their elements.
    public var jsonSchema: String { JSONWriter(isPretty: true).text(.dictionary(schema)) + "\n" }
}

/// A table of settings in Markdown.
enum ConfigKeyTable {
    static func markdown(_ rows: [[String]]) -> String {
        let lines = rows.map { "| " + $0.map(escaped).joined(separator: " | ") + " |" }
        return (["| key | type | default | description |", "|---|---|---|---|"] + lines).joined(separator: "\n") + "\n"
    }

    private static func escaped(_ cell: String) -> String {
        String(cell.flatMap { $0 == "|" ? ["\\", "|"] : $0.isNewline ? [" "] : [$0] })
    }

    static func text(_ value: ConfigValue) -> String { JSONWriter(isPretty: false).text(redacted(value)) }

    /// The value without credentials inside texts.
    static func redacted(_ value: ConfigValue) -> ConfigValue {
        switch value {
        case .string(let text): .string(SecretText.redacted(text))
        case .array(let elements): .array(elements.map(redacted))
        case .dictionary(let entries): .dictionary(entries.mapValues(redacted))
        default: value
        }
    }
}
