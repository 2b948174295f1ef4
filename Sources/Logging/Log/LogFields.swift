/// Key and value pairs of a line, in the order in which their keys were added.
///
/// Text formats print them after the message as ` key=value`, JSON lines as members of an object. Each key has one value:
/// a later value replaces an earlier one in place. In a format that prints fields beside keys of the line itself (logfmt,
/// OpenTelemetry), a field with such a key gets a prefix: `field.level`.
///
/// A value whose key is the name of a secret, such as `password` or `apiKey`, or the secret part of a text, prints as
/// `<redacted>`; use `.public(value)` to print it.
///
/// ```swift
/// Log("Upload").info("done", ["bytes": 1024, "hosts": ["a", "b"], "user": .private("acme")])
/// ```
public struct LogFields: ExpressibleByDictionaryLiteral, Hashable, Sendable {
    /// A key and its value.
    @usableFromInline package struct Element: Hashable, Sendable {
        package let key: String
        package let value: LogFieldValue

        package init(key: String, value: LogFieldValue) {
            self.key = key
            self.value = value
        }

        init(_ key: String, _ value: any LogFieldConvertible) {
            self.key = key
            self.value = LogSecrets.value(of: value, for: key)
        }
    }

    /// The pairs; nil if there are none, because an empty array would be a counted reference for each line.
    @usableFromInline var pairs: [Element]?

    package var list: [Element] { pairs ?? [] }

    /// The pairs in order.
    ///
    /// - Complexity: O(*n*) in the number of pairs.
    public var elements: [(key: String, value: LogFieldValue)] { list.map { ($0.key, $0.value) } }

    @inlinable
    init() { pairs = nil }

    /// Creates a list from a dictionary literal.
    public init(dictionaryLiteral pairs: (String, any LogFieldConvertible)...) {
        self.init(pairs.map { Element($0.0, $0.1) })
    }

    package init(_ elements: [Element]) { append(elements) }

    package var isEmpty: Bool { pairs == nil }

    /// The value of a key; setting nil removes the pair.
    ///
    /// As everywhere, a value that is set for the name of a secret becomes `<redacted>`.
    ///
    /// - Complexity: O(*n*) in the number of pairs.
    public subscript(key: String) -> LogFieldValue? {
        get { pairs?.first { $0.key == key }?.value }
        set {
            if let newValue { return append([Element(key, newValue)]) }
            pairs?.removeAll { $0.key == key }
            if pairs?.isEmpty == true { pairs = nil }
        }
    }

    /// Appends a pair, or replaces the value of its key.
    public mutating func append(_ key: String, _ value: any LogFieldConvertible) { append([Element(key, value)]) }

    /// Appends the pairs of another list, whose values replace those of the same keys.
    package mutating func append(contentsOf other: LogFields) {
        if let more = other.pairs { append(more) }
    }

    /// The number of pairs up to which a search is faster than a table.
    private static let fewPairs = 24

    private mutating func append(_ more: [Element]) {
        guard !more.isEmpty else { return }
        var all = pairs ?? []
        var places: [String: Int]?
        if all.count + more.count > Self.fewPairs {
            places = Dictionary(all.enumerated().map { ($1.key, $0) }) { first, _ in first }
        }
        for pair in more {
            if let index = places.map({ $0[pair.key] }) ?? all.firstIndex(where: { $0.key == pair.key }) {
                all[index] = pair
            } else {
                places?[pair.key] = all.count
                all.append(pair)
            }
        }
        pairs = all
    }

    /// Returns the pairs of this list, followed by those of another one, whose values win.
    package func followed(by other: LogFields) -> LogFields {
        if isEmpty { return other }
        if other.isEmpty { return self }
        var result = self
        result.append(contentsOf: other)
        return result
    }

    /// Returns the pairs of this list, followed by those of another one whose keys this list doesn't have.
    func followed(byMissing other: LogFields) -> LogFields {
        if isEmpty || other.isEmpty { return followed(by: other) }
        return followed(by: LogFields(other.list.filter { pair in self[pair.key] == nil }))
    }

    /// Starts the key of a field that would repeat a key of the line itself, such as `field.level`.
    private static let ownPrefix = "field."

    /// Returns the pairs for a format that uses some keys for the line itself.
    ///
    /// A field with such a key gets the prefix `field.`; so does a key with that prefix, so that no two are the same.
    package func distinct(from ownKeys: [String]) -> LogFields {
        func isDistinct(_ key: String) -> Bool { !ownKeys.contains(key) && !key.hasPrefix(Self.ownPrefix) }
        guard list.contains(where: { !isDistinct($0.key) }) else { return self }
        return LogFields(
            list.map { isDistinct($0.key) ? $0 : Element(key: Self.ownPrefix + $0.key, value: $0.value) })
    }
}
