internal import AshlarCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that configuration values can be converted to.
///
/// The library's conforming types are `Bool`, all integers, `Float`, `Double`, `String`, `Date`, `Data`, `URL`,
/// `Duration`, ``ConfigValue``, and arrays and dictionaries of such types. An enumeration with a raw value of such a
/// type only needs to declare the conformance:
///
/// ```swift
/// enum Stage: String, ConfigConvertible { case production, staging }
///
/// let config = ApplicationConfig(["stage": "staging"])
/// let stage = try config.get("stage", as: Stage.self)
/// ```
public protocol ConfigConvertible {
    /// The name of the expected type in messages.
    static var configTypeName: String { get }

    /// Converts a configuration value; returns nil if the rules don't permit it.
    init?(configValue value: ConfigValue, coercion: ConfigCoercion)
}

extension ConfigConvertible {
    /// The name of the type.
    public static var configTypeName: String { "\(Self.self)" }
}

extension ConfigConvertible where Self: RawRepresentable, RawValue: ConfigConvertible {
    /// Creates the case with this raw value.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let raw = RawValue(configValue: value, coercion: coercion) else { return nil }
        self.init(rawValue: raw)
    }
}

extension ConfigConvertible where Self: RawRepresentable & CaseIterable, RawValue: ConfigConvertible {
    /// The name of the type with all its raw values.
    public static var configTypeName: String {
        "\(Self.self) (\(allCases.map { "\($0.rawValue)" }.joined(separator: ", ")))"
    }
}

extension ConfigValue: ConfigConvertible {
    /// Creates a copy of the value.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) { self = value }
}

extension Date: ConfigConvertible {
    /// Reads a date or, unless the rules are strict, a string in ISO 8601 such as `2026-11-20T13:00:00Z`.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        switch value {
        case .date(let date): self = date
        case .string(let text) where coercion.kind != .strict:
            guard let seconds = RFC3339.parse(text.utf8, allowsDateOnly: true)?.secondsSince2001 else { return nil }
            self.init(timeIntervalSinceReferenceDate: seconds)
        default: return nil
        }
    }
}

extension Data: ConfigConvertible {
    /// Reads data or, unless the rules are strict, a string in Base64.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        switch value {
        case .data(let data): self = data
        case .string(let text) where coercion.kind != .strict:
            guard let bytes = Base64.decode(text.utf8, ignoringWhitespace: true) else { return nil }
            self.init(bytes)
        default: return nil
        }
    }
}

extension URL: ConfigConvertible {
    /// Reads a string that is a URL.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard case .string(let text) = value, !text.isEmpty, !text.utf8.contains(where: { $0 <= UInt8(ascii: " ") })
        else {
            return nil
        }
        self.init(string: text)
    }
}

extension Duration: ConfigConvertible {
    /// Reads a number of seconds, or a string with a number and a unit: `250ms`, `30s`, `1.5m`, `2h`, `7d`, `us`, `ns`.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        if case .string(let text) = value, let duration = ConfigUnits.duration(text), coercion.kind != .strict {
            self = duration
            return
        }
        switch value {
        case .integer(let seconds): self = .seconds(seconds)
        case .unsigned, .real, .string:
            guard let seconds = coercion.double(value), seconds.isFinite, abs(seconds) < 9e15 else { return nil }
            // Without the error of a binary fraction.
            self = ConfigUnits.duration("\(seconds)") ?? .seconds(seconds)
        default: return nil
        }
    }
}

extension Array: ConfigConvertible where Element: ConfigConvertible {
    /// The element's name in brackets.
    public static var configTypeName: String { "[\(Element.configTypeName)]" }

    /// Reads an array if all of its elements can be read.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard case .array(let elements) = value else { return nil }
        self.init()
        reserveCapacity(elements.count)
        for element in elements {
            guard let element = Element(configValue: element, coercion: coercion) else { return nil }
            append(element)
        }
    }
}

extension Dictionary: ConfigConvertible where Key == String, Value: ConfigConvertible {
    /// The name of a dictionary with string keys.
    public static var configTypeName: String { "[String: \(Value.configTypeName)]" }

    /// Reads a dictionary if all of its values can be read.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard case .dictionary(let entries) = value else { return nil }
        self.init(minimumCapacity: entries.count)
        for (key, entry) in entries {
            guard let entry = Value(configValue: entry, coercion: coercion) else { return nil }
            self[key] = entry
        }
    }
}

extension Optional: ConfigConvertible where Wrapped: ConfigConvertible {
    /// The name of the wrapped type, with a question mark.
    public static var configTypeName: String { "\(Wrapped.configTypeName)?" }

    /// Reads the wrapped type; only `null` becomes nil.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        if case .null = value {
            self = nil
        } else if let wrapped = Wrapped(configValue: value, coercion: coercion) {
            self = wrapped
        } else {
            return nil
        }
    }
}
