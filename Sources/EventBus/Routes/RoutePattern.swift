/// A parsed route pattern such as `/notes/:id(int){/:page}` or `https://*/files/*path`.
///
/// | text | meaning |
/// |---|---|
/// | `/notes/new` | exactly these segments, without percent-encoding: `/a b` matches `/a%20b` |
/// | `:id` | one nonempty segment |
/// | `:id(int)` | one segment of a type; see ``RouteParameterType`` |
/// | `v:id.json` | one parameter per segment, with text before or after it |
/// | `*path` | one or more last segments |
/// | `{/:page}` | an optional group; at most four in a pattern, possibly nested |
/// | `\:` | the next character without its special meaning |
/// | `app://host/notes` | only URLs with this scheme and host, which can also be `*` |
/// | `https://:tenant.example.com/` | a parameter in the host: one label, or the whole host |
///
/// A pattern without a scheme matches only paths. Names consist of letters, digits and `_`.
///
/// ```swift
/// let pattern = try RoutePattern("/notes/:id(int)")
/// print(try pattern.path(["id": "5"]))  // /notes/5
/// ```
public struct RoutePattern: Sendable, CustomStringConvertible {
    let source: String
    /// The names of all parameters, in order.
    public let parameterNames: [String]
    let authority: RouteAuthority?
    /// The variants of the pattern for each choice of optional groups; the variant with all groups is first.
    let variants: [RouteVariant]

    /// Parses a pattern.
    ///
    /// - Parameters:
    ///   - source: The text of the pattern.
    ///   - types: The parameter types that the pattern can use in addition to the built-in ones.
    /// - Throws: ``EventBusError`` with the pattern, the byte offset, and the expected text.
    /// - Complexity: O(*n*) in the length of the pattern.
    public init(_ source: String, types: [RouteParameterType] = []) throws(EventBusError) {
        var parser = RoutePatternParser(source, types)
        try parser.parse()
        self.source = source
        parameterNames = parser.names
        authority = parser.authority
        variants = try parser.variants()
    }

    /// The text of the pattern.
    public var description: String { source }

    /// The parameters with the names of their types, for generated code; one of an optional group is optional.
    package var parameters: [(name: String, type: String?, isOptional: Bool)] {
        let segments = [authority?.scheme, authority?.host].compactMap { $0 } + variants[0].segments
        return segments.compactMap { segment in
            segment.name.map { name in
                (name, segment.type?.name, !variants.allSatisfy { $0.names.contains(name) })
            }
        }
    }
}

/// The scheme and host before a pattern's path, as two segments in lowercase.
struct RouteAuthority: Sendable {
    let scheme: RouteSegment
    let host: RouteSegment

    var text: String { "\(scheme.label)://\(host.label)" }
}

/// One variant of a pattern: a sequence of segments.
final class RouteVariant: Sendable {
    /// The segments of the path.
    let segments: [RouteSegment]
    /// The names of the parameters in host and path.
    let names: [String]

    init(segments: [RouteSegment], names: [String]) {
        self.segments = segments
        self.names = names
    }

    /// Returns the segments of the path as they are matched with these options.
    func path(_ options: RouterOptions) -> [RouteSegment] {
        var path = segments
        let endsInSlash = path.last?.isEmpty == true
        if endsInSlash { path.removeLast() }
        if options.collapsesSlashes { path.removeAll(where: \.isEmpty) }
        // Collapsed slashes alone are "/".
        let isRoot = path.isEmpty && options.collapsesSlashes
        if endsInSlash, !options.ignoresTrailingSlash, !isRoot { path.append(.literal("")) }
        return options.isCaseSensitive ? path : path.map(\.lowercased)
    }
}

/// One segment of a pattern, or its scheme or host.
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

    var isParameter: Bool { if case .parameter = self { true } else { false } }

    /// The type of a parameter; nil for any value.
    var type: RouteParameterType? { if case .parameter(let parameter) = self { parameter.type } else { nil } }

    /// The segment in the notation of a pattern.
    var label: String {
        switch self {
        case .literal(let text): text
        case .parameter(let parameter): parameter.label
        case .catchAll(let name): "*\(name)"
        }
    }

    /// The segment with lowercase letters in its text.
    var lowercased: RouteSegment {
        switch self {
        case .literal(let text): return .literal(text.asciiLowercased)
        case .parameter(let parameter):
            return .parameter(
                parameter.with(prefix: parameter.prefix.asciiLowercased, suffix: parameter.suffix.asciiLowercased))
        case .catchAll: return self
        }
    }
}

/// A parameter that is one segment of a path, or a scheme or host.
final class RouteParameter: Sendable {
    /// The name; nil for the `*` of a scheme or host, whose value isn't captured.
    let name: String?
    /// The type of the value; nil for any value.
    let type: RouteParameterType?
    /// The text before the value.
    let prefix: String
    /// The text after the value.
    let suffix: String
    /// Whether the value is one label of a host, without dots and port.
    let isHostLabel: Bool

    init(
        name: String? = nil, type: RouteParameterType? = nil, prefix: String = "", suffix: String = "",
        isHostLabel: Bool = false
    ) {
        self.name = name
        self.type = type
        self.prefix = prefix
        self.suffix = suffix
        self.isHostLabel = isHostLabel
    }

    /// Returns the parameter with other text around it.
    func with(prefix: String, suffix: String) -> RouteParameter {
        RouteParameter(name: name, type: type, prefix: prefix, suffix: suffix, isHostLabel: isHostLabel)
    }

    var label: String {
        guard let name else { return "*" }
        return prefix + ":\(name)" + (type.map { "(\($0.name))" } ?? "") + suffix
    }

    /// Returns the value in a segment, with the value to which its type converts it.
    ///
    /// Returns nil if the segment doesn't consist of the text around a nonempty value of the type.
    func match(_ url: RouteURL, at index: Int) -> RouteValue? {
        guard let text = url.text(at: index, after: prefix, before: suffix) else { return nil }
        if isHostLabel, text.utf8.contains(where: { $0 == .dot || $0 == .colon }) { return nil }
        guard let type else { return RouteValue(text: text) }
        let (isValid, converted) = type.check(text)
        return isValid ? RouteValue(text: text, converted: converted) : nil
    }
}
