internal import AshlarCore

/// The query of a URL: an ordered list of names and values; names can be repeated.
///
/// ```swift
/// let table = try RouteTable(["/notes"])
/// let query = try table.match("/notes?tag=swift&tag=linux&draft").query
/// print(query["tag"] ?? "", query.values(of: "tag"), query["draft"] != nil)  // swift ["swift", "linux"] true
/// ```
public struct RouteQuery: Sendable, CustomStringConvertible {
    /// The decoded names and values in the order of the query; a value is nil if there is no `=`.
    public var items: [(name: String, value: String?)]

    /// Creates a query from items.
    public init(items: [(name: String, value: String?)] = []) { self.items = items }

    /// Parses the query of a URL.
    ///
    /// Items are separated by `&`; empty items are ignored, and each item is split at its first `=`.
    ///
    /// - Throws: The fault with its offset in the URL.
    init(_ query: ArraySlice<UInt8>) throws(URLFault) {
        self.init()
        for item in query.split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let name = try PercentCoding.decode(item[..<equals])
            let value = item[equals...].dropFirst()
            items.append((name, equals < item.endIndex ? try PercentCoding.decode(value) : nil))
        }
    }

    /// The first value of a name; empty if it has no `=`, and nil if the name is missing.
    public subscript(_ name: String) -> String? { values(of: name).first }

    /// Returns all values of a name, in order; a value is empty if it has no `=`.
    public func values(of name: String) -> [String] {
        items.filter { $0.name == name }.map { $0.value ?? "" }
    }

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
