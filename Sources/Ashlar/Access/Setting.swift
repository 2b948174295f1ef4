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
/// The value is the initial one if the key is absent, the value has another type, or no app has been started. A value
/// of another type isn't reported. To get an error with file and line, call `get(_:as:)` or bind a structure.
///
/// Each access looks up the key, in O(1). Any thread can read the value.
@propertyWrapper
public struct Setting<Value: ConfigConvertible & Sendable>: Sendable {
    private let path: ConfigPath
    private let initial: Value

    /// Creates a setting with the path of its value.
    public init(wrappedValue: Value, _ path: ConfigPath) { (self.path, initial) = (path, wrappedValue) }

    /// The current value.
    public var wrappedValue: Value { (try? AshlarApp.current?.config.current.get(path, as: Value.self)) ?? initial }
}

extension Setting where Value: ExpressibleByNilLiteral {
    /// Creates a setting that is nil if the key is absent.
    public init(_ path: ConfigPath) { self.init(wrappedValue: nil, path) }
}
