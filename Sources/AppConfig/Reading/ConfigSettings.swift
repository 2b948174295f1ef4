/// A structure that declares settings: their keys, types, default values, ranges, and secrecy.
///
/// The keys are the structure's coding keys, and the default values are those of `Self()`. Optional properties can be
/// missing. Nested structures are sections. If a section, or the element of an array or a dictionary, has a type that
/// itself conforms to this protocol, its `fields` apply, and values that an element lacks are those of the element's
/// `init()`.
///
/// ```swift
/// struct Settings: ConfigSettings {
///     struct HTTP: Codable, Equatable {
///         var timeout = 30
///         var host = "example.org"
///     }
///     var http = HTTP()
///     var token = ""
///
///     static let fields = [
///         ConfigField("http.timeout", in: 1...120),
///         ConfigField("token", isRequired: true, isSecret: true),
///     ]
/// }
///
/// let config = ApplicationConfig(["http": ["timeout": 15], "token": "t"])
/// let settings = try config.bind(Settings.self)
/// print(settings.http.timeout, settings.http.host)  // 15 example.org
/// ```
public protocol ConfigSettings: Codable, Equatable, Sendable {
    /// Creates settings with their default values.
    init()

    /// The ranges and secrecy of the settings; empty by default.
    static var fields: [ConfigField] { get }
}

extension ConfigSettings {
    /// No further requirements.
    public static var fields: [ConfigField] { [] }
}

/// The requirements of a setting.
public struct ConfigField: Sendable {
    /// The path of the setting within the structure.
    let path: ConfigPath
    /// Whether a source must have a value; otherwise the default applies.
    let isRequired: Bool
    /// Whether the value is never printed.
    let isSecret: Bool
    /// The requirement as text.
    private(set) var expected: String?
    /// The permitted values, if they are listed.
    private(set) var choices: [ConfigValue] = []
    /// Returns whether a value satisfies the requirement; nil for a value of another type.
    private(set) var isRight: (@Sendable (ConfigValue, ConfigCoercion) -> Bool?)?

    /// Creates a field whose value, or each of whose elements, is one of some texts; by default, any value.
    ///
    /// The error of another text lists the choices and suggests the nearest one. For an enumeration that conforms to
    /// `CaseIterable`, the cases are the choices without a field.
    public init(_ path: ConfigPath, oneOf choices: [String] = [], isRequired: Bool = false, isSecret: Bool = false) {
        self.path = path
        self.isRequired = isRequired
        self.isSecret = isSecret
        if choices.isEmpty { return }
        self.choices = choices.map { ConfigValue.string($0) }
        expected = ConfigChoices.expected(self.choices)
        isRight = { value, coercion in String(configValue: value, coercion: coercion).map { choices.contains($0) } }
    }

    /// Creates a field whose value, or each of whose elements, is in a range.
    public init<Value: ConfigConvertible & Comparable & Sendable>(
        _ path: ConfigPath, in range: ClosedRange<Value>, isRequired: Bool = false, isSecret: Bool = false
    ) {
        let expected = "\(range.lowerBound) to \(range.upperBound)"
        self.init(path, expected: expected, isRequired: isRequired, isSecret: isSecret) { range.contains($0) }
    }

    /// Creates a field whose value passes a test, which `expected` describes.
    ///
    /// If the setting is an array or a dictionary and `Value` is the type of its elements, each element must pass.
    public init<Value: ConfigConvertible & Sendable>(
        _ path: ConfigPath, expected: String, isRequired: Bool = false, isSecret: Bool = false,
        _ isRight: @escaping @Sendable (Value) -> Bool
    ) {
        self.init(path, isRequired: isRequired, isSecret: isSecret)
        self.expected = expected
        self.isRight = { value, coercion in Value(configValue: value, coercion: coercion).map(isRight) }
    }
}

/// The treatment of values that settings do not declare.
public enum ConfigUnknownKeys: Sendable {
    /// The value is permitted.
    case allowed
    /// The value is permitted, and a diagnostic is added to `diagnostics`.
    case reported
    /// The value is a problem, unless it is in a bundle identifier's section: a dictionary whose root key contains a dot.
    case refused
}
