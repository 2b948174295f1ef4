/// The parsed text of a route pattern, whose parameter types are names.
package struct RoutePatternText: Sendable {
    package enum Segment: Sendable {
        case literal(String)
        /// A parameter with the name of its type; nil for any value.
        case parameter(name: String, type: String?)
        case catchAll(name: String)
    }

    /// The text of the pattern.
    package let source: String
    private let bytes: [UInt8]
    private let types: [String]
    private var at = 0
    /// The names of all parameters, in order.
    package private(set) var names: [String] = []
    /// The scheme and the host in lowercase, such as `https://example.com`; nil for a path.
    package private(set) var authority: String?
    /// The segments of the path.
    package private(set) var segments: [Segment] = []

    /// Parses a pattern, which can use types in addition to the built-in ones.
    package init(_ source: String, types: [String] = []) throws(RoutePatternFault) {
        self.source = source
        self.types = types
        bytes = source.utf8.count <= Self.maximumBytes ? Array(source.utf8) : []
        try parse()
    }

    /// The parameters with the names of their types, for generated code.
    package var parameters: [(name: String, type: String?)] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name, let type): (name, type)
            case .catchAll(let name): (name, nil)
            }
        }
    }

    private mutating func parse() throws(RoutePatternFault) {
        guard source.utf8.count <= Self.maximumBytes else {
            throw RoutePatternFault(
                "patternTooLong", "at most \(Self.maximumBytes) bytes", found: "\(source.utf8.count) bytes",
                at: 0)
        }
        guard !bytes.isEmpty else {
            throw RoutePatternFault("patternEmpty", "a path that begins with /", found: "nothing", at: 0)
        }
        try parseAuthority()
        if authority == nil, bytes[0] != UInt8(ascii: "/") {
            throw RoutePatternFault("patternMissingSlash", "/ or a scheme and :// at the beginning", at: 0)
        }
        while at < bytes.count { try parseSegment() }
        // "/" has no segments; one empty segment would be "//".
        if segments.count == 1, case .literal("") = segments[0] { segments = [] }
    }

    // MARK: Scheme and host

    private mutating func parseAuthority() throws(RoutePatternFault) {
        let end = bytes.firstIndex { !URLText.isSchemeByte($0) } ?? bytes.count
        guard bytes[0].isLetter, bytes[end...].starts(with: "://".utf8) else { return }
        let start = end + "://".utf8.count
        at = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let scheme = String(decoding: bytes[..<end], as: UTF8.self).asciiLowercased
        if let wrong = bytes[start..<at].firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "*") }) {
            throw RoutePatternFault("patternMalformedHost", "a plain host", at: wrong)
        }
        let host = Array(bytes[start..<at])
        do {
            let parts = try URLText.authority(host.indices, in: host, URLHost.Rules(scheme: scheme))
            authority = "\(scheme)://" + URLText.normalHost(parts.host, port: parts.port, scheme: scheme)
        } catch {
            throw RoutePatternFault(
                "patternMalformedHost", error.expected ?? "a plain host", found: error.found, at: start + error.offset)
        }
    }

    // MARK: Segments

    /// Parses a slash and the segment after it.
    private mutating func parseSegment() throws(RoutePatternFault) {
        if case .catchAll = segments.last {
            throw RoutePatternFault("patternCatchAllNotLast", "nothing after a catch-all", at: at)
        }
        guard segments.count < Self.maximumSegments else {
            throw RoutePatternFault("patternTooManySegments", "at most \(Self.maximumSegments) segments", at: at)
        }
        at += 1
        if at < bytes.count, bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: "*") {
            segments.append(try parseParameter())
            guard at == bytes.count || bytes[at] == UInt8(ascii: "/") else { throw notAlone(at: at) }
            return
        }
        var text = ""
        while at < bytes.count, bytes[at] != UInt8(ascii: "/") { text += try parseText() }
        segments.append(.literal(text))
    }

    private func notAlone(at offset: Int) -> RoutePatternFault {
        RoutePatternFault(
            "patternParameterNotAlone", "a parameter that is a whole segment",
            found: "text around one, which the conversion of a RouteParameterType can split off", at: offset)
    }

    /// Parses the text from a position to the next character with a meaning.
    private mutating func parseText() throws(RoutePatternFault) -> String {
        switch bytes[at] {
        case UInt8(ascii: ":"), UInt8(ascii: "*"): throw notAlone(at: at)
        case UInt8(ascii: "\\"):
            at += 1
            if at == bytes.count {
                throw RoutePatternFault("patternDanglingEscape", "a character after \\", at: at - 1)
            }
        case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            let mark = Character(Unicode.Scalar(bytes[at]))
            let isPart = bytes[at] == UInt8(ascii: "?") || bytes[at] == UInt8(ascii: "#")
            throw RoutePatternFault(
                "patternReservedCharacter", "\\\(mark) for the character itself",
                found: isPart ? "a query or a fragment, which takes no part in matching" : "\(mark)", at: at)
        case UInt8(ascii: "%")
        where bytes.count > at + 2 && bytes[at + 1].hexValue != nil && bytes[at + 2].hexValue != nil:
            throw RoutePatternFault(
                "patternPercentEncoded", "the decoded character, or \\% for a %",
                found: "an escape in a pattern, which is written decoded", at: at)
        default: break
        }
        let start = at
        at = bytes[(start + 1)...].firstIndex { "/{}:*\\?#%".utf8.contains($0) } ?? bytes.count
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func parseParameter() throws(RoutePatternFault) -> Segment {
        let isCatchAll = bytes[at] == UInt8(ascii: "*")
        at += 1
        let name = try parseName(isCatchAll ? "*" : ":")
        return isCatchAll ? .catchAll(name: name) : .parameter(name: name, type: try parseType(of: name))
    }

    private mutating func parseName(_ mark: Character) throws(RoutePatternFault) -> String {
        let start = at
        // The pattern is a string, so its bytes are whole characters.
        for scalar in String(decoding: bytes[at...], as: UTF8.self).unicodeScalars {
            let isLetter = scalar.isASCII ? UInt8(ascii: scalar).isLetter : scalar.properties.isAlphabetic
            guard isLetter || scalar == "_" || ("0"..."9").contains(scalar) else { break }
            at += UTF8.width(scalar)
        }
        guard at > start else {
            throw RoutePatternFault("patternEmptyName", "a name of letters, digits and _ after \(mark)", at: start)
        }
        guard names.count < Self.maximumParameters else {
            throw RoutePatternFault(
                "patternTooManyParameters", "at most \(Self.maximumParameters) parameters", at: start - 1)
        }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard !names.contains(name) else {
            throw RoutePatternFault("patternRepeatedName", "every name once", found: "\(name) again", at: start)
        }
        names.append(name)
        return name
    }

    /// Parses a type in parentheses; returns nil if there is none, or for the type of any value.
    private mutating func parseType(of name: String) throws(RoutePatternFault) -> String? {
        guard at < bytes.count, bytes[at] == UInt8(ascii: "(") else { return nil }
        let start = at + 1
        let end = bytes[start...].firstIndex { !RouteValueType.isNameByte($0) } ?? bytes.count
        guard end < bytes.count, bytes[end] == UInt8(ascii: ")") else {
            throw RoutePatternFault("patternUnknownType", "a type name and ) after \(name)(", at: end)
        }
        let type = String(decoding: bytes[start..<end], as: UTF8.self)
        at = end + 1
        let known = types + RouteValueType.allCases.map { $0.rawValue }
        if known.contains(type) { return type }
        guard type == Self.anyValue else {
            let names = (known + [Self.anyValue]).joined(separator: ", ")
            throw RoutePatternFault("patternUnknownType", "one of \(names)", found: "\"\(type)\"", at: start)
        }
        return nil
    }

    /// The name of the type that accepts any value.
    private static let anyValue = "string"
    /// The maximum length, in bytes of UTF-8.
    package static let maximumBytes = 8192
    /// The maximum number of segments of a pattern or path.
    package static let maximumSegments = 128
    /// The maximum number of parameters.
    private static let maximumParameters = 32
}

/// A mistake in a route pattern.
package struct RoutePatternFault: Error {
    /// The name of an `EventBusError.Code`.
    package let code: StaticString
    /// The byte offset of the mistake.
    package let offset: Int
    package let expected: String
    package let found: String?

    fileprivate init(_ code: StaticString, _ expected: String, found: String? = nil, at offset: Int) {
        self.code = code
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}
