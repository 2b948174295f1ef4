#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One configuration value of any kind a property list or a JSON file can hold.
///
/// Values are written as literals: `["http": ["timeout": 30, "hosts": ["a", "b"]]]`. Whole numbers above `Int64.max`
/// keep their value as `unsigned`; everything else that is whole is an `integer`. As a *written* value, `null` removes
/// the key; it is read back only from inside arrays.
public enum ConfigValue: Sendable, Hashable {
    /// The value JSON writes as `null`; as an entry of a dictionary it removes the key.
    case null
    /// A boolean.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case string(String)
    /// A date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An ordered list of values.
    case array([ConfigValue])
    /// Values by key.
    case dictionary([String: ConfigValue])
}

extension ConfigValue {
    /// The name of the value's kind as messages print it, such as `"integer"`.
    public var kindName: String { kind.name }

    var kind: ConfigKind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer: .integer
        case .unsigned: .unsigned
        case .real: .real
        case .string: .string
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// The entries, if the value is a dictionary.
    public var dictionary: [String: ConfigValue]? {
        if case .dictionary(let entries) = self { entries } else { nil }
    }

    /// The elements, if the value is an array.
    public var array: [ConfigValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension ConfigValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an array.
    public init(arrayLiteral elements: ConfigValue...) { self = .array(elements) }
    /// Creates a dictionary; of two equal keys the later wins.
    public init(dictionaryLiteral elements: (String, ConfigValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
    /// Creates the value that removes a key.
    public init(nilLiteral: ()) { self = .null }
}
