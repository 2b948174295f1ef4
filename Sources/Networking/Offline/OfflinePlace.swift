internal import AshlarCore

/// A host and path, by which records and lists are found; slashes at the ends of the path have no meaning.
struct OfflinePlace: Hashable, Sendable {
    let host: EndpointHost?
    let path: String

    init(_ host: EndpointHost?, _ path: String) {
        self.host = host
        var rest = path[...]
        while rest.last == "/" { rest.removeLast() }
        while rest.first == "/" { rest.removeFirst() }
        self.path = String(rest)
    }
}

/// Identifiers of records that the server hasn't seen.
enum LocalID {
    private static let prefix = "local-"
    private static let count = 32

    static func make() -> String { prefix + randomName() }

    /// Returns 32 random hexadecimal digits.
    static func randomName() -> String {
        (0..<count / 2).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }

    /// Returns the identifiers in a text, in order.
    static func all(in text: some StringProtocol) -> [String] {
        var (found, rest) = ([String](), Array(text.utf8)[...])
        let start = Array(prefix.utf8)
        while let dash = rest.firstIndex(of: start[0]) {
            rest = rest[dash...]
            let digits = rest.dropFirst(start.count).prefix(count)
            if rest.starts(with: start), digits.count == count, digits.allSatisfy({ $0.hexValue != nil }) {
                found.append(String(decoding: rest.prefix(start.count + count), as: UTF8.self))
                rest = rest.dropFirst(start.count + count)
            } else {
                rest = rest.dropFirst()
            }
        }
        return found
    }

    /// Returns a text in which identifiers are replaced by those that the server has assigned.
    static func replace(in text: String, by known: (String) -> String?) -> String {
        var result = text
        for id in all(in: text) {
            if let new = known(id) { result = result.replacing(id, with: new) }
        }
        return result
    }

    /// Returns a value in which identifiers are replaced; a string that is an identifier becomes the server's value.
    static func replace(in value: JSONEntity, by known: @escaping (String) -> JSONEntity?) -> JSONEntity {
        guard !all(in: value.text()).isEmpty else { return value }
        let knownText = { (id: String) in known(id).flatMap(Model.text) }
        if value.isObject {
            return JSONEntity(
                object: value.map { member in
                    (replace(in: member.key, by: knownText), replace(in: member, by: known))
                })
        }
        if value.isArray { return JSONEntity(array: value.map { replace(in: $0, by: known) }) }
        guard let text = value.string() else { return value }
        return known(text) ?? JSONEntity(replace(in: text, by: knownText))
    }
}

extension String {
    /// Appends a slash, if there is none, and an encoded segment.
    func appendingSegment(_ text: String) -> String { self + (hasSuffix("/") ? "" : "/") + PercentCoding.encode(text) }

    /// The path without its last segment.
    func removingLastSegment() -> String { lastIndex(of: "/").map { String(self[..<$0]) } ?? self }
}
