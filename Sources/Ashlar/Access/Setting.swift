public import AshlarAppConfig

/// A value of the current app's configuration, read at each access.
///
/// ```swift
/// struct API {
///     @Setting("api.timeout") var timeout = 24.0
///     @Setting("api.host") var host: String?
/// }
/// ```
///
/// The value is the initial one if the key is absent, the value has another type, or no app has been started. A value of
/// another type leaves a diagnostic with file and line in the configuration's `diagnostics`.
///
/// Each access finds the key in O(1). Any thread may read.
@propertyWrapper
public struct Setting<Value: ConfigConvertible & Sendable>: Sendable {
    private let key: ConfigKey<Value>

    /// Creates a setting.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - key: The path of the value in the configuration.
    ///   - isSecret: Whether no text may contain the value; see `ConfigKey`.
    public init(wrappedValue: Value, _ key: String, secret isSecret: Bool = false) {
        self.key = ConfigKey(key, default: wrappedValue, secret: isSecret)
    }

    /// The current value.
    public var wrappedValue: Value { AshlarApp.current?.config.current[key] ?? key.defaultValue }
}

extension Setting where Value: ExpressibleByNilLiteral {
    /// Creates a setting that is nil if the key is absent.
    public init(_ key: String, secret isSecret: Bool = false) { self.init(wrappedValue: nil, key, secret: isSecret) }
}
