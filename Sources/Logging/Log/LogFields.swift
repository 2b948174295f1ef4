/// Key and value pairs of a line, in the order in which they were added.
///
/// Text formats print them after the message as ` key=value`, JSON lines as members of an object. Keys can repeat. A
/// value whose key is the name of a secret, such as `password` or `apiKey`, prints as `<redacted>`; use
/// `.public(value)` to print it.
///
/// ```swift
/// Log("Upload").info("done", ["bytes": 1024, "hosts": ["a", "b"], "user": .private("acme")])
/// ```
public struct LogFields: ExpressibleByDictionaryLiteral, Hashable, Sendable {
    /// A key and its value.
    public struct Element: Hashable, Sendable {
        /// The name of the field.
        public let key: String
        /// The value of the field.
        public let value: LogFieldValue

        package init(key: String, value: LogFieldValue) {
            self.key = key
            self.value = value
        }

        init(_ key: String, _ value: any LogFieldConvertible) {
            self.key = key
            self.value = SecretFields.value(of: value, for: key)
        }
    }

    /// The pairs; nil if there are none, because an empty array would be a counted reference for each line.
    @usableFromInline var pairs: [Element]?

    /// The pairs in order.
    public var elements: [Element] { pairs ?? [] }

    /// Creates an empty list.
    @inlinable
    public init() { pairs = nil }

    /// Creates a list from a dictionary literal.
    public init(dictionaryLiteral pairs: (String, any LogFieldConvertible)...) {
        self.init(pairs.map { Element($0.0, $0.1) })
    }

    package init(_ elements: [Element]) { pairs = elements.isEmpty ? nil : elements }

    /// Whether the list has no pairs.
    public var isEmpty: Bool { pairs == nil }

    /// The value of the last pair with this key.
    ///
    /// - Complexity: O(*n*) in the number of pairs.
    public subscript(key: String) -> LogFieldValue? { pairs?.last { $0.key == key }?.value }

    /// Appends a pair.
    public mutating func append(_ key: String, _ value: any LogFieldConvertible) { append([Element(key, value)]) }

    /// Appends the pairs of another list.
    public mutating func append(contentsOf other: LogFields) {
        if let more = other.pairs { append(more) }
    }

    private mutating func append(_ more: [Element]) {
        if pairs == nil { pairs = more } else { pairs?.append(contentsOf: more) }
    }

    /// The number of pairs.
    var count: Int { pairs?.count ?? 0 }

    /// Returns another list with the pairs of this one inserted at a position.
    func inserted(into other: LogFields, after count: Int) -> LogFields {
        LogFields(other.elements.prefix(count) + elements + other.elements.dropFirst(count))
    }

    /// Returns the pairs of this list, followed by those of another one.
    func followed(by other: LogFields) -> LogFields {
        if isEmpty { return other }
        if other.isEmpty { return self }
        var result = self
        result.append(contentsOf: other)
        return result
    }
}
