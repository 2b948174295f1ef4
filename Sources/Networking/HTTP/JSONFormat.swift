internal import AshlarCore
import Foundation

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

    /// The format of the client that builds the request of an endpoint, or that runs its middleware, which don't know the
    /// client.
    @TaskLocal static var current = JSONFormat()

    /// Encodes a value.
    ///
    /// - Throws: `.encodingFailed` with the path of the value that JSON can't represent.
    package func encode(_ value: some Encodable) throws(NetworkError) -> [UInt8] {
        let encoder = self == JSONFormat() ? Self.standardEncoder : makeEncoder()
        do {
            return Array(try encoder.encode(value))
        } catch {
            var message = "\(type(of: value)) can't be encoded as JSON: \(error)"
            if case EncodingError.invalidValue(_, let context) = error {
                let steps = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? "." + key.stringValue }
                message = "at $\(steps.joined()): \(context.debugDescription)"
            }
            throw NetworkError(.encodingFailed, message, phase: .prepare, underlying: error)
        }
    }

    private static let standardEncoder = JSONFormat().makeEncoder()

    private func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        switch dates {
        case .rfc3339:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                guard let text = RFC3339.format(secondsSince2001: date.timeIntervalSinceReferenceDate) else {
                    throw EncodingError.invalidValue(
                        date,
                        .init(codingPath: encoder.codingPath, debugDescription: "the date has no year of four digits"))
                }
                try container.encode(text)
            }
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
        case .secondsSince2001: encoder.dateEncodingStrategy = .deferredToDate
        }
        if keys == .snakeCase {
            encoder.keyEncodingStrategy = .custom { path in
                let key = path.last ?? TreeKey("")
                return ObjectIdentifier(type(of: key)) == Self.dictionaryKey
                    ? key : TreeKey(JSONKeyFormat.snakeCase(key.stringValue))
            }
        }
        return encoder
    }

    /// The standard library's type of the keys of dictionaries; an encoder exempts only those with keys of type `String`.
    private static let dictionaryKey: ObjectIdentifier? = {
        enum Key: String, Encodable, CodingKeyRepresentable { case any }
        let found = Mutex<ObjectIdentifier?>(nil)
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .custom { path in
            let key = path.last ?? TreeKey("")
            found.withLock { $0 = ObjectIdentifier(type(of: key)) }
            return key
        }
        _ = try? encoder.encode([Key.any: 0])
        return found.withLock { $0 }
    }()
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
