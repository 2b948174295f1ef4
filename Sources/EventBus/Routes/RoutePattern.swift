internal import AshlarCore

/// A parsed route pattern such as `/notes/:id(int)` or `https://example.com/files/*path`.
///
/// | text | meaning |
/// |---|---|
/// | `/notes/new` | exactly these segments, without percent-encoding: `/a b` matches `/a%20b` |
/// | `:id` | one nonempty segment |
/// | `:id(int)` | one segment of a type; see ``RouteParameterType`` |
/// | `*path` | one or more last segments |
/// | `\:` | the next character without its special meaning |
/// | `app://host/notes` | only URLs with this scheme and host |
///
/// A parameter is a whole segment. A pattern without a scheme matches only paths. Names consist of letters, digits and `_`.
///
/// ```swift
/// let pattern = try RoutePattern("/notes/:id(int)")
/// print(try pattern.path(["id": "5"]))  // /notes/5
/// ```
public struct RoutePattern: Sendable, CustomStringConvertible {
    let source: String
    /// The names of all parameters, in order.
    public let parameterNames: [String]
    /// The scheme and the host in lowercase, such as `https://example.com`; nil for a path.
    let authority: String?
    /// The segments of the path.
    let segments: [RouteSegment]

    /// Parses a pattern.
    ///
    /// - Parameters:
    ///   - source: The text of the pattern.
    ///   - types: The parameter types that the pattern can use in addition to the built-in ones.
    /// - Throws: ``EventBusError`` with the pattern, the byte offset, and the expected text.
    /// - Complexity: O(*n*) in the length of the pattern.
    public init(_ source: String, types: [RouteParameterType] = []) throws(EventBusError) {
        let text: RoutePatternText
        do { text = try RoutePatternText(source, types: types.map(\.name)) } catch {
            throw EventBusError(
                .init(error.code), subject: source, offset: error.offset, expected: error.expected, found: error.found)
        }
        self.source = source
        parameterNames = text.names
        authority = text.authority
        segments = text.segments.map { segment in
            switch segment {
            case .literal(let text): .literal(text)
            case .parameter(let name, let type):
                .parameter(
                    RouteParameter(name: name, type: (RouteParameterType.restricting + types).last { $0.name == type }))
            case .catchAll(let name): .catchAll(name: name)
            }
        }
    }

    /// The text of the pattern.
    public var description: String { source }

    /// Returns the scheme with the host, and the segments of the path, as they are matched with these options.
    func matchedPath(_ options: RouterOptions) -> ArraySlice<RouteSegment> {
        var path = segments
        let endsInSlash = path.last?.isEmpty == true
        if endsInSlash { path.removeLast() }
        if endsInSlash, !options.ignoresTrailingSlash { path.append(.literal("")) }
        if !options.isCaseSensitive { path = path.map(\.lowercased) }
        guard let authority else { return path[...] }
        return [.literal(authority)] + path
    }
}

/// One segment of a pattern, or its scheme with its host.
enum RouteSegment: Sendable {
    case literal(String)
    case parameter(RouteParameter)
    case catchAll(name: String)

    /// Whether this is a literal without text, as between two slashes.
    var isEmpty: Bool { if case .literal("") = self { true } else { false } }

    /// The name of the captured value; nil if there is none.
    var name: String? {
        switch self {
        case .literal: nil
        case .parameter(let parameter): parameter.name
        case .catchAll(let name): name
        }
    }

    /// The type of a parameter; nil for any value.
    var type: RouteParameterType? { if case .parameter(let parameter) = self { parameter.type } else { nil } }

    /// The segment with lowercase letters in its text.
    var lowercased: RouteSegment {
        if case .literal(let text) = self { .literal(text.asciiLowercased) } else { self }
    }
}

/// A parameter that is one segment of a path.
final class RouteParameter: Sendable {
    let name: String
    /// The type of the value; nil for any value.
    let type: RouteParameterType?

    init(name: String, type: RouteParameterType?) {
        self.name = name
        self.type = type
    }
}
