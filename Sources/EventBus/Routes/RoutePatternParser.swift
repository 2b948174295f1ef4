internal import AshlarCore

/// Parses a pattern into tokens, and then builds the variants from the tokens.
struct RoutePatternParser {
    private struct Piece {
        /// A text, a parameter or a catch-all; nil for a slash.
        let token: RouteSegment?
        let offset: Int
        /// The groups that contain the token, one bit each.
        let groups: UInt8
    }

    private let source: String
    private let bytes: [UInt8]
    private let types: [RouteParameterType]
    private var at = 0
    private var pieces: [Piece] = []
    /// The enclosing groups of each group.
    private var outerGroups: [UInt8] = []
    /// The groups that contain the current position, the outermost first, and the offsets of their braces.
    private var openGroups: [(bit: UInt8, offset: Int)] = []
    private(set) var names: [String] = []
    private(set) var authority: RouteAuthority?

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

    // MARK: Tokens

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
        if authority == nil, bytes[0] != .slash, bytes[0] != UInt8(ascii: "{") {
            throw failure("patternMissingSlash", "/ at the beginning of the path", at: 0)
        }
        while at < bytes.count { try parseToken() }
        if let unclosed = openGroups.last {
            throw failure("patternUnbalancedGroup", "} after {", at: unclosed.offset)
        }
    }

    private mutating func parseToken() throws(EventBusError) {
        switch bytes[at] {
        case .slash:
            append(nil, at: at)
            at += 1
        case UInt8(ascii: "{"): try openGroup()
        case UInt8(ascii: "}"): try closeGroup()
        case .colon, UInt8(ascii: "*"): try parseParameter()
        case UInt8(ascii: "\\"):
            guard at + 1 < bytes.count else {
                throw failure("patternDanglingEscape", "a character after \\", at: at)
            }
            appendText(at: at + 1)
        case .question, .hashMark:
            let (mark, what) = bytes[at] == .question ? ("?", "query") : ("#", "fragment")
            throw failure(
                "patternReservedCharacter", "\\\(mark) for the character itself",
                found: "\(mark), which begins a \(what) and takes no part in matching", at: at)
        case .percent where bytes.count > at + 2 && bytes[at + 1].hexValue != nil && bytes[at + 2].hexValue != nil:
            throw failure(
                "patternPercentEncoded", "the decoded character, or \\% for a %",
                found: "an escape in a pattern, which is written decoded", at: at)
        default: appendText(at: at)
        }
    }

    private mutating func append(_ token: RouteSegment?, at offset: Int) {
        pieces.append(Piece(token: token, offset: offset, groups: openGroups.reduce(0) { $0 | $1.bit }))
    }

    /// Appends the text from an offset to the next character with a meaning.
    private mutating func appendText(at start: Int) {
        let end = bytes[(start + 1)...].firstIndex { "/{}:*\\?#%".utf8.contains($0) } ?? bytes.count
        append(.literal(String(decoding: bytes[start..<end], as: UTF8.self)), at: start)
        at = end
    }

    private mutating func openGroup() throws(EventBusError) {
        guard outerGroups.count < RouteLimits.groups else {
            throw failure("patternTooManyGroups", "at most \(RouteLimits.groups) optional groups", at: at)
        }
        outerGroups.append(openGroups.reduce(0) { $0 | $1.bit })
        openGroups.append((1 << UInt8(outerGroups.count - 1), at))
        at += 1
    }

    private mutating func closeGroup() throws(EventBusError) {
        guard let group = openGroups.popLast() else { throw failure("patternUnbalancedGroup", "{ before }", at: at) }
        guard pieces.contains(where: { $0.groups & group.bit != 0 }) else {
            throw failure("patternEmptyGroup", "something between { and }", at: group.offset)
        }
        at += 1
    }

    private mutating func parseParameter() throws(EventBusError) {
        let start = at
        at += 1
        if bytes[start] == .colon {
            let name = try parseName(":")
            append(.parameter(RouteParameter(name: name, type: try parseType(of: name))), at: start)
        } else {
            append(.catchAll(name: try parseName("*")), at: start)
        }
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

    // MARK: Scheme and host

    private mutating func parseAuthority() throws(EventBusError) {
        let isAny = bytes[0] == UInt8(ascii: "*")
        let end = isAny ? 1 : bytes.firstIndex { !URLText.isSchemeByte($0) } ?? bytes.count
        guard isAny || bytes[0].isLetter, bytes[end...].starts(with: "://".utf8) else { return }
        let start = end + "://".utf8.count
        let hostEnd = bytes[start...].firstIndex { $0 == .slash || $0 == UInt8(ascii: "{") } ?? bytes.count
        let scheme = isAny ? nil : String(decoding: bytes[..<end], as: UTF8.self).asciiLowercased
        authority = RouteAuthority(
            scheme: scheme.map { .literal($0) } ?? .parameter(RouteParameter()),
            host: try parseHost(start..<hostEnd, scheme: scheme))
        at = hostEnd
    }

    private mutating func parseHost(_ host: Range<Int>, scheme: String?) throws(EventBusError) -> RouteSegment {
        if bytes[host] == [UInt8(ascii: "*")] { return .parameter(RouteParameter()) }
        // A colon begins a parameter, not a port, at the start and after a dot or a hyphen.
        let mark = host.dropLast().first { at in
            let isStart = at == host.lowerBound || [UInt8(ascii: "."), UInt8(ascii: "-")].contains(bytes[at - 1])
            return isStart && bytes[at] == .colon && (bytes[at + 1].isLetter || bytes[at + 1] == UInt8(ascii: "_"))
        }
        if let at = bytes[host].firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "*") }) {
            throw failure("patternMalformedHost", "plain text, one parameter or * as host", at: at)
        }
        guard let mark else {
            return .literal(try normalForm(Array(bytes[host]), scheme) { host.lowerBound + $0 })
        }
        let before = bytes[host.lowerBound..<mark]
        let label = before[(before.lastIndex(of: .dot).map { $0 + 1 } ?? host.lowerBound)...]
        if let wrong = label.firstIndex(where: { !PercentCoding.isUnreserved($0) }) {
            throw failure("patternMalformedHost", "letters, digits and -._~ before a parameter", at: wrong)
        }
        at = mark + 1
        let name = try parseName(":")
        let type = try parseType(of: name)
        // The value is one letter here, so that the host is checked as a whole.
        let (start, end) = (before.count + 1, at)
        let whole = Array(before) + [UInt8(ascii: "a")] + bytes[end..<host.upperBound]
        let text = try normalForm(whole, scheme) { $0 < start ? host.lowerBound + $0 : $0 - start + end }
        let prefix = try normalForm(Array(whole.prefix(start)), scheme) { host.lowerBound + $0 }.dropLast()
        return .parameter(
            RouteParameter(
                name: name, type: type, prefix: String(prefix),
                suffix: String(decoding: text.utf8.dropFirst(prefix.utf8.count + 1), as: UTF8.self),
                isHostLabel: type != nil || text.utf8.count > 1))
    }

    /// Returns the normal form of a host; `position` converts the offset of a fault to one in the pattern.
    private func normalForm(
        _ host: [UInt8], _ scheme: String?, position: (Int) -> Int
    ) throws(EventBusError) -> String {
        do {
            let parts = try URLText.authority(host.indices, in: host, URLHost.Rules(scheme: scheme ?? ""))
            return RouteURL.host(parts.host, port: parts.port, scheme: scheme)
        } catch {
            throw failure(
                "patternMalformedHost", error.expected ?? "plain text, one parameter or * as host", found: error.found,
                at: position(error.offset))
        }
    }

    // MARK: Variants

    /// Returns the variants for every choice of groups; the variant with all groups is first.
    func variants() throws(EventBusError) -> [RouteVariant] {
        var result: [RouteVariant] = []
        for choice in stride(from: (1 << outerGroups.count) - 1, through: 0, by: -1) {
            let chosen = UInt8(choice)
            let isWhole = outerGroups.indices.allSatisfy { group in
                chosen & 1 << UInt8(group) == 0 || outerGroups[group] & ~chosen == 0
            }
            if isWhole { result.append(try variant(choosing: chosen)) }
        }
        return result
    }

    private func variant(choosing chosen: UInt8) throws(EventBusError) -> RouteVariant {
        var segments: [RouteSegment] = []
        for piece in pieces where piece.groups & ~chosen == 0 {
            guard let token = piece.token else {
                if case .catchAll = segments.last {
                    throw failure("patternCatchAllNotLast", "nothing after a catch-all", at: piece.offset)
                }
                guard segments.count < RouteLimits.segments else {
                    throw failure(
                        "patternTooManySegments", "at most \(RouteLimits.segments) segments", at: piece.offset)
                }
                segments.append(.literal(""))
                continue
            }
            guard let last = segments.popLast() else {
                throw failure("patternMissingSlash", "/ at the beginning of the path", at: piece.offset)
            }
            segments.append(try extend(last, with: token, at: piece.offset))
        }
        // "/" has no segments; one empty segment would be "//".
        if segments.count == 1, segments[0].isEmpty { segments = [] }
        return RouteVariant(
            segments: segments, names: (authority?.host.name.map { [$0] } ?? []) + segments.compactMap(\.name))
    }

    /// Returns a segment with a text, a parameter or a catch-all after its text.
    private func extend(
        _ segment: RouteSegment, with token: RouteSegment, at offset: Int
    ) throws(EventBusError) -> RouteSegment {
        switch (segment, token) {
        case (.catchAll, _): throw failure("patternCatchAllNotLast", "nothing after a catch-all", at: offset)
        case (.literal(let text), .literal(let more)): return .literal(text + more)
        case (.parameter(let parameter), .literal(let more)):
            return .parameter(parameter.with(prefix: parameter.prefix, suffix: parameter.suffix + more))
        case (.literal(let text), .parameter(let parameter)):
            return text.isEmpty ? .parameter(parameter) : .parameter(parameter.with(prefix: text, suffix: ""))
        case (.parameter, .parameter):
            throw failure(
                "patternAdjacentParameters", "one parameter in a segment",
                found: "another one, which only the conversion of a RouteParameterType can split", at: offset)
        case (.literal(""), .catchAll(let name)): return .catchAll(name: name)
        case (_, .catchAll):
            throw failure(
                "patternCatchAllNotAlone", "a catch-all that is a whole segment, or \\* for a *", at: offset)
        }
    }
}
