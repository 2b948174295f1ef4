/// A key with its type and default value.
///
/// Create keys once, as static constants: the names of all keys are known to variables and arguments from their
/// creation to the end of the process.
///
/// ```swift
/// enum Settings {
///     static let timeout = ConfigKey("http.timeout", default: 30)
///     static let token = ConfigKey("api.token", default: "", secret: true)
/// }
///
/// let config = ApplicationConfig(["http": ["timeout": 15]])
/// let timeout = config[Settings.timeout]  // 15
/// ```
public struct ConfigKey<Value: ConfigConvertible & Sendable>: Sendable {
    /// The key as written.
    package let name: String
    /// The value if the entry is missing or malformed.
    package var defaultValue: Value { fallback.value }
    var isSecret: Bool { fallback.isSecret }
    private let fallback: ConfigKeyDefault<Value>

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The key or path.
    ///   - defaultValue: The value if the entry is missing or malformed.
    ///   - isSecret: Whether the value, and every value that is built from it, is never printed by any configuration of
    ///     the process. This applies from the creation of the key. Static constants are created on first use. If values
    ///     may be printed before, use ``ConfigSecrets`` or ``ConfigPlan/declare(_:at:)``.
    public init(_ name: String, default defaultValue: Value, secret isSecret: Bool = false) {
        self.name = name
        fallback = ConfigKeyDefault(value: defaultValue, isSecret: isSecret)
        ConfigDeclaredKeys.add(name, Value.self, isSecret: isSecret)
    }
}

/// The default value of a key, whose mirror contains no secret.
private struct ConfigKeyDefault<Value: Sendable>: Sendable, CustomReflectable {
    let value: Value
    let isSecret: Bool

    var customMirror: Mirror { Mirror(self, children: ["value": isSecret ? ConfigDescription.redacted : value as Any]) }
}
