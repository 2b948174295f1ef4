/// Key and value pairs of a line, in the order in which they were written.
///
/// Text formats print them behind the message as ` key=value`; JSON lines give each a member of its own. Keys may
/// repeat. A literal holds any mix of numbers, strings and booleans:
///
/// ```swift
/// Log("Upload").info("done", ["bytes": 1024, "host": "example.com", "token": .private("s3cret")])
/// ```
public struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
    /// One pair.
    public struct Element: Sendable {
        /// The name of the field.
        public let key: String
        /// Its value.
        public let value: LogFieldValue
    }

    /// The pairs; `nil` for none, because even an empty array is an object that is counted for every line.
    @usableFromInline var pairs: [Element]?

    /// The pairs in order.
    public var elements: [Element] { pairs ?? [] }

    /// Creates an empty list.
    @inlinable
    public init() { pairs = nil }

    /// Creates the list of a dictionary literal.
    public init(dictionaryLiteral pairs: (String, any LogFieldConvertible)...) {
        self.pairs = pairs.isEmpty ? nil : pairs.map { Element(key: $0.0, value: $0.1.logFieldValue) }
    }

    /// Creates a list of pairs, such as those of another logging system.
    public init(_ pairs: some Sequence<(String, String)>) {
        let elements = pairs.map { Element(key: $0.0, value: .string($0.1)) }
        self.pairs = elements.isEmpty ? nil : elements
    }

    /// Whether there is no pair.
    public var isEmpty: Bool { pairs == nil }

    /// The value of the last pair with this key.
    ///
    /// - Complexity: O(*n*) in the number of pairs.
    public subscript(key: String) -> LogFieldValue? { elements.last { $0.key == key }?.value }

    /// Adds a pair at the end.
    public mutating func append(_ key: String, _ value: any LogFieldConvertible) {
        append([Element(key: key, value: value.logFieldValue)])
    }

    /// Adds the pairs of another list at the end.
    public mutating func append(contentsOf other: LogFields) {
        if let more = other.pairs { append(more) }
    }

    private mutating func append(_ more: [Element]) {
        if pairs == nil { pairs = more } else { pairs?.append(contentsOf: more) }
    }
}

/// The value of a field.
public enum LogFieldValue: Hashable, Sendable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A whole number that may be above the largest `Int64`.
    case unsigned(UInt64)
    /// A floating-point number.
    case float(Double)
    /// `true` or `false`.
    case boolean(Bool)
    /// No value; printed as `nil`, in JSON as `null`.
    case none
}

extension LogFieldValue: CustomStringConvertible {
    /// The value as a text format prints it, without quotes.
    public var description: String {
        switch self {
        case .string(let text): text
        case .integer(let number): number.description
        case .unsigned(let number): number.description
        case .float(let number): number.description
        case .boolean(let flag): flag.description
        case .none: "nil"
        }
    }
}

/// A type whose values can be fields of a line.
public protocol LogFieldConvertible: Sendable {
    /// The value as a field.
    var logFieldValue: LogFieldValue { get }
}

extension LogFieldConvertible where Self == LogFieldValue {
    /// A value that prints as `<private>` unless ``LogConfiguration/revealsPrivateValues`` is set.
    public static func `private`(_ value: some LogFieldConvertible) -> LogFieldValue { redacted(value, .private) }

    /// A value that prints as a hash which is equal for equal values during one run.
    public static func hash(_ value: some LogFieldConvertible) -> LogFieldValue { redacted(value, .hash) }

    /// Any value, as `String(describing:)` prints it; of an optional one the value alone, or `nil`.
    public static func describing(_ value: Any) -> LogFieldValue { .string(LogPrivacy.text(of: value)) }

    private static func redacted(_ value: some LogFieldConvertible, _ privacy: LogPrivacy) -> LogFieldValue {
        LogPipeline.revealsPrivateValues
            ? value.logFieldValue : .string(privacy.replacement(for: value.logFieldValue.description))
    }
}

extension LogFieldValue: LogFieldConvertible {
    /// The value itself.
    public var logFieldValue: LogFieldValue { self }
}

extension String: LogFieldConvertible {
    /// The text as a field.
    public var logFieldValue: LogFieldValue { .string(self) }
}

extension Substring: LogFieldConvertible {
    /// The text as a field.
    public var logFieldValue: LogFieldValue { .string(String(self)) }
}

extension Bool: LogFieldConvertible {
    /// The flag as a field.
    public var logFieldValue: LogFieldValue { .boolean(self) }
}

extension Double: LogFieldConvertible {
    /// The number as a field.
    public var logFieldValue: LogFieldValue { .float(self) }
}

extension Float: LogFieldConvertible {
    /// The number as a field.
    public var logFieldValue: LogFieldValue { .float(Double(self)) }
}

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
    /// The duration as a field, in the largest unit that gives at least one: `1.500ms`.
    public var logFieldValue: LogFieldValue { .string(LogTime.text(of: self)) }
}

extension Optional: LogFieldConvertible where Wrapped: LogFieldConvertible {
    /// The value as a field, or none.
    public var logFieldValue: LogFieldValue { self?.logFieldValue ?? LogFieldValue.none }
}
