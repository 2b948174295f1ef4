/// What a part of a pattern prints.
enum FormatPiece: Equatable {
    case literal(String)
    case indent
    case level
    case context
    case message
    case fields
    case time
    case sequence
    case number
    case toolBoxLevel
    case file
    case function
    case method
    case line
    case thread

    init?(name: Substring) {
        switch name {
        case "indent": self = .indent
        case "level": self = .level
        case "context": self = .context
        case "message": self = .message
        case "fields": self = .fields
        case "time": self = .time
        case "sequence": self = .sequence
        case "number": self = .number
        case "ftlevel": self = .toolBoxLevel
        case "file": self = .file
        case "function": self = .function
        case "method": self = .method
        case "line": self = .line
        case "thread": self = .thread
        default: return nil
        }
    }
}

/// Reads the patterns of ``LogFormat``.
enum PatternParser {
    static let standard: [FormatPiece] = [
        .indent, .literal("["), .level, .literal("] "), .context, .literal(" - "), .message, .fields,
    ]
    static let timed: [FormatPiece] = [.time, .literal(" ")] + standard
    static let ftToolBox: [FormatPiece] = [
        .toolBoxLevel, .literal("("), .number, .literal("):: "), .context, .literal(", "), .method, .literal(":: "),
        .message, .fields,
    ]

    private static let positions: [FormatPiece] = [.indent, .level, .context, .message]

    static func parse(_ pattern: String) throws(LogError) -> [FormatPiece] {
        let pieces = pattern.contains("%@") ? try positional(pattern) : try named(pattern)
        guard let message = pieces.firstIndex(of: .message) else {
            throw LogError(
                code: .formatMalformed, text: pattern, expected: "four %@, or named placeholders with {message}",
                found: pieces.isEmpty ? "an empty pattern" : "no {message}")
        }
        var complete = pieces
        if !pieces.contains(.fields) { complete.insert(.fields, at: message + 1) }
        return complete
    }

    private static func positional(_ pattern: String) throws(LogError) -> [FormatPiece] {
        var pieces: [FormatPiece] = []
        var literal = ""
        var found = 0
        var rest = pattern[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                literal.append(character)
                continue
            }
            switch rest.popFirst() {
            case "%": literal.append("%")
            case "@":
                if found < positions.count {
                    if !literal.isEmpty { pieces.append(.literal(literal)) }
                    literal = ""
                    pieces.append(positions[found])
                }
                found += 1
            case let other:
                throw LogError(
                    code: .formatMalformed, text: pattern, expected: "only %@ and %%",
                    found: "%\(other.map(String.init) ?? " at the end")")
            }
        }
        guard found == positions.count else {
            throw LogError(
                code: .formatMalformed, text: pattern,
                expected: "exactly four %@ (indent, level, context, message)", found: "\(found)")
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }

    private static func named(_ pattern: String) throws(LogError) -> [FormatPiece] {
        var pieces: [FormatPiece] = []
        var literal = ""
        var rest = pattern[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(character)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw LogError(
                        code: .formatMalformed, text: pattern, expected: "a } for every {", found: "{\(rest)")
                }
                let name = rest[..<end]
                guard let piece = FormatPiece(name: name) else {
                    throw LogError(
                        code: .formatMalformed, text: pattern,
                        expected: "{indent}, {level}, {context}, {message}, {fields}, {time}, {sequence}, {number}, "
                            + "{ftlevel}, {file}, {function}, {method}, {line} or {thread}",
                        found: "{\(name)}")
                }
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                pieces.append(piece)
                rest = rest[rest.index(after: end)...]
            case "}":
                throw LogError(code: .formatMalformed, text: pattern, expected: "}} or a { before }", found: "}")
            default: literal.append(character)
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }
}
