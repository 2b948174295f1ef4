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
    /// The parts in one reference, because routers and tables copy patterns.
    private final class Parts: Sendable {
        let source: String
        let parameterNames: [String]
        let authority: RouteAuthority?
        let variants: [RouteVariant]

        init(_ source: String, _ names: [String], _ authority: RouteAuthority?, _ variants: [RouteVariant]) {
            (self.source, parameterNames, self.authority, self.variants) = (source, names, authority, variants)
        }
    }

    private let parts: Parts
    var source: String { parts.source }
    /// The names of all parameters, in order.
    public var parameterNames: [String] { parts.parameterNames }
    var authority: RouteAuthority? { parts.authority }
    /// The variants of the pattern for each choice of optional groups; the variant with all groups is first.
    var variants: [RouteVariant] { parts.variants }

    /// The maximum length of a pattern, in bytes of UTF-8.
    package static let maximumLength = 8192
    /// The maximum number of optional groups in a pattern.
    package static let maximumGroups = 4

    /// Parses a pattern.
    ///
    /// - Parameters:
    ///   - source: The text of the pattern.
    ///   - types: The parameter types that the pattern can use in addition to the built-in ones.
    /// - Throws: ``EventBusError`` with the pattern, the byte offset, and the expected text.
    /// - Complexity: O(*n*) in the length of the pattern.
    public init(_ source: String, types: [RouteParameterType] = []) throws(EventBusError) {
        try self.init(source, types: types, limits: RouteLimits())
    }

    package init(_ source: String, types: [RouteParameterType] = [], limits: RouteLimits) throws(EventBusError) {
        var parser = RoutePatternParser(source, types: types, limits: limits)
        try parser.parse()
        parts = Parts(source, parser.names, parser.authority, try parser.variants())
    }

    init(copying other: RoutePattern, variants: [RouteVariant]) {
        parts = Parts(other.source, other.parameterNames, other.authority, variants)
    }

    /// The text of the pattern.
    public var description: String { source }
}

/// The scheme and host before a pattern's path; nil matches any.
final class RouteAuthority: Sendable {
    let scheme: String?
    let host: String?
    /// The parameter of the host, if it has one; `host` is then nil.
    let parameter: RouteHostParameter?

    init(scheme: String?, host: String?, parameter: RouteHostParameter? = nil) {
        (self.scheme, self.host, self.parameter) = (scheme, host, parameter)
    }

    var text: String { "\(scheme ?? "*")://\(parameter?.text ?? host ?? "*")" }
}

/// A parameter in a host, with the text around it in normal form.
struct RouteHostParameter: Sendable {
    let name: String
    let type: RouteParameterType?
    let prefix: String
    let suffix: String

    var text: String { "\(prefix):\(name)\(type.map { "(\($0.name))" } ?? "")\(suffix)" }

    /// The parameter as a segment, and the text of that segment.
    var segment: (RouteSegment, [UInt8]) {
        let (before, after) = (Array(prefix.utf8), Array(suffix.utf8))
        var segment = RouteSegment(kind: .parameter, start: 0)
        segment.becomeParameter(type, at: before.count)
        segment.close(at: before.count + after.count)
        return (segment, before + after)
    }

    /// The value of the parameter in a host in normal form that it matches.
    func value(in host: [UInt8]) -> String {
        String(decoding: host.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count), as: UTF8.self)
    }
}

/// One variant of a pattern: a sequence of segments.
struct RouteVariant: Sendable {
    /// The literal bytes of all segments, concatenated, without escapes.
    var text: [UInt8] = []
    var segments: [RouteSegment] = []
    var names: [String] = []

    /// Removes the empty segments that these options also remove from paths.
    mutating func trim(_ options: RouteTreeOptions) {
        if options.ignoresTrailingSlash, segments.last?.isEmpty == true { segments.removeLast() }
        guard options.collapsesSlashes, segments.contains(where: \.isEmpty) else { return }
        let endsInSlash = segments.last?.isEmpty == true && !options.ignoresTrailingSlash
        let last = segments.last
        segments.removeAll(where: \.isEmpty)
        if endsInSlash, let last, !segments.isEmpty { segments.append(last) }
    }
}

/// One segment of a variant; its ranges refer to the variant's `text`.
struct RouteSegment: Sendable {
    enum Kind: UInt8 {
        case literal
        case parameter
        case catchAll
    }

    var kind: Kind
    private var start: UInt16
    private var split: UInt16
    private var end: UInt16
    /// The type of a parameter; nil for any value.
    var type: RouteParameterType?

    /// Creates a segment whose text is empty and starts at `start`; a pattern is short enough for these integers.
    init(kind: Kind = .literal, start: Int) {
        (self.kind, self.start, split, end) = (kind, UInt16(start), UInt16(start), UInt16(start))
    }

    /// The text of a literal, or the text before a parameter.
    var prefix: Range<Int> { Int(start)..<Int(split) }
    /// The text after a parameter.
    var suffix: Range<Int> { Int(split)..<Int(end) }
    /// Whether this is a literal without text, as between two slashes.
    var isEmpty: Bool { kind == .literal && start == split }

    /// Ends the text: the text of a literal, or the text after a parameter.
    mutating func close(at end: Int) {
        self.end = UInt16(end)
        if kind == .literal { split = self.end }
    }

    /// Converts a literal, whose text ends at `split`, to a parameter with this text before it.
    mutating func becomeParameter(_ type: RouteParameterType?, at split: Int) {
        (kind, self.type, self.split, end) = (.parameter, type, UInt16(split), UInt16(split))
    }
}
