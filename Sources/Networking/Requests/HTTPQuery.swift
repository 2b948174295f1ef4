/// The names and values of a query or a form: ordered, repeats allowed.
///
/// ```swift
/// var query: HTTPQuery = ["page": 2, "tag": ["a", "b"], "q": "x y", "draft": nil]
/// query.append("flag")
/// assert(query.queryText == "page=2&tag=a&tag=b&q=x%20y&flag")
/// ```
public struct HTTPQuery: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A name and perhaps a value.
    public struct Item: Hashable, Sendable {
        /// The name, not escaped.
        public var name: String
        /// The value, not escaped, or nil for a bare name.
        public var value: String?

        /// Creates an item.
        public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }
    }

    /// How a list of values is written.
    public enum ListStyle: Hashable, Sendable {
        /// `tag=a&tag=b`
        case repeated
        /// `tag[]=a&tag[]=b`
        case brackets
        /// `tag=a,b`
        case commas
    }

    /// The items in order.
    public var items: [Item]

    /// Creates a query from items.
    public init(_ items: [Item] = []) { self.items = items }

    /// Creates a query in the order written: nil values are left out, arrays repeat their name.
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
    public var isEmpty: Bool { items.isEmpty }

    /// The first value of a name, or nil.
    public subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// Adds a bare name.
    public mutating func append(_ name: String) { items.append(Item(name, nil)) }

    /// Adds a name and its value; nil adds nothing.
    public mutating func append(_ name: String, _ value: (some CustomStringConvertible)?) {
        if let value { items.append(Item(name, value.description)) }
    }

    /// Adds a list of values under one name; an empty list adds nothing.
    public mutating func append(_ name: String, list: [some CustomStringConvertible], style: ListStyle = .repeated) {
        guard !list.isEmpty else { return }
        switch style {
        case .repeated: items += list.map { Item(name, $0.description) }
        case .brackets: items += list.map { Item(name + "[]", $0.description) }
        case .commas: items.append(Item(name, list.map(\.description).joined(separator: ",")))
        }
    }

    /// The items as they stand in a URL: everything but letters, digits and `-._~` is percent-encoded.
    public var queryText: String { text(space: "%20", isPlain: PercentEncoding.isUnreserved) }

    /// The items as they stand in a form body: everything but letters, digits and `*-._` is percent-encoded, but a space
    /// is `+` (WHATWG urlencoded serializer).
    public var formText: String {
        text(space: "+") { $0 == UInt8(ascii: "*") || PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }

    private func text(space: String, isPlain: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        func append(_ text: String) {
            for byte in text.utf8 {
                if isPlain(byte) {
                    bytes.append(byte)
                } else if byte == 0x20 {
                    bytes += space.utf8
                } else {
                    PercentEncoding.append(byte, to: &bytes)
                }
            }
        }
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(item.name)
            if let value = item.value {
                bytes.append(UInt8(ascii: "="))
                append(value)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts the items behind the URL's own query.
    func append(to url: inout HTTPURL) {
        guard !isEmpty else { return }
        url.query = url.query.map { $0.isEmpty ? queryText : $0 + "&" + queryText } ?? queryText
    }
}
