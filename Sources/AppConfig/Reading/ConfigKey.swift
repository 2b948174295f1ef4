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
    package let defaultValue: Value
    let isSecret: Bool

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
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        ConfigDeclaredKeys.add(name, Value.self, isSecret: isSecret)
    }
}

extension ConfigKey: CustomReflectable {
    /// The name and default value; the default value of a secret key is `<redacted>`.
    public var customMirror: Mirror {
        let value: Any = isSecret ? ConfigDescription.redacted : defaultValue
        return Mirror(self, children: ["name": name, "defaultValue": value], displayStyle: .struct)
    }
}
