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
        public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }

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
    public init(items: [Item] = [], encoding: Encoding = .percent) { (self.items, self.encoding) = (items, encoding) }

    /// Parses a query without its `?`.
    ///
    /// Items are separated by `&`; empty items are ignored, and each item is split at its first `=`.
    ///
    /// - Throws: ``EventBusError`` with the code `invalidPercentEncoding` or `invalidUTF8` and the offset.
    public init(_ text: String, encoding: Encoding = .percent) throws(EventBusError) {
        self.init(encoding: encoding)
        do { try read(text) } catch { throw EventBusError(error, in: text) }
    }

    /// Parses a query whose escapes have been checked.
    init(checked text: String, encoding: Encoding) {
        self.init(encoding: encoding)
        do { try read(text) } catch { items = [] }
    }

    private mutating func read(_ text: String) throws(PercentCoding.Fault) {
        let bytes = Array(text.utf8)
        var (start, equals) = (0, -1)
        for at in 0...bytes.count {
            if at == bytes.count || bytes[at] == UInt8(ascii: "&") {
                if at > start {
                    let name = try decode(bytes, start..<(equals < 0 ? at : equals))
                    items.append(Item(name, equals < 0 ? nil : try decode(bytes, equals + 1..<at)))
                }
                (start, equals) = (at + 1, -1)
            } else if bytes[at] == UInt8(ascii: "="), equals < 0 {
                equals = at
            }
        }
    }

    private func decode(_ bytes: [UInt8], _ range: Range<Int>) throws(PercentCoding.Fault) -> String {
        var result: [UInt8] = []
        try RoutePercent.decode(bytes, range, plusIsSpace: encoding == .form, into: &result)
        return String(decoding: result, as: UTF8.self)
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
        var result: [UInt8] = []
        for (index, item) in items.enumerated() {
            if index > 0 { result.append(UInt8(ascii: "&")) }
            RoutePercent.encode(item.name.utf8, as: .query, into: &result)
            // An item with neither a name nor a value would be lost between its separators.
            if item.value != nil || item.name.isEmpty { result.append(UInt8(ascii: "=")) }
            RoutePercent.encode((item.value ?? "").utf8, as: .query, into: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
