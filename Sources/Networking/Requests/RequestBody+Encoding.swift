public import Foundation

extension RequestBody {
    /// Returns a body with the JSON of a value, encoded immediately.
    ///
    /// If encoding fails, sending the request throws `.encodingFailed`.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder(), contentType: String = "application/json"
    ) -> RequestBody {
        do {
            return .bytes(Array(try encoder.encode(value)), contentType: contentType)
        } catch {
            return .failed(NetworkError(.encodingFailed, Self.explain(error), phase: .prepare, underlying: error))
        }
    }

    /// Returns a body with names and values in the format of an HTML form.
    public static func form(_ query: HTTPQuery) -> RequestBody {
        .bytes(Array(query.formText.utf8), contentType: "application/x-www-form-urlencoded")
    }

    static func failed(_ error: NetworkError) -> RequestBody {
        RequestBody(.failed(error), contentType: nil, length: nil)
    }

    private static func explain(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return String(describing: error) }
        return "at \(JSONPath.text(context.codingPath)): \(context.debugDescription)"
    }
}

/// Formats coding paths as JSON paths.
enum JSONPath {
    /// Returns `$.users[3].name` for the keys users, 3, name.
    static func text(_ path: [any CodingKey]) -> String {
        path.reduce(into: "$") { text, key in
            if let index = key.intValue { text += "[\(index)]" } else { text += "." + key.stringValue }
        }
    }
}
