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
            !name.isEmpty && name.utf8.allSatisfy(RouteValueType.isNameByte),
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

    /// The built-in types that restrict values, in the order in which they are tried.
    static let restricting = RouteValueType.allCases.map { type in
        RouteParameterType(type.rawValue) { (type.accepts($0), nil) }
    }
}
