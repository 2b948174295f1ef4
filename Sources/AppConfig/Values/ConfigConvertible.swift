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
    /// Converts a configuration value; returns nil if the rules don't permit it.
    init?(configValue value: ConfigValue, coercion: ConfigCoercion)
}

/// A type with a name of its own in messages.
package protocol ConfigNamedType {
    static var configTypeName: String { get }
}

extension ConfigConvertible {
    /// The name of the type in messages; that of an enumeration lists its raw values.
    package static var expectedTypeName: String {
        if let type = Self.self as? any ConfigNamedType.Type { return type.configTypeName }
        let values = (Self.self as? any CaseIterable.Type).map { rawValues(of: $0) } ?? []
        return values.isEmpty ? "\(Self.self)" : "\(Self.self) (\(values.joined(separator: ", ")))"
    }
}

/// Returns the raw values of all cases as text; none for a type without raw values.
private func rawValues<Cases: CaseIterable>(of type: Cases.Type) -> [String] {
    type.allCases.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
}

extension ConfigConvertible where Self: RawRepresentable, RawValue: ConfigConvertible {
    /// Creates the case with this raw value.
    public init?(configValue value: ConfigValue, coercion: ConfigCoercion) {
        guard let raw = RawValue(configValue: value, coercion: coercion) else { return nil }
        self.init(rawValue: raw)
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
            self = .seconds(seconds)
        default: return nil
        }
    }
}

extension Array: ConfigConvertible where Element: ConfigConvertible {
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

extension Array: ConfigNamedType where Element: ConfigConvertible {
    package static var configTypeName: String { "[\(Element.expectedTypeName)]" }
}

extension Dictionary: ConfigNamedType where Key == String, Value: ConfigConvertible {
    package static var configTypeName: String { "[String: \(Value.expectedTypeName)]" }
}

extension Optional: ConfigNamedType where Wrapped: ConfigConvertible {
    package static var configTypeName: String { "\(Wrapped.expectedTypeName)?" }
}
