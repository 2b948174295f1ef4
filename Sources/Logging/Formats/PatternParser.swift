/// A part of a pattern.
struct FormatPiece: Equatable, Sendable {
    enum Kind: String, Sendable {
        case literal = ""
        case indent, level, context, message, fields, time, sequence, number
        case toolBoxLevel = "ftlevel"
        case file, function, method, line, thread
    }

    let kind: Kind
    /// The text of a literal.
    var literal: [UInt8] = []

    init(_ kind: Kind) { self.kind = kind }
}

extension [FormatPiece] {
    /// Appends a byte to the literal at the end, or begins one.
    fileprivate mutating func append(_ byte: UInt8) {
        if last?.kind != .literal { append(FormatPiece(.literal)) }
        self[count - 1].literal.add(byte)
    }
}

/// Parses the patterns of ``LogFormat``.
enum PatternParser {
    static let myLogger = preset("{indent}[{level}] {context} - {message}{fields}")
    static let standard = preset("{time} {indent}[{level}] {context} - {message}{fields}")
    static let ftToolBox = preset("{ftlevel}({number}):: {context}, {method}:: {message}{fields}")

    private static let positions: [FormatPiece.Kind] = [.indent, .level, .context, .message]

    private static func preset(_ pattern: String) -> [FormatPiece] {
        do { return try named(pattern) } catch { preconditionFailure(error.description) }
    }

    static func parse(_ pattern: String) throws(LogError) -> [FormatPiece] {
        let pieces = pattern.contains("%@") ? try positional(pattern) : try named(pattern)
        guard let message = pieces.firstIndex(of: FormatPiece(.message)) else {
            throw LogError(
                text: pattern, expected: "four %@, or named placeholders with {message}",
                found: pieces.isEmpty ? "an empty pattern" : "no {message}")
        }
        var complete = pieces
        if !pieces.contains(FormatPiece(.fields)) { complete.insert(FormatPiece(.fields), at: message + 1) }
        return complete
    }

    private static func positional(_ pattern: String) throws(LogError) -> [FormatPiece] {
        var pieces: [FormatPiece] = []
        var found = 0
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.first {
            if rest.skip("%%") {
                pieces.append(UInt8(ascii: "%"))
            } else if rest.skip("%@") {
                if found < positions.count { pieces.append(FormatPiece(positions[found])) }
                found += 1
            } else if byte == UInt8(ascii: "%") {
                let text = String(decoding: rest, as: UTF8.self)
                throw LogError(
                    text: pattern, expected: "only %@ and %%",
                    found: text == "%" ? "% at the end" : String(text.prefix(2)))
            } else {
                pieces.append(byte)
                rest.removeFirst()
            }
        }
        guard found == positions.count else {
            throw LogError(
                text: pattern,
                expected: "exactly four %@ (indent, level, context, message)", found: "\(found)")
        }
        return pieces
    }

    private static func named(_ pattern: String) throws(LogError) -> [FormatPiece] {
        var pieces: [FormatPiece] = []
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.first {
            if rest.skip("{{") || rest.skip("}}") {
                pieces.append(byte)
            } else if rest.skip("{") {
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw LogError(
                        text: pattern, expected: "a } for every {",
                        found: "{\(String(decoding: rest, as: UTF8.self))")
                }
                let name = String(decoding: rest[..<end], as: UTF8.self)
                guard !name.isEmpty, let kind = FormatPiece.Kind(rawValue: name) else {
                    throw LogError(
                        text: pattern,
                        expected: "{indent}, {level}, {context}, {message}, {fields}, {time}, {sequence}, {number}, "
                            + "{ftlevel}, {file}, {function}, {method}, {line} or {thread}",
                        found: "{\(name)}")
                }
                pieces.append(FormatPiece(kind))
                rest = rest[(end + 1)...]
            } else if byte == UInt8(ascii: "}") {
                throw LogError(text: pattern, expected: "}} or a { before }", found: "}")
            } else {
                pieces.append(byte)
                rest.removeFirst()
            }
        }
        return pieces
    }
}
