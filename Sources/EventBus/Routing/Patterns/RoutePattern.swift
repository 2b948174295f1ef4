/// A parsed route pattern such as `/notes/:id(int){/:page}` or `https://*/files/*path`.
///
/// | text | meaning |
/// |---|---|
/// | `/notes/new` | these very segments, written decoded: `/a b` matches `/a%20b` |
/// | `:id` | one whole segment, never empty |
/// | `:id(int)` | one segment of a type; see ``RouteParameterType`` |
/// | `v:id.json` | one parameter per segment, with text before it, after it or on both sides |
/// | `*path` | one or more last segments |
/// | `{/:page}` | an optional group; at most four in a pattern, nested or side by side |
/// | `\:` | the next character, without its meaning |
/// | `app://host/notes` | only URLs of this scheme and host, either of which may be `*` |
///
/// A pattern without a scheme matches paths alone, never a whole URL. Names consist of letters, digits and `_`.
///
/// ```swift
/// let pattern = try RoutePattern("/notes/:id(int)")
/// print(try pattern.path(["id": "5"]))  // /notes/5
/// ```
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    /// The text that was parsed.
    public let source: String
    /// The names of all parameters, in the order in which they are written.
    public let parameterNames: [String]
    let authority: RouteAuthority?
    /// What the pattern represents once its optional groups are chosen; the one with all groups comes first.
    let variants: [RouteVariant]

    /// The longest pattern, in bytes of UTF-8.
    public static let maximumLength = 8192
    /// The most optional groups in one pattern.
    public static let maximumGroups = 4

    /// Parses a pattern.
    ///
    /// - Parameters:
    ///   - source: The text of the pattern.
    ///   - types: The parameter types that the pattern may name in addition to the built-in ones.
    /// - Throws: ``EventBusError`` with the pattern, the offset in bytes and what was expected there.
    /// - Complexity: O(*n*) in the length of the pattern.
    public init(_ source: String, types: [RouteParameterType] = []) throws(EventBusError) {
        try self.init(source, types: types, limits: RouteLimits())
    }

    package init(_ source: String, types: [RouteParameterType] = [], limits: RouteLimits) throws(EventBusError) {
        var parser = RoutePatternParser(source, types: types, limits: limits)
        try parser.parse()
        self.source = source
        authority = parser.authority
        parameterNames = parser.names
        variants = try parser.variants()
    }

    init(copying other: RoutePattern, variants: [RouteVariant]) {
        (source, parameterNames, authority) = (other.source, other.parameterNames, other.authority)
        self.variants = variants
    }

    /// The text that was parsed.
    public var description: String { source }

    /// Patterns are equal when they are written alike.
    public static func == (a: Self, b: Self) -> Bool { ByteText(a.source) == ByteText(b.source) }
    /// Hashes the text of the pattern.
    public func hash(into hasher: inout Hasher) { hasher.combine(ByteText(source)) }
}

/// The scheme and host before a pattern's path; nil represents any.
struct RouteAuthority: Sendable, Hashable {
    var scheme: String?
    var host: String?

    var text: String { "\(scheme ?? "*")://\(host ?? "*")" }
}

/// One way to read a pattern: a plain row of segments.
struct RouteVariant: Sendable {
    /// The literal bytes of all segments, one after the other, without escapes.
    var text: [UInt8] = []
    var segments: [RouteSegment] = []
    var names: [String] = []

    /// Drops the empty segments that paths lose under these options too.
    mutating func trim(_ options: RouteTreeOptions) {
        if options.ignoresTrailingSlash, segments.last?.isEmpty == true { segments.removeLast() }
        guard options.collapsesSlashes, segments.contains(where: \.isEmpty) else { return }
        let endsInSlash = segments.last?.isEmpty == true && !options.ignoresTrailingSlash
        let last = segments.last
        segments.removeAll(where: \.isEmpty)
        if endsInSlash, let last, !segments.isEmpty { segments.append(last) }
    }
}

/// One segment of a variant; its ranges lie in the variant's `text`.
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
    /// The type of a parameter, nil where any value will do.
    var type: RouteParameterType?

    /// A segment whose text begins, and so far ends, at `start`; a pattern is short enough for these numbers.
    init(kind: Kind = .literal, start: Int) {
        (self.kind, self.start, split, end) = (kind, UInt16(start), UInt16(start), UInt16(start))
    }

    /// The text of a literal, or the text before a parameter.
    var prefix: Range<Int> { Int(start)..<Int(split) }
    /// The text after a parameter.
    var suffix: Range<Int> { Int(split)..<Int(end) }
    /// Whether this is the literal without text, as between two slashes.
    var isEmpty: Bool { kind == .literal && start == split }

    /// Ends the text; what was not before a parameter is after it.
    mutating func close(at end: Int) {
        self.end = UInt16(end)
        if kind == .literal { split = self.end }
    }

    /// Makes a literal, so far ending at `split`, a parameter with this text before it.
    mutating func becomeParameter(_ type: RouteParameterType?, at split: Int) {
        (kind, self.type, self.split, end) = (.parameter, type, UInt16(split), UInt16(split))
    }
}
