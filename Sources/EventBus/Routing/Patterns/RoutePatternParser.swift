internal import AshlarCore

/// Parses a pattern into tokens, and then builds the variants from the tokens.
struct RoutePatternParser {
    private enum Kind {
        case slash
        case text
        case parameter(name: Int, type: RouteParameterType?)
        case catchAll(name: Int)
    }

    private struct Token {
        var kind: Kind
        var range: Range<Int>
        /// The groups that contain the token, one bit each.
        var groups: UInt8
    }

    private let source: String
    private let bytes: [UInt8]
    private let types: [RouteParameterType]
    private let limits: RouteLimits
    private var at = 0
    private var tokens: [Token] = []
    /// The enclosing groups of each group.
    private var outerGroups: [UInt8] = []
    private(set) var names: [String] = []
    private(set) var authority: RouteAuthority?

    init(_ source: String, types: [RouteParameterType], limits: RouteLimits) {
        (self.source, self.types, self.limits) = (source, types, limits)
        bytes = source.utf8.count <= RoutePattern.maximumLength ? Array(source.utf8) : []
    }

    private func failure(
        _ code: StaticString, _ expected: String, found: String? = nil, at offset: Int
    ) -> EventBusError {
        EventBusError(.init(code), subject: source, offset: offset, expected: expected, found: found)
    }

    // MARK: Tokens

    mutating func parse() throws(EventBusError) {
        guard source.utf8.count <= RoutePattern.maximumLength else {
            throw failure(
                "patternTooLong", "at most \(RoutePattern.maximumLength) bytes", found: "\(source.utf8.count) bytes",
                at: 0)
        }
        guard !bytes.isEmpty else {
            throw failure("patternEmpty", "a path that begins with /", found: "nothing", at: 0)
        }
        try parseAuthority()
        if authority == nil, bytes[0] != .slash, bytes[0] != UInt8(ascii: "{") {
            throw failure("patternMissingSlash", "/ at the beginning of the path", at: 0)
        }
        tokens.reserveCapacity(12)
        var (open, openOffsets, textStart) = ([UInt8](), [Int](), at)
        func groupMask() -> UInt8 { open.reduce(0, |) }
        func closeText(_ end: Int, _ tokens: inout [Token]) {
            if end > textStart { tokens.append(Token(kind: .text, range: textStart..<end, groups: groupMask())) }
        }
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case .slash, UInt8(ascii: "{"), UInt8(ascii: "}"), .colon, UInt8(ascii: "*"), UInt8(ascii: "\\"):
                closeText(at, &tokens)
            case .question, .hashMark:
                let what = byte == .question ? "query" : "fragment"
                let mark = Character(Unicode.Scalar(byte))
                throw failure(
                    "patternReservedCharacter", "\\\(mark) for the character itself",
                    found: "\(mark), which begins a \(what) and takes no part in matching", at: at)
            case .percent where isEscape(at):
                throw failure(
                    "patternPercentEncoded", "the decoded character, or \\% for a %",
                    found: "an escape in a pattern, which is written decoded", at: at)
            default:
                at += 1
                continue
            }
            switch byte {
            case .slash:
                tokens.append(Token(kind: .slash, range: at..<at + 1, groups: groupMask()))
                at += 1
            case UInt8(ascii: "{"):
                guard outerGroups.count < RoutePattern.maximumGroups else {
                    throw failure(
                        "patternTooManyGroups", "at most \(RoutePattern.maximumGroups) optional groups", at: at)
                }
                outerGroups.append(groupMask())
                open.append(1 << UInt8(outerGroups.count - 1))
                openOffsets.append(at)
                at += 1
            case UInt8(ascii: "}"):
                guard let group = open.last else {
                    throw failure("patternUnbalancedGroup", "{ before }", at: at)
                }
                guard tokens.contains(where: { $0.groups & group != 0 }) else {
                    throw failure(
                        "patternEmptyGroup", "something between { and }", at: openOffsets[openOffsets.count - 1])
                }
                open.removeLast()
                openOffsets.removeLast()
                at += 1
            case UInt8(ascii: "\\"):
                guard at + 1 < bytes.count else {
                    throw failure("patternDanglingEscape", "a character after \\", at: at)
                }
                // The escaped character starts a text, so that its meaning is never evaluated.
                textStart = at + 1
                at += 2
                continue
            default: try parseParameter(groups: groupMask())
            }
            textStart = at
        }
        closeText(at, &tokens)
        if let unclosed = openOffsets.last {
            throw failure("patternUnbalancedGroup", "} after {", at: unclosed)
        }
    }

    private func isEscape(_ at: Int) -> Bool {
        at + 2 < bytes.count && bytes[at + 1].hexValue != nil && bytes[at + 2].hexValue != nil
    }

    private mutating func parseParameter(groups: UInt8) throws(EventBusError) {
        let start = at
        let isCatchAll = bytes[at] == UInt8(ascii: "*")
        at += 1
        let name = try parseName(isCatchAll ? "*" : ":")
        var kind = Kind.catchAll(name: names.count - 1)
        if !isCatchAll {
            var type: RouteParameterType?
            if at < bytes.count, bytes[at] == UInt8(ascii: "(") { type = try parseType(of: name) }
            kind = .parameter(name: names.count - 1, type: type)
        }
        tokens.append(Token(kind: kind, range: start..<at, groups: groups))
    }

    private mutating func parseName(_ mark: Character) throws(EventBusError) -> String {
        let start = at
        while at < bytes.count {
            let byte = bytes[at]
            if byte < 0x80 {
                guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") else { break }
                at += 1
            } else {
                guard let scalar = source.utf8.scalar(at: at), scalar.properties.isAlphabetic else { break }
                at += UTF8.width(scalar)
            }
        }
        guard at > start else {
            throw failure("patternEmptyName", "a name of letters, digits and _ after \(mark)", at: start)
        }
        guard names.count < limits.parameters else {
            throw failure("patternTooManyParameters", "at most \(limits.parameters) parameters", at: start - 1)
        }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard !names.contains(name) else {
            throw failure("patternRepeatedName", "every name once", found: "\(name) again", at: start)
        }
        names.append(name)
        return name
    }

    private mutating func parseType(of name: String) throws(EventBusError) -> RouteParameterType? {
        let start = at + 1
        at = start
        while at < bytes.count, RouteParameterType.isNameByte(bytes[at]) { at += 1 }
        guard at < bytes.count, bytes[at] == UInt8(ascii: ")") else {
            throw failure("patternUnknownType", "a type name and ) after \(name)(", at: at)
        }
        let typeName = String(decoding: bytes[start..<at], as: UTF8.self)
        at += 1
        let known = types.last { $0.name == typeName } ?? RouteParameterType.restricting.first { $0.name == typeName }
        if let known { return known }
        guard typeName == "\(RouteParameterType.BuiltIn.string)" else {
            let names = ((types + RouteParameterType.restricting).map(\.name) + ["string"]).joined(separator: ", ")
            throw failure("patternUnknownType", "one of \(names)", found: "\"\(typeName)\"", at: start)
        }
        return nil
    }

    // MARK: Scheme and host

    private mutating func parseAuthority() throws(EventBusError) {
        var end = 0
        if bytes[0] == UInt8(ascii: "*") {
            end = 1
        } else if bytes[0].isLetter {
            while end < bytes.count, RouteURL.isSchemeByte(bytes[end]) { end += 1 }
        }
        let mark = "://".utf8
        guard end > 0, bytes[end...].starts(with: mark) else { return }
        let hostStart = end + mark.count
        var hostEnd = hostStart
        while hostEnd < bytes.count, bytes[hostEnd] != .slash, bytes[hostEnd] != UInt8(ascii: "{") { hostEnd += 1 }
        let scheme = Self.lowercased(bytes[..<end])
        if let mark = parameterMark(in: hostStart..<hostEnd) {
            let parameter = try parseHostParameter(hostStart..<hostEnd, mark: mark, scheme: scheme)
            authority = RouteAuthority(scheme: scheme, host: nil, parameter: parameter)
        } else {
            let host = try parseHost(hostStart..<hostEnd)
            authority = RouteAuthority(
                scheme: scheme, host: host.map { RouteHost.normalForm(ofPattern: $0, scheme: scheme) })
        }
        at = hostEnd
    }

    /// Returns the offset of a colon that begins a parameter and not a port: at the start, or after a dot or a hyphen.
    private func parameterMark(in host: Range<Int>) -> Int? {
        host.dropLast().first { at in
            let isStart = at == host.lowerBound || [UInt8(ascii: "."), UInt8(ascii: "-")].contains(bytes[at - 1])
            return isStart && bytes[at] == .colon && (bytes[at + 1].isLetter || bytes[at + 1] == UInt8(ascii: "_"))
        }
    }

    private mutating func parseHostParameter(
        _ host: Range<Int>, mark: Int, scheme: String?
    ) throws(EventBusError) -> RouteHostParameter {
        try checkHost(host.lowerBound..<mark, mayHavePort: false)
        at = mark + 1
        let name = try parseName(":")
        let type = at < bytes.count && bytes[at] == UInt8(ascii: "(") ? try parseType(of: name) : nil
        try checkHost(at..<host.upperBound, mayHavePort: true)
        let after = String(decoding: bytes[at..<host.upperBound], as: UTF8.self)
        return RouteHostParameter(
            name: name, type: type, prefix: RouteBytes.lowercased(bytes[host.lowerBound..<mark]),
            suffix: after.isEmpty ? "" : RouteHost.normalForm(ofPattern: after, scheme: scheme))
    }

    /// Returns a host without a parameter; nil for `*`.
    private func parseHost(_ host: Range<Int>) throws(EventBusError) -> String? {
        if bytes[host] == [UInt8(ascii: "*")] { return nil }
        try checkHost(host, mayHavePort: true)
        return Self.lowercased(bytes[host])
    }

    private func checkHost(_ host: Range<Int>, mayHavePort: Bool) throws(EventBusError) {
        for offset in host where !RouteURL.isHostByte(bytes[offset]) {
            throw failure(
                "patternMalformedHost", "plain text, one parameter or * as host",
                found: "\(Character(Unicode.Scalar(bytes[offset])))", at: offset)
        }
        // A colon is only allowed before a port or inside the brackets of an IPv6 address.
        if let colon = bytes[host].lastIndex(of: .colon), !bytes[colon..<host.upperBound].contains(UInt8(ascii: "]")),
            !mayHavePort || !bytes[(colon + 1)..<host.upperBound].allSatisfy(\.isDigit)
        {
            throw failure("patternMalformedHost", "a port after :, or one parameter in the host", at: colon)
        }
    }

    /// The text of a part in lowercase letters; nil for `*`.
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes == [UInt8(ascii: "*")] ? nil : RouteBytes.lowercased(bytes)
    }

    // MARK: Variants

    /// Returns the variants for every choice of groups; the variant with all groups is first.
    func variants() throws(EventBusError) -> [RouteVariant] {
        let all = UInt8(truncatingIfNeeded: (1 << outerGroups.count) - 1)
        if all == 0 { return [try variant(choosing: 0)] }
        var result: [RouteVariant] = []
        for choice in stride(from: Int(all), through: 0, by: -1) {
            let chosen = UInt8(choice)
            let isWhole = outerGroups.indices.allSatisfy { group in
                chosen & 1 << UInt8(group) == 0 || outerGroups[group] & ~chosen == 0
            }
            if isWhole { result.append(try variant(choosing: chosen)) }
        }
        return result
    }

    private func variant(choosing chosen: UInt8) throws(EventBusError) -> RouteVariant {
        var variant = RouteVariant()
        variant.segments.reserveCapacity(tokens.count { if case .slash = $0.kind { true } else { false } })
        variant.text.reserveCapacity(bytes.count)
        // If no group is omitted, the names are those of the pattern, in the same memory.
        let hasAllNames = Int(chosen) == (1 << outerGroups.count) - 1
        if hasAllNames {
            variant.names = names
        } else if let parameter = authority?.parameter {
            variant.names = [parameter.name]
        }
        var segment: RouteSegment?
        func close(_ variant: inout RouteVariant) {
            guard var last = segment else { return }
            last.close(at: variant.text.count)
            variant.segments.append(last)
        }
        for token in tokens where token.groups & ~chosen == 0 {
            let start = variant.text.count
            if case .slash = token.kind {
                if segment?.kind == .catchAll {
                    throw failure("patternCatchAllNotLast", "nothing after a catch-all", at: token.range.lowerBound)
                }
                close(&variant)
                segment = RouteSegment(start: start)
                guard variant.segments.count < limits.segments else {
                    throw failure(
                        "patternTooManySegments", "at most \(limits.segments) segments", at: token.range.lowerBound)
                }
                continue
            }
            guard var current = segment else {
                throw failure("patternMissingSlash", "/ at the beginning of the path", at: token.range.lowerBound)
            }
            if current.kind == .catchAll {
                throw failure("patternCatchAllNotLast", "nothing after a catch-all", at: token.range.lowerBound)
            }
            switch token.kind {
            case .slash: break
            case .text: variant.text.append(contentsOf: bytes[token.range])
            case .parameter(let name, let type):
                guard current.kind == .literal else {
                    throw failure(
                        "patternAdjacentParameters", "one parameter in a segment",
                        found: "another one, which only the conversion of a RouteParameterType can split",
                        at: token.range.lowerBound)
                }
                if !hasAllNames { variant.names.append(names[name]) }
                current.becomeParameter(type, at: start)
                segment = current
            case .catchAll(let name):
                guard current.kind == .literal, current.prefix.lowerBound == start else {
                    throw failure(
                        "patternCatchAllNotAlone", "a catch-all that is a whole segment, or \\* for a *",
                        at: token.range.lowerBound)
                }
                if !hasAllNames { variant.names.append(names[name]) }
                segment = RouteSegment(kind: .catchAll, start: start)
            }
        }
        close(&variant)
        // "/" has no segments; one empty segment would be "//".
        if variant.segments.count == 1, variant.segments[0].isEmpty { variant.segments = [] }
        return variant
    }
}

extension String.UTF8View {
    /// Returns the scalar whose encoding starts at a byte offset.
    fileprivate func scalar(at offset: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var rest = self[index(startIndex, offsetBy: offset)...].makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&rest) { return scalar }
        return nil
    }
}
