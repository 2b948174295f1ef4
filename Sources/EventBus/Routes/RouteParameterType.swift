internal import AshlarCore

/// A type of parameter values, which restricts the matches of a route and is written `:name(type)`.
///
/// The built-in types are `int`, `uint`, `uuid`, `double`, `bool`, `slug` and `string`. The types of ``RouterOptions`` add
/// others; a type with the name of a built-in type replaces it.
///
/// ```swift
/// let month = RouteParameterType("month") { Int($0).map { (1...12).contains($0) } ?? false }
/// let table = try RouteTable(["/archive/:month(month)"], options: RouterOptions(types: [month]))
/// ```
public struct RouteParameterType: Sendable {
    let name: String
    /// Returns whether a nonempty value has this type, and the value to which the type converts it.
    let check: @Sendable (String) -> (isValid: Bool, converted: (any Sendable)?)

    private init(_ name: String, check: @escaping @Sendable (String) -> (isValid: Bool, converted: (any Sendable)?)) {
        precondition(
            !name.isEmpty && name.utf8.allSatisfy(Self.isNameByte),
            "A parameter type is named with ASCII letters, digits, _ and -; \"\(name)\" is not")
        self.name = name
        self.check = check
    }

    /// Creates a type from a rule.
    ///
    /// The rule receives the decoded value, which is never empty. It is called during a match, on the matching thread
    /// and outside all locks. It should be fast, and must always return the same result for the same value.
    ///
    /// - Precondition: `name` consists of one or more ASCII letters, digits, `_` and `-`.
    public init(_ name: StaticString, matches: @escaping @Sendable (String) -> Bool) {
        self.init(name.description) { (matches($0), nil) }
    }

    /// Creates a type whose values are converted: a path matches if the conversion succeeds, and
    /// ``RouteParameters/value(_:as:)`` returns the result.
    ///
    /// ```swift
    /// enum Month: String { case january, february }
    /// let month = RouteParameterType("month") { Month(rawValue: $0) }
    /// let table = try RouteTable(["/archive/:month(month)"], options: RouterOptions(types: [month]))
    /// let match = try table.match("/archive/january")
    /// print(try match.parameters.value("month", as: Month.self))  // january
    /// ```
    ///
    /// The conversion is called once for each value, under the rules of ``init(_:matches:)``. It can also split a segment
    /// into several values, such as the name and the extension of a file; a segment has only one parameter.
    ///
    /// - Precondition: `name` consists of one or more ASCII letters, digits, `_` and `-`.
    public init<Value: Sendable>(_ name: StaticString, convert: @escaping @Sendable (String) -> Value?) {
        self.init(name.description) { text in
            let converted = convert(text)
            return (converted != nil, converted)
        }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    // MARK: Built-in types

    /// The name of the type that accepts any value.
    static let anyValue = "string"

    /// The built-in types that restrict values, in the order in which they are tried.
    static let restricting = [
        RouteParameterType("bool") { $0 == "true" || $0 == "false" },
        // Decimal digits that fit into 64 bits. The standard library also accepts a plus sign.
        RouteParameterType("uint") { $0.utf8.first?.isDigit == true && UInt64($0) != nil },
        RouteParameterType("int") { $0.utf8.first != UInt8(ascii: "+") && Int64($0) != nil },
        RouteParameterType("uuid", matches: isUUID),
        RouteParameterType("double", matches: isFiniteDecimal),
        // As in Django's converter of this name.
        RouteParameterType("slug") { $0.utf8.allSatisfy(isNameByte) },
    ]

    /// Returns whether a text is hexadecimal digits in either case, grouped 8-4-4-4-12 (RFC 9562).
    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { at, byte in
                [8, 13, 18, 23].contains(at) ? byte == UInt8(ascii: "-") : byte.hexValue != nil
            }
    }

    /// Returns whether a text is a finite decimal number such as `-1.5e3`, but not `nan`, a hexadecimal number or `1.`.
    private static func isFiniteDecimal(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        // The standard library also accepts a plus sign, names, and a point without digits on both sides.
        guard digits.first?.isDigit == true, digits.last?.isDigit == true,
            digits.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) })
        else { return false }
        return !text.lowercased().contains(".e") && Double(text)?.isFinite == true
    }
}
