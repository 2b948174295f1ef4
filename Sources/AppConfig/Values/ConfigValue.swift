#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A configuration value of any type that a property list or a JSON file can contain.
///
/// Values can be written as literals: `["http": ["timeout": 30, "hosts": ["a", "b"]]]`. Integers above `Int64.max` are
/// `unsigned`, all others are `integer`. A `null` in a written dictionary removes the key, so `null` is read only from
/// arrays.
public enum ConfigValue: Sendable, Hashable {
    /// `null` in JSON; as an entry of a dictionary, it removes the key.
    case null
    /// A boolean.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// A string.
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
    /// The name of the value's type in messages, such as `"integer"`.
    var kindName: String { kind.name }

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
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an array.
    public init(arrayLiteral elements: ConfigValue...) { self = .array(elements) }
    /// Creates a dictionary; for duplicate keys, the last value wins.
    public init(dictionaryLiteral elements: (String, ConfigValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
    /// Creates the value that removes a key.
    public init(nilLiteral: ()) { self = .null }
}

/// The type of a value.
package enum ConfigKind: Sendable {
    case null
    case boolean
    case integer
    case unsigned
    case real
    case string
    case date
    case data
    case array
    case dictionary

    package var name: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .unsigned: "integer"
        case .real: "real"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    package var isContainer: Bool { self == .array || self == .dictionary }
}
