internal import AshlarBase

/// The value of a field.
public enum LogFieldValue: Hashable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// An integer that can be greater than `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case float(Double)
    /// A boolean.
    case boolean(Bool)
    /// A point in time.
    case time(LogTime)
    /// A list of values.
    case array([LogFieldValue])
    /// Named values, which text formats print as `key.name=value`: `LogFieldValue.object(["id": 7, "name": "acme"])`.
    case object(LogFields)
    /// No value, which prints as `nil`, and in JSON as `null`.
    case none

    /// Whether two values have the same case and content.
    ///
    /// A derived operator would be inlined into itself through the arrays of nested values, at several levels.
    @inline(never)
    public static func == (left: LogFieldValue, right: LogFieldValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.time(let left), .time(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.none, .none): true
        default: false
        }
    }
}

extension LogFieldValue: CustomStringConvertible {
    /// The levels of nested values that are printed; deeper ones print as `...`, so that no value exhausts the stack.
    package static let deepestPrinted = 32

    /// The value as a text format prints it, without quotes.
    public var description: String { text(depth: 0) }

    private func text(depth: Int) -> String {
        switch self {
        case .array where depth >= Self.deepestPrinted, .object where depth >= Self.deepestPrinted: "..."
        case .string(let text): text
        case .integer(let number): number.description
        case .unsigned(let number): number.description
        case .float(let number): number.description
        case .boolean(let flag): flag.description
        case .time(let time): time.description
        case .array(let values): "[" + values.map { $0.text(depth: depth + 1) }.joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.list.map { "\($0.key):\($0.value.text(depth: depth + 1))" }.joined(separator: ",") + "}"
        case .none: "nil"
        }
    }
}

/// A type whose values can be fields of a line.
public protocol LogFieldConvertible: Sendable {
    /// The value as a field.
    var logFieldValue: LogFieldValue { get }
}

/// A value that is printed even if its key is the name of a secret.
public struct LogPublicField: LogFieldConvertible {
    /// The value as a field.
    public let logFieldValue: LogFieldValue
}

extension LogFieldConvertible where Self == LogPublicField {
    /// A value that is printed even if its key is the name of a secret.
    public static func `public`(_ value: some LogFieldConvertible) -> LogPublicField {
        LogPublicField(logFieldValue: value.logFieldValue)
    }
}

extension LogFieldConvertible where Self == LogFieldValue {
    /// A value that prints as `<private>` unless ``LogConfiguration/revealsPrivateValues`` is set.
    public static func `private`(_ value: some LogFieldConvertible) -> LogFieldValue { redacted(value, .private) }

    /// A value that prints as a hash, which is equal for equal values during one run.
    public static func hash(_ value: some LogFieldConvertible) -> LogFieldValue { redacted(value, .hash) }

    /// Any value in the form of `String(describing:)`; an optional prints as its value or `nil`.
    package static func describing(_ value: Any) -> LogFieldValue { .string(LogPrivacy.text(of: value)) }

    /// An error as an object: `message`, `type` and, if the error has them, `code` and `underlying`.
    public static func error(_ error: any Error) -> LogFieldValue { describe(error, depth: 0) }

    private static func describe(_ error: any Error, depth: Int) -> LogFieldValue {
        var fields: LogFields = [
            "message": String(describing: error), "type": String(reflecting: Swift.type(of: error)),
        ]
        for child in Mirror(reflecting: error).children {
            switch (child.label, child.value) {
            case ("code", let code): fields.append("code", LogPublicField(logFieldValue: value(of: code)))
            case ("underlying"?, let inner as any Error), ("underlyingError"?, let inner as any Error):
                if depth < 8 { fields.append("underlying", describe(inner, depth: depth + 1)) }
            default: continue
            }
        }
        return .object(fields)
    }

    private static func value(of any: Any) -> LogFieldValue {
        (any as? any LogFieldConvertible)?.logFieldValue ?? .string(LogPrivacy.text(of: any))
    }

    private static func redacted(_ value: some LogFieldConvertible, _ privacy: LogPrivacy) -> LogFieldValue {
        LogPrivacy.revealsPrivateValues
            ? value.logFieldValue : .string(privacy.replacement(for: value.logFieldValue.description))
    }
}

extension LogFieldValue: LogFieldConvertible {
    /// The value itself.
    public var logFieldValue: LogFieldValue { self }
}

extension LogFieldConvertible where Self: StringProtocol {
    /// The string as a field.
    public var logFieldValue: LogFieldValue { .string(String(self)) }
}

extension String: LogFieldConvertible {}
extension Substring: LogFieldConvertible {}

extension Bool: LogFieldConvertible {
    /// The boolean as a field.
    public var logFieldValue: LogFieldValue { .boolean(self) }
}

extension LogFieldConvertible where Self: BinaryFloatingPoint {
    /// The number as a field.
    public var logFieldValue: LogFieldValue { .float(Double(self)) }
}

extension Double: LogFieldConvertible {}
extension Float: LogFieldConvertible {}

extension LogFieldConvertible where Self: FixedWidthInteger {
    /// The number as a field.
    public var logFieldValue: LogFieldValue {
        if let small = Int64(exactly: self) { return .integer(small) }
        if let large = UInt64(exactly: self) { return .unsigned(large) }
        return .string(String(self))
    }
}

extension Int: LogFieldConvertible {}
extension Int8: LogFieldConvertible {}
extension Int16: LogFieldConvertible {}
extension Int32: LogFieldConvertible {}
extension Int64: LogFieldConvertible {}
extension UInt: LogFieldConvertible {}
extension UInt8: LogFieldConvertible {}
extension UInt16: LogFieldConvertible {}
extension UInt32: LogFieldConvertible {}
extension UInt64: LogFieldConvertible {}

extension Duration: LogFieldConvertible {
    /// The duration as text, in the largest unit in which it is at least one: `1.500ms`.
    public var logFieldValue: LogFieldValue { .string(LogTime.text(of: self)) }
}

extension Optional: LogFieldConvertible where Wrapped: LogFieldConvertible {
    /// The wrapped value as a field, or none.
    public var logFieldValue: LogFieldValue { self?.logFieldValue ?? LogFieldValue.none }
}

extension Array: LogFieldConvertible where Element: LogFieldConvertible {
    /// The elements as a list.
    public var logFieldValue: LogFieldValue { .array(map(\.logFieldValue)) }
}

extension Dictionary: LogFieldConvertible where Key == String, Value: LogFieldConvertible {
    /// The pairs as an object, sorted by key.
    public var logFieldValue: LogFieldValue {
        .object(LogFields(sorted { $0.key < $1.key }.map { LogFields.Element($0.key, $0.value) }))
    }
}
