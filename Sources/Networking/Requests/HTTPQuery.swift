internal import AshlarCore

/// The ordered names and values of a query or form; a name may occur several times.
///
/// ```swift
/// var query: HTTPQuery = ["page": 2, "tag": ["a", "b"], "q": "x y", "draft": nil]
/// query.append("flag")
/// var url = try HTTPURL("https://notes.example.com/search")
/// url.append(query)
/// assert(url.query == "page=2&tag=a&tag=b&q=x%20y&flag")
/// ```
public struct HTTPQuery: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A name with an optional value.
    package struct Item: Hashable, Sendable {
        /// The unescaped name.
        package var name: String
        /// The unescaped value, or nil for a name without `=`.
        package var value: String?

        /// Creates an item.
        package init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The items in order.
    package var items: [Item]

    /// Creates a query from items.
    package init(_ items: [Item]) { self.items = items }

    /// Creates a query in order; nil values are omitted, and each element of an array repeats the name.
    public init(dictionaryLiteral elements: (String, (any CustomStringConvertible & Sendable)?)...) {
        items = []
        for (name, value) in elements {
            if let list = value as? [any CustomStringConvertible] {
                items += list.map { Item(name, $0.description) }
            } else if let value {
                items.append(Item(name, value.description))
            }
        }
    }

    /// Whether there are no items.
    package var isEmpty: Bool { items.isEmpty }

    /// Returns the first value of a name, or nil.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// Appends a name without a value.
    public mutating func append(_ name: String) { items.append(Item(name, nil)) }

    /// Appends a name and its value, unless the value is nil.
    public mutating func append(_ name: String, _ value: (some CustomStringConvertible)?) {
        if let value { items.append(Item(name, value.description)) }
    }

    /// The items in the format of a URL: all bytes except letters, digits and `-._~` are percent-encoded.
    package var queryText: String { text(allowed: PercentCoding.isUnreserved) }

    /// The items in the format of a form body: all bytes except letters, digits and `*-._` are percent-encoded, and a
    /// space becomes `+` (WHATWG urlencoded serializer).
    package var formText: String {
        let text = text { byte in
            "* ".utf8.contains(byte) || PercentCoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
        }
        return text.replacing(" ", with: "+")
    }

    private func text(allowed: (UInt8) -> Bool) -> String {
        items.map { item in
            let name = PercentCoding.encode(item.name, allowed: allowed)
            return item.value.map { name + "=" + PercentCoding.encode($0, allowed: allowed) } ?? name
        }.joined(separator: "&")
    }
}
