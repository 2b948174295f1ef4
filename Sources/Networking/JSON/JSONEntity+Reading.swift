internal import AshlarCore
public import Foundation

/// Typed reads: nil, or the fallback, where the value is missing, `null` or not of the type.
extension JSONEntity {
    @inline(__always)
    var number: JSONNumber? {
        guard isValid, kind == JSONTape.integer || kind == JSONTape.fraction else { return nil }
        return document.number(at: Int(index))
    }

    /// The string, or nil; numbers and Booleans are not converted.
    @inline(__always)
    public func string() -> String? {
        guard isValid, kind == JSONTape.string || kind == JSONTape.escapedString else { return nil }
        return document.string(at: Int(index))
    }

    /// The string, or the fallback; numbers and Booleans are not converted.
    public func string(_ fallback: String) -> String { string() ?? fallback }

    /// The integer, or nil if there is none or it does not fit.
    ///
    /// `1.0` and `1e2` are integers, `1.5` is none, `true` is 1; strings are read by ``coercing(_:)``'s rule.
    public func int() -> Int? {
        if let number { return number.integer(Int.self) }
        return coerced(bool: { $0 ? 1 : 0 }, exact: { $0.integer(Int.self) }, squidKit: JSONStringReading.squidKitInt)
    }

    /// The integer, or the fallback; see ``int()``.
    public func int(_ fallback: Int) -> Int { int() ?? fallback }

    /// The nearest double, or nil if there is no number or it is too large.
    ///
    /// `true` is 1; strings are read by ``coercing(_:)``'s rule.
    public func double() -> Double? {
        if let number { return number.double }
        return coerced(bool: { $0 ? 1 : 0 }, exact: { $0.double }, squidKit: JSONStringReading.squidKitDouble)
    }

    /// The nearest double, or the fallback; see ``double()``.
    public func double(_ fallback: Double) -> Double { double() ?? fallback }

    /// The nearest float, or nil if there is no number or it is too large; see ``double()``.
    public func float() -> Float? {
        if let number { return number.float }
        return coerced(
            bool: { $0 ? 1 : 0 }, exact: { $0.float }, squidKit: { Float(JSONStringReading.squidKitDouble($0)) })
    }

    /// The nearest float, or the fallback; see ``double()``.
    public func float(_ fallback: Float) -> Float { float() ?? fallback }

    /// The Boolean, or nil.
    ///
    /// The numbers 1 and 0 are Booleans, others are not; strings are read by ``coercing(_:)``'s rule.
    public func bool() -> Bool? {
        guard isValid else { return nil }
        switch kind {
        case JSONTape.trueValue: return true
        case JSONTape.falseValue: return false
        case JSONTape.integer, JSONTape.fraction:
            let value = number?.int64
            return value == 1 ? true : value == 0 ? false : nil
        default:
            guard let text = string() else { return nil }
            return rule == .exact ? JSONStringReading.exactBool(text) : JSONStringReading.squidKitBool(text)
        }
    }

    /// The Boolean, or the fallback; see ``bool()``.
    public func bool(_ fallback: Bool) -> Bool { bool() ?? fallback }

    /// The number as it is written, or nil; for integers beyond 64 bits and decimals that a double would round.
    public func numberText() -> String? {
        guard let number else { return nil }
        return String(decoding: number.text, as: UTF8.self)
    }

    private func coerced<R>(
        bool: (Bool) -> R, exact: (JSONNumber) -> R?, squidKit: (String) -> R
    ) -> R? {
        guard isValid else { return nil }
        if kind == JSONTape.trueValue || kind == JSONTape.falseValue { return bool(kind == JSONTape.trueValue) }
        guard let text = string() else { return nil }
        return rule == .exact ? JSONStringReading.exactNumber(text, exact) : squidKit(text)
    }

    // MARK: Containers

    /// The elements, or nil if this is not an array.
    ///
    /// - Complexity: O(*n*) in everything the array holds; iterating the entity itself needs no array.
    public func array() -> [JSONEntity]? { isArray ? Array(self) : nil }

    /// The elements, or the fallback if this is not an array.
    public func array(_ fallback: [JSONEntity]) -> [JSONEntity] { array() ?? fallback }

    /// The members by key, or nil if this is not an object; of keys that appear twice the last wins.
    ///
    /// - Complexity: O(*n*) in everything the object holds; a subscript needs no dictionary.
    public func object() -> [String: JSONEntity]? {
        guard isObject else { return nil }
        return Dictionary(lazy.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    }

    /// The members by key, or the fallback if this is not an object.
    public func object(_ fallback: [String: JSONEntity]) -> [String: JSONEntity] { object() ?? fallback }

    /// The members by key, or nil: ``object()`` under SquidKit's name.
    public func dictionary() -> [String: JSONEntity]? { object() }

    /// The members by key, or the fallback: ``object(_:)`` under SquidKit's name.
    public func dictionary(_ fallback: [String: JSONEntity]) -> [String: JSONEntity] { object() ?? fallback }

    /// The keys of an object in the order of the document, repeats included; empty for everything else.
    public var keys: [String] { isObject ? map(\.key) : [] }

    // MARK: Dates and URLs

    /// The date, or nil if there is none in the given form.
    ///
    /// - Parameter format: How dates are written; nothing is guessed.
    /// - Returns: The date, or nil.
    public func date(_ format: JSONDateFormat = .rfc3339) -> Date? {
        switch format {
        case .rfc3339: string().flatMap(JSONDateFormat.rfc3339Date)
        case .secondsSince1970: number?.double.map { Date(timeIntervalSince1970: $0) }
        case .millisecondsSince1970: number?.double.map { Date(timeIntervalSince1970: $0 / 1000) }
        case .secondsSince2001: number?.double.map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }

    /// The date, or the fallback if there is none in the given form.
    public func date(_ fallback: Date, _ format: JSONDateFormat = .rfc3339) -> Date { date(format) ?? fallback }

    /// The URL that the string is, or nil.
    public func url() -> URL? { string().flatMap { $0.isEmpty ? nil : URL(string: $0) } }

    /// The URL that the string is, or the fallback.
    public func url(_ fallback: URL) -> URL { url() ?? fallback }
}
