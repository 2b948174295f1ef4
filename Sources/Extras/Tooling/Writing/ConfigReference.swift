public import AshlarAppConfig
internal import AshlarCore

/// The reference documentation of settings.
///
/// Default values of secret settings, and credentials inside texts, aren't printed.
public struct ConfigReference: Sendable, CustomReflectable {
    private let schema: [String: ConfigValue]
    private let title: String

    /// Creates the reference of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the settings.
    ///   - path: The path of the section with the settings; by default the root.
    public init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath = .root) {
        schema = ConfigSchemaWriter.section(SettingsOutline(type, at: path))
        title = "\(type)"
    }

    /// A table in Markdown: key, type, default, and description of each setting.
    ///
    /// The key of a setting in an element is written `servers[].port`, and below an arbitrary key `limits.*.port`.
    public var markdown: String { ConfigFileSchema(root: schema).markdown }

    /// The settings without secret default values.
    public var customMirror: Mirror { Mirror(self, children: ["markdown": markdown], displayStyle: .struct) }

    /// A JSON schema (draft 2020-12), with which editors and ``ConfigFileSchema`` check files.
    ///
    /// Structures permit no keys except those of their properties, directives that begin with `$`, and in the root, keys
    /// with dots. Arrays and dictionaries have the schema of their elements.
    public var jsonSchema: String {
        var schema = ConfigSchemaWriter.published(schema)
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = .string(title)
        // Keys with dots are sections of bundle identifiers.
        schema["patternProperties"] = ["^\\$|\\.": [:]]
        return JSONWriter(isPretty: true).text(.dictionary(schema)) + "\n"
    }
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
