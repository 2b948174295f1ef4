internal import AshlarCore

/// The query of a URL: an ordered list of names and values; names can be repeated.
///
/// ```swift
/// let query = try RouteQuery("tag=swift&tag=linux&draft")
/// print(query["tag"] ?? "", query.values(of: "tag"), query.contains("draft"))  // swift ["swift", "linux"] true
/// ```
public struct RouteQuery: Sendable, Hashable, CustomStringConvertible {
    /// A name in a query and its value.
    public struct Item: Sendable, Hashable {
        /// The decoded name.
        public var name: String
        /// The decoded value; nil if there is no `=`.
        public var value: String?

        /// Creates an item.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }

        /// Returns whether the name has these bytes.
        fileprivate func isNamed(_ name: String) -> Bool { self.name.hasSameBytes(as: name) }
    }

    /// The meaning of `+`.
    public enum Encoding: Sendable, Hashable {
        /// A plus sign, as in any other part of a URL (RFC 3986).
        case percent
        /// A space, as HTML forms write it (`application/x-www-form-urlencoded`).
        case form
    }

    /// The items in the order of the query.
    public var items: [Item]
    /// The meaning of `+` when the query is parsed or written.
    public var encoding: Encoding

    /// Creates a query from items.
    public init(items: [Item] = [], encoding: Encoding = .percent) {
        self.items = items
        self.encoding = encoding
    }

    /// Parses a query without its `?`.
    ///
    /// Items are separated by `&`; empty items are ignored, and each item is split at its first `=`.
    ///
    /// - Throws: ``EventBusError`` with the code `invalidPercentEncoding` or `invalidUTF8` and the offset.
    public init(_ text: String, encoding: Encoding = .percent) throws(EventBusError) {
        do { try self.init(Array(text.utf8), 0..<text.utf8.count, encoding: encoding) } catch {
            throw EventBusError(error, in: text)
        }
    }

    /// Parses the query in a range of a URL; the offset of a fault is one in the URL.
    init(_ bytes: [UInt8], _ range: Range<Int>, encoding: Encoding) throws(PercentCoding.Fault) {
        self.init(encoding: encoding)
        for item in bytes[range].split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "="))
            let isForm = encoding == .form
            let name = try bytes.decoded(item.startIndex..<(equals ?? item.endIndex), plusIsSpace: isForm)
            let value = try equals.map { at throws(PercentCoding.Fault) in
                try bytes.decoded(at + 1..<item.endIndex, plusIsSpace: isForm)
            }
            items.append(Item(name, value))
        }
    }

    /// The first value of a name; empty if it has no `=`, and nil if the name is missing.
    public subscript(_ name: String) -> String? {
        items.first { $0.isNamed(name) }.map { $0.value ?? "" }
    }

    /// Returns all values of a name, in order; a value is empty if it has no `=`.
    public func values(of name: String) -> [String] {
        items.filter { $0.isNamed(name) }.map { $0.value ?? "" }
    }

    /// Returns whether the query contains a name, with or without a value.
    public func contains(_ name: String) -> Bool { items.contains { $0.isNamed(name) } }

    /// The percent-encoded query without a `?`; parsing it returns the same items.
    public var description: String {
        items.map { item in
            let name = PercentCoding.encode(item.name, allowed: PercentCoding.Part.queryItem.contains)
            // An item with neither a name nor a value would be lost between its separators.
            guard item.value != nil || item.name.isEmpty else { return name }
            return "\(name)=\(PercentCoding.encode(item.value ?? "", allowed: PercentCoding.Part.queryItem.contains))"
        }.joined(separator: "&")
    }
}
