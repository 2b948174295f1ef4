internal import AshlarCore

/// A type of parameter values, which restricts the matches of a route and is written `:name(type)`.
///
/// The built-in types are `int`, `uint`, `uuid`, `double`, `bool`, `slug` and `string`. ``RouterOptions/types`` adds
/// others; a type with the name of a built-in type replaces it.
///
/// ```swift
/// let month = RouteParameterType("month") { Int($0).map { (1...12).contains($0) } ?? false }
/// let pattern = try RoutePattern("/archive/:month(month)", types: [month])
/// ```
public struct RouteParameterType: Sendable, CustomStringConvertible {
    /// The rules of the built-in types, in the order in which they are tried.
    enum BuiltIn: UInt8, Sendable, CaseIterable {
        /// `true` or `false`.
        case bool
        /// Decimal digits that fit into an unsigned 64-bit integer.
        case uint
        /// Decimal digits with an optional `-` that fit into a signed 64-bit integer.
        case int
        /// Hexadecimal digits in either case, grouped 8-4-4-4-12 (RFC 9562).
        case uuid
        /// A finite decimal number such as `-1.5e3`, but not `nan`, `inf`, a hexadecimal number or a single dot.
        case double
        /// ASCII letters, digits, `-` and `_`, as in Django's converter of this name.
        case slug
        /// Any value, as without a type; useful before a suffix that starts with a letter: `:id(string)px`.
        case string
    }

    private enum Rule: Sendable {
        case builtIn(BuiltIn)
        case custom(@Sendable (String) -> Bool)
        case converting(@Sendable (String) -> (any Sendable)?)
    }

    private final class Storage: Sendable {
        let name: String
        let rule: Rule
        init(_ name: String, _ rule: Rule) { (self.name, self.rule) = (name, rule) }
    }

    private let storage: Storage
    var name: String { storage.name }
    /// The built-in rule; nil for a custom type.
    var builtIn: BuiltIn? { if case .builtIn(let rule) = storage.rule { rule } else { nil } }
    /// The name in parentheses.
    public var description: String { name }

    private init(_ name: String, rule: Rule) { storage = Storage(name, rule) }

    /// Creates a type from a rule.
    ///
    /// The rule receives the decoded value, which is never empty. It is called during a match, on the matching thread
    /// and outside all locks. It should be fast, and must always return the same result for the same value.
    ///
    /// - Precondition: `name` consists of one or more ASCII letters, digits, `_` and `-`.
    public init(_ name: String, matches: @escaping @Sendable (String) -> Bool) {
        self.init(checked: name, .custom(matches))
    }

    /// Creates a type whose values are converted: a path matches if the conversion succeeds, and
    /// `value(_:as:)` of ``RouteParameters`` returns the result.
    ///
    /// ```swift
    /// enum Month: String { case january, february }
    /// let month = RouteParameterType("month") { Month(rawValue: $0) }
    /// let match = try RoutePattern("/archive/:month(month)", types: [month]).match("/archive/january")
    /// print(try match.parameters.value("month", as: Month.self))  // january
    /// ```
    ///
    /// The conversion is called once for each value, under the rules of ``init(_:matches:)``. It can also split a segment
    /// into several values, such as the name and the extension of a file; a segment has only one parameter.
    ///
    /// - Precondition: `name` consists of one or more ASCII letters, digits, `_` and `-`.
    public init<Value: Sendable>(_ name: String, convert: @escaping @Sendable (String) -> Value?) {
        self.init(checked: name, .converting { convert($0) })
    }

    private init(checked name: String, _ rule: Rule) {
        precondition(
            !name.isEmpty && name.utf8.allSatisfy(Self.isNameByte),
            "A parameter type is named with ASCII letters, digits, _ and -; \"\(name)\" is not")
        self.init(name, rule: rule)
    }

    /// Whether values are converted.
    var converts: Bool { if case .converting = storage.rule { true } else { false } }

    /// Returns the converted value of the decoded bytes; nil if there is none.
    func convert(_ bytes: borrowing Span<UInt8>) -> (any Sendable)? {
        if case .converting(let convert) = storage.rule { convert(text(bytes)) } else { nil }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// The built-in types that restrict values, in the order in which they are tried.
    static let restricting = BuiltIn.allCases.dropLast().map { RouteParameterType("\($0)", rule: .builtIn($0)) }

    /// Returns the number of this type, the identity of its rule, in a list.
    func index(in types: [Self]) -> Int? { types.firstIndex { $0.storage === storage } }

    /// Returns whether a value has this type.
    func accepts(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { !$0.isEmpty && accepts($0.span) }
    }

    /// Returns whether the decoded bytes of a nonempty value have this type.
    func accepts(_ bytes: borrowing Span<UInt8>) -> Bool {
        switch storage.rule {
        case .builtIn(let rule): rule.accepts(bytes)
        case .custom(let matches): matches(text(bytes))
        case .converting(let convert): convert(text(bytes)) != nil
        }
    }
}

private func text(_ bytes: borrowing Span<UInt8>) -> String {
    bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

extension RouteParameterType.BuiltIn {
    /// Returns whether the decoded bytes of a nonempty value satisfy this rule.
    func accepts(_ bytes: borrowing Span<UInt8>) -> Bool {
        switch self {
        case .string: return true
        case .slug:
            for at in bytes.indices where !RouteParameterType.isNameByte(bytes[at]) { return false }
            return true
        case .uint: return Self.isInteger(bytes, from: 0, maximum: .max)
        case .int:
            let isNegative = bytes[0] == UInt8(ascii: "-")
            return Self.isInteger(
                bytes, from: isNegative ? 1 : 0, maximum: UInt64(Int64.max) + (isNegative ? 1 : 0))
        case .bool: return bytes.count <= 5 && ["true", "false"].contains(text(bytes))
        case .uuid:
            guard bytes.count == 36 else { return false }
            for at in bytes.indices {
                let isDash = at == 8 || at == 13 || at == 18 || at == 23
                guard isDash ? bytes[at] == UInt8(ascii: "-") : bytes[at].hexValue != nil else { return false }
            }
            return true
        case .double: return Self.isFiniteDecimal(bytes)
        }
    }

    /// Returns whether the bytes are digits of a number up to a maximum.
    ///
    /// Up to 18 digits always are, so only longer numbers are converted, and other values only when they are read.
    private static func isInteger(_ bytes: borrowing Span<UInt8>, from start: Int, maximum: UInt64) -> Bool {
        var at = start
        guard skipDigits(bytes, &at), at == bytes.count else { return false }
        if at - start <= 18 { return true }
        return UInt64(text(bytes.extracting(start..<at))).map { $0 <= maximum } ?? false
    }

    private static func isFiniteDecimal(_ bytes: borrowing Span<UInt8>) -> Bool {
        var (at, hasExponent) = (bytes[0] == UInt8(ascii: "-") ? 1 : 0, false)
        guard skipDigits(bytes, &at) else { return false }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            guard skipDigits(bytes, &at) else { return false }
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            (at, hasExponent) = (at + 1, true)
            if at < bytes.count, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") { at += 1 }
            guard skipDigits(bytes, &at) else { return false }
        }
        guard at == bytes.count else { return false }
        // Up to 300 digits without an exponent are always finite.
        return !hasExponent && at <= 300 || Double(text(bytes))?.isFinite == true
    }

    private static func skipDigits(_ bytes: borrowing Span<UInt8>, _ at: inout Int) -> Bool {
        let start = at
        while at < bytes.count, bytes[at].isDigit { at += 1 }
        return at > start
    }
}
