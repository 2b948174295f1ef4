/// The format of dates and keys in JSON.
///
/// A client has one, ``ClientConfiguration/json``, for everything that it encodes and decodes: endpoints, `get(_:as:)` and
/// `post(_:_:)`, streamed values, and the dates and types that are read from a ``JSONEntity`` of a response.
///
/// ```swift
/// import Foundation
///
/// struct Note: Codable, Sendable { let createdAt: Date }
///
/// func newest(_ client: NetworkClient) async throws -> Note {
///     try await client.get("notes/newest", as: Note.self)  // {"created_at": 1795180778}
/// }
///
/// var configuration = ClientConfiguration()
/// configuration.base = "https://api.example.com"
/// configuration.json = JSONFormat(dates: .secondsSince1970, keys: .snakeCase)
/// let client = NetworkClient(configuration)
/// ```
///
/// Types that need another format decode themselves, for example a date from a string in its own `init(from:)`.
public struct JSONFormat: Hashable, Sendable {
    /// The format of dates; RFC 3339 by default.
    public var dates: JSONDateFormat
    /// The format of keys; by default, keys are the names of properties.
    public var keys: JSONKeyFormat

    /// Creates a format.
    public init(dates: JSONDateFormat = .rfc3339, keys: JSONKeyFormat = .propertyNames) {
        self.dates = dates
        self.keys = keys
    }

    /// Encodes a value.
    ///
    /// - Throws: `.encodingFailed` with the path of the value that JSON can't represent.
    package func encode(_ value: some Encodable) throws(NetworkError) -> [UInt8] {
        try EncodedJSON(value).bytes(self)
    }
}

/// The format of dates in a JSON document.
public enum JSONDateFormat: Hashable, Sendable {
    /// Strings such as `2026-11-20T13:19:38Z` or `2026-11-20T14:19:38.25+01:00` (RFC 3339), written to the millisecond.
    case rfc3339
    /// Numbers of seconds since 1970-01-01T00:00:00Z.
    case secondsSince1970
    /// Numbers of milliseconds since 1970-01-01T00:00:00Z.
    case millisecondsSince1970
    /// Numbers of seconds since 2001-01-01T00:00:00Z, the default of `JSONEncoder`.
    case secondsSince2001
}

/// The format of keys in a JSON document.
public enum JSONKeyFormat: Hashable, Sendable {
    /// Keys are the names of properties, or their `CodingKeys`.
    case propertyNames
    /// Keys are the names of properties in snake case: `created_at` for `createdAt`, `image_url` for `imageURL`.
    ///
    /// The keys of dictionaries are unchanged. A key that equals the name of the property is also decoded. A case of an
    /// enumeration with associated values, and any other key that a type finds in `allKeys`, is decoded only if its name is
    /// without acronyms: `image_url` is then `imageUrl`.
    case snakeCase

    /// Returns `image_url` for `imageURL`.
    static func snakeCase(_ name: String) -> String {
        var key = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase, index > 0, letters[index - 1] != "_" {
                let endsWord = !letters[index - 1].isUppercase
                let startsWord = index + 1 < letters.count && letters[index + 1].isLowercase
                if endsWord || startsWord { key.append("_") }
            }
            key += letter.lowercased()
        }
        return key
    }

    /// Returns `imageUrl` for `image_url`.
    static func camelCase(_ key: String) -> String {
        var name = ""
        var startsWord = false
        for letter in key {
            if letter == "_", name.contains(where: { $0 != "_" }) {
                if startsWord { name.append("_") }
                startsWord = true
            } else {
                name += startsWord ? letter.uppercased() : String(letter)
                startsWord = false
            }
        }
        return startsWord ? name + "_" : name
    }
}
