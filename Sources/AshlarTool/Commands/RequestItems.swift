import AshlarCore
import AshlarTooling

/// The words after the URL of a request, in the short forms of httpie.
///
/// | word | meaning |
/// |---|---|
/// | `Name:value` | a header field |
/// | `name==value` | a parameter of the query |
/// | `name=value` | a text in the JSON body, or a field of a form |
/// | `name:=value` | a JSON value in the body |
/// | `name=@file`, `name:=@file` | the content of a file |
///
/// A backslash before a separator makes it a part of the name.
struct RequestItems {
    private(set) var headers: HTTPHeaders = [:]
    private(set) var query = HTTPQuery()
    private var fields: [(String, JSONEntity)] = []

    private static let separators = [":=", "==", "=", ":"]

    init(_ words: some Sequence<String>) throws(ToolError) {
        for word in words {
            guard let (name, separator, value) = Self.split(word), !name.isEmpty else {
                throw .misuse("'\(word)' is not Name:value, name==value, name=value or name:=value")
            }
            switch separator {
            case ":": headers.append(name, value)
            case "==": query.items.append(HTTPQuery.Item(name, value))
            case "=": fields.append((name, JSONEntity(try Self.content(value))))
            default:
                let text = try Self.content(value)
                do throws(NetworkError) { fields.append((name, try JSONEntity(parsing: text))) } catch {
                    throw .misuse("the value of '\(name)' is not JSON: \(error.message)")
                }
            }
        }
    }

    private static func split(_ word: String) -> (name: String, separator: String, value: String)? {
        var (name, rest) = ("", word[...])
        while let character = rest.first {
            if character == "\\", rest.dropFirst().first.map({ ":=".contains($0) }) == true {
                name.append(rest.removeFirst() == "\\" ? rest.removeFirst() : character)
                continue
            }
            if let separator = separators.first(where: { rest.hasPrefix($0) }) {
                return (name, separator, String(rest.dropFirst(separator.count)))
            }
            name.append(rest.removeFirst())
        }
        return nil
    }

    private static func content(_ value: String) throws(ToolError) -> String {
        guard value.hasPrefix("@") else { return value }
        return String(decoding: try ToolOutput.contents(String(value.dropFirst())), as: UTF8.self)
    }

    /// The body: an object of JSON or a form; nil without fields.
    func body(asForm: Bool) -> RequestBody? {
        if fields.isEmpty { return nil }
        if !asForm { return .json(JSONEntity(object: fields)) }
        return .form(HTTPQuery(fields.map { HTTPQuery.Item($0.0, $0.1.string() ?? $0.1.text()) }))
    }
}
