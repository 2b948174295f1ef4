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
        var parser = RoutePatternParser(source, types)
        try parser.parse()
        self.source = source
        parameterNames = parser.names
        authority = parser.authority
        segments = parser.segments
    }

    /// The text of the pattern.
    public var description: String { source }

    /// The parameters with the names of their types, for generated code.
    package var parameters: [(name: String, type: String?)] {
        segments.compactMap { segment in segment.name.map { ($0, segment.type?.name) } }
    }

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

/// Parses the text of a pattern.
struct RoutePatternParser {
    private let source: String
    private let bytes: [UInt8]
    private let types: [RouteParameterType]
    private var at = 0
    private(set) var names: [String] = []
    private(set) var authority: String?
    private(set) var segments: [RouteSegment] = []

    init(_ source: String, _ types: [RouteParameterType]) {
        self.source = source
        self.types = types
        bytes = source.utf8.count <= RouteLimits.patternBytes ? Array(source.utf8) : []
    }

    private func failure(
        _ code: StaticString, _ expected: String, found: String? = nil, at offset: Int
    ) -> EventBusError {
        EventBusError(.init(code), subject: source, offset: offset, expected: expected, found: found)
    }

    mutating func parse() throws(EventBusError) {
        guard source.utf8.count <= RouteLimits.patternBytes else {
            throw failure(
                "patternTooLong", "at most \(RouteLimits.patternBytes) bytes", found: "\(source.utf8.count) bytes",
                at: 0)
        }
        guard !bytes.isEmpty else {
            throw failure("patternEmpty", "a path that begins with /", found: "nothing", at: 0)
        }
        try parseAuthority()
        if authority == nil, bytes[0] != .slash {
            throw failure("patternMissingSlash", "/ or a scheme and :// at the beginning", at: 0)
        }
        while at < bytes.count { try parseSegment() }
        // "/" has no segments; one empty segment would be "//".
        if segments.count == 1, segments[0].isEmpty { segments = [] }
    }

    // MARK: Scheme and host

    private mutating func parseAuthority() throws(EventBusError) {
        let end = bytes.firstIndex { !URLText.isSchemeByte($0) } ?? bytes.count
        guard bytes[0].isLetter, bytes[end...].starts(with: "://".utf8) else { return }
        let start = end + "://".utf8.count
        at = bytes[start...].firstIndex(of: .slash) ?? bytes.count
        let scheme = String(decoding: bytes[..<end], as: UTF8.self).asciiLowercased
        if let wrong = bytes[start..<at].firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "*") }) {
            throw failure("patternMalformedHost", "a plain host", at: wrong)
        }
        let host = Array(bytes[start..<at])
        do {
            let parts = try URLText.authority(host.indices, in: host, URLHost.Rules(scheme: scheme))
            authority = "\(scheme)://" + RouteURL.host(parts.host, port: parts.port, scheme: scheme)
        } catch {
            throw failure(
                "patternMalformedHost", error.expected ?? "a plain host", found: error.found, at: start + error.offset)
        }
    }

    // MARK: Segments

    /// Parses a slash and the segment after it.
    private mutating func parseSegment() throws(EventBusError) {
        if case .catchAll = segments.last {
            throw failure("patternCatchAllNotLast", "nothing after a catch-all", at: at)
        }
        guard segments.count < RouteLimits.segments else {
            throw failure("patternTooManySegments", "at most \(RouteLimits.segments) segments", at: at)
        }
        at += 1
        if at < bytes.count, bytes[at] == .colon || bytes[at] == UInt8(ascii: "*") {
            segments.append(try parseParameter())
            guard at == bytes.count || bytes[at] == .slash else { throw notAlone(at: at) }
            return
        }
        var text = ""
        while at < bytes.count, bytes[at] != .slash { text += try parseText() }
        segments.append(.literal(text))
    }

    private func notAlone(at offset: Int) -> EventBusError {
        failure(
            "patternParameterNotAlone", "a parameter that is a whole segment",
            found: "text around one, which the conversion of a RouteParameterType can split off", at: offset)
    }

    /// Parses the text from a position to the next character with a meaning.
    private mutating func parseText() throws(EventBusError) -> String {
        switch bytes[at] {
        case .colon, UInt8(ascii: "*"): throw notAlone(at: at)
        case UInt8(ascii: "\\"):
            at += 1
            if at == bytes.count { throw failure("patternDanglingEscape", "a character after \\", at: at - 1) }
        case .question, .hashMark, UInt8(ascii: "{"), UInt8(ascii: "}"):
            let mark = Character(Unicode.Scalar(bytes[at]))
            let isPart = bytes[at] == .question || bytes[at] == .hashMark
            throw failure(
                "patternReservedCharacter", "\\\(mark) for the character itself",
                found: isPart ? "a query or a fragment, which takes no part in matching" : "\(mark)", at: at)
        case .percent where bytes.count > at + 2 && bytes[at + 1].hexValue != nil && bytes[at + 2].hexValue != nil:
            throw failure(
                "patternPercentEncoded", "the decoded character, or \\% for a %",
                found: "an escape in a pattern, which is written decoded", at: at)
        default: break
        }
        let start = at
        at = bytes[(start + 1)...].firstIndex { "/{}:*\\?#%".utf8.contains($0) } ?? bytes.count
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func parseParameter() throws(EventBusError) -> RouteSegment {
        let isCatchAll = bytes[at] == UInt8(ascii: "*")
        at += 1
        let name = try parseName(isCatchAll ? "*" : ":")
        return isCatchAll
            ? .catchAll(name: name) : .parameter(RouteParameter(name: name, type: try parseType(of: name)))
    }

    private mutating func parseName(_ mark: Character) throws(EventBusError) -> String {
        let start = at
        // The pattern is a string, so its bytes are whole characters.
        for scalar in String(decoding: bytes[at...], as: UTF8.self).unicodeScalars {
            let isLetter = scalar.isASCII ? UInt8(ascii: scalar).isLetter : scalar.properties.isAlphabetic
            guard isLetter || scalar == "_" || ("0"..."9").contains(scalar) else { break }
            at += UTF8.width(scalar)
        }
        guard at > start else {
            throw failure("patternEmptyName", "a name of letters, digits and _ after \(mark)", at: start)
        }
        guard names.count < RouteLimits.parameters else {
            throw failure("patternTooManyParameters", "at most \(RouteLimits.parameters) parameters", at: start - 1)
        }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard !names.contains(name) else {
            throw failure("patternRepeatedName", "every name once", found: "\(name) again", at: start)
        }
        names.append(name)
        return name
    }

    /// Parses a type in parentheses; returns nil if there is none, or for the type of any value.
    private mutating func parseType(of name: String) throws(EventBusError) -> RouteParameterType? {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "(") else { return nil }
        let start = at + 1
        let end = bytes[start...].firstIndex { !RouteParameterType.isNameByte($0) } ?? bytes.count
        guard end < bytes.count, bytes[end] == UInt8(ascii: ")") else {
            throw failure("patternUnknownType", "a type name and ) after \(name)(", at: end)
        }
        let typeName = String(decoding: bytes[start..<end], as: UTF8.self)
        at = end + 1
        let builtIn = RouteParameterType.restricting
        if let known = types.last(where: { $0.name == typeName }) ?? builtIn.first(where: { $0.name == typeName }) {
            return known
        }
        guard typeName == RouteParameterType.anyValue else {
            let names = ((types + builtIn).map(\.name) + [RouteParameterType.anyValue]).joined(separator: ", ")
            throw failure("patternUnknownType", "one of \(names)", found: "\"\(typeName)\"", at: start)
        }
        return nil
    }
}
