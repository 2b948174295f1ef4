internal import AshlarCore

/// Reads the statements of a strings file into a table.
///
///     file      = ['{'] statement* ['}']
///     statement = string ['=' value] ';'
///     value     = string | data | '(' [value (',' value)* [',']] ')' | '{' statement* '}'
///
/// After an error, reading continues after the next `;` at the end of a line. The classes in Java/ have the same rule.
struct StringsParser {
    typealias Problem = StringsLexer.Problem

    /// The maximum number of nested lists and dictionaries, which are read with recursion, like those of other files.
    static let maximumDepth = 100
    /// The maximum number of listed problems; further problems are only counted.
    static let maximumDiagnostics = 1000

    private(set) var table: StringsTable
    private(set) var diagnostics: [CustomizationDiagnostic] = []
    private var unlistedDiagnostics = 0
    private var hasUnlistedError = false
    private var lexer: StringsLexer
    /// The key of the current statement.
    private var key: String?
    /// The number of bytes that can be read again after an error, which is limited so that reading takes linear time.
    private var rereads: Int

    init(_ text: SourceText) {
        let isMarked = text.utf8.starts(with: [0xEF, 0xBB, 0xBF])
        // An entry has more than 64 bytes in most files.
        table = StringsTable(text: text, capacity: text.utf8.count / 64)
        lexer = StringsLexer(text.utf8, from: isMarked ? 3 : 0)
        rereads = 4 * text.utf8.count + 4096
        if isMarked {
            report(
                Problem(
                    offset: 0, code: .strayByteOrderMark, message: "second byte order mark", fix: "remove it"))
        }
    }

    mutating func parse() {
        var brace: Int?
        var isFirst = true
        while true {
            defer { isFirst = false }
            key = nil
            let token: StringsLexer.Token
            do throws(Problem) { token = try lexer.next() } catch {
                skip(from: lexer.offset, after: error)
                continue
            }
            let start = lexer.offset
            do throws(Problem) {
                switch token {
                case .end:
                    reportNotes(before: start)
                    if let brace {
                        report(Problem(offset: brace, code: .malformedContainer, message: "unterminated dictionary"))
                    }
                    return reportUnlisted()
                case .mark(UInt8(ascii: "{")) where isFirst: brace = start
                case .mark(UInt8(ascii: "}")) where brace != nil:
                    brace = nil
                    guard case .end = try lexer.next() else { throw unexpected("the end of the file after \"}\"") }
                default: try statement(token)
                }
                reportNotes(from: start, before: lexer.at)
            } catch {
                skip(from: start, after: error)
            }
        }
    }

    private mutating func statement(_ first: StringsLexer.Token) throws(Problem) {
        let start = lexer.offset
        let comment = lexer.comment
        guard case .string(let key) = first else { throw unexpected("a key") }
        self.key = key
        var value = CustomizationValue.string(key)
        var token = try lexer.next()
        if case .mark(UInt8(ascii: "=")) = token {
            token = try lexer.next()
            value = try self.value(token, depth: 0)
            let end = lexer.at
            token = try lexer.next()
            guard case .mark(UInt8(ascii: ";")) = token else {
                var problem = unexpected("\";\" after the value", .missingSemicolon)
                problem.offset = end
                throw problem
            }
        } else {
            guard case .mark(UInt8(ascii: ";")) = token else {
                throw unexpected("\"=\" or \";\" after the key", .missingEquals)
            }
            lexer.notes.append(
                Problem(
                    offset: start, severity: .note, code: .shorthand,
                    message: "key without a value; the key is its own value"))
        }
        let entry = StringsTable.Entry(key: key, value: value, place: .byte(start), comment: comment.map { .range($0) })
        guard let earlier = table.append(entry) else { return }
        report(
            .duplicate(key, table.text.location(ofByte: earlier), table.text.location(ofByte: start)))
    }
}

// MARK: - Values

extension StringsParser {
    /// Reads the rest of a value whose first token has been read.
    private mutating func value(_ first: StringsLexer.Token, depth: Int) throws(Problem) -> CustomizationValue {
        let start = lexer.offset
        guard depth <= Self.maximumDepth else {
            throw Problem(
                offset: start, code: .tooDeep, message: "values are nested more than \(Self.maximumDepth) deep")
        }
        switch first {
        case .string(let text): return .string(text)
        case .data(let bytes): return .data(bytes)
        case .mark(UInt8(ascii: "(")): return try list(from: start, depth: depth)
        case .mark(UInt8(ascii: "{")): return try dictionary(from: start, depth: depth)
        default: throw unexpected("a value")
        }
    }

    private mutating func list(from start: Int, depth: Int) throws(Problem) -> CustomizationValue {
        var items: [CustomizationValue] = []
        var token = try lexer.next()
        while true {
            switch token {
            case .end: throw Problem(offset: start, code: .malformedContainer, message: "unterminated list")
            case .mark(UInt8(ascii: ")")): return .list(items)
            default: items.append(try value(token, depth: depth + 1))
            }
            token = try lexer.next()
            switch token {
            case .mark(UInt8(ascii: ",")): token = try lexer.next()
            case .mark(UInt8(ascii: ")")), .end: break
            default: throw unexpected("\",\" or \")\" in a list", .malformedContainer)
            }
        }
    }

    private mutating func dictionary(from start: Int, depth: Int) throws(Problem) -> CustomizationValue {
        var members: [String: CustomizationValue] = [:]
        while true {
            let token = try lexer.next()
            let keyStart = lexer.offset
            switch token {
            case .end: throw Problem(offset: start, code: .malformedContainer, message: "unterminated dictionary")
            case .mark(UInt8(ascii: "}")): return .dict(members)
            case .string(let key):
                if members[key] != nil {
                    lexer.notes.append(
                        Problem(
                            offset: keyStart, severity: .warning, code: .duplicateKey,
                            message: "duplicate key \"\(key)\" in a dictionary; the last value wins"))
                }
                members[key] = .string(key)
                var next = try lexer.next()
                if case .mark(UInt8(ascii: "=")) = next {
                    members[key] = try value(try lexer.next(), depth: depth + 1)
                    next = try lexer.next()
                }
                guard case .mark(UInt8(ascii: ";")) = next else {
                    throw unexpected("\";\" in a dictionary", .malformedContainer)
                }
            default: throw unexpected("a key or \"}\" in a dictionary", .malformedContainer)
            }
        }
    }
}

// MARK: - Errors

extension StringsParser {
    /// Reports an error, and skips to the text after the next `;` at the end of a line.
    ///
    /// The search starts at the failed statement, so that a missing quote doesn't lose the following lines.
    private mutating func skip(from start: Int, after error: Problem) {
        let bytes = lexer.bytes
        var error = error
        // A text or value of several lines before the error probably lacks its end.
        if error.offset > start, bytes[start..<error.offset].contains(where: StringsLexer.isLineEnd) {
            error.related = start
        }
        report(error)
        rereads -= lexer.at - start
        var at = rereads > 0 ? start : lexer.at
        var end: Int?
        while end == nil, at < bytes.count {
            let isSemicolon = bytes[at] == UInt8(ascii: ";")
            at += 1
            guard isSemicolon else { continue }
            let next = bytes[at...].firstIndex { !StringsLexer.isBlank($0) } ?? bytes.count
            if next == bytes.count || StringsLexer.isLineEnd(bytes[next]) {
                end = next
            } else {
                report(
                    Problem(
                        offset: next, severity: .warning, code: .skippedText,
                        message: "text skipped up to the next \";\""))
            }
        }
        reportNotes(from: start, before: end ?? bytes.count)
        lexer.at = end ?? bytes.count
    }

    /// Returns the error of the last token.
    private func unexpected(_ expected: String, _ code: CustomizationDiagnostic.Code = .unexpectedCharacter) -> Problem
    {
        let at = lexer.offset
        guard at < lexer.bytes.count else {
            return Problem(offset: at, code: code, message: "expected \(expected), found the end of the file")
        }
        let byte = lexer.bytes[at]
        let scalar =
            String(decoding: lexer.bytes[at...].prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
        let isVisible =
            scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value != 0xA0
            && !scalar.properties.isDefaultIgnorableCodePoint
        let found = isVisible ? "\"\(scalar)\"" : "U+" + scalar.value.digits(4, radix: 16, uppercase: true)
        // A letter beyond ASCII, or a sign as in 54% or #FF0000.
        if isVisible, byte >= 0x80 || "+%#@!?&~[]|^".utf8.contains(byte) {
            return Problem(
                offset: at, code: .unquotedText, message: "expected \(expected), found \(found), which needs quotes")
        }
        return Problem(offset: at, code: code, message: "expected \(expected), found \(found)")
    }

    /// Reports the notes of the tokens that were read, and forgets those of tokens that will be read again.
    private mutating func reportNotes(from start: Int = .max, before end: Int) {
        for note in lexer.notes where note.offset < end { report(note, key: note.offset < start ? nil : key) }
        lexer.notes.removeAll()
    }

    private mutating func report(_ problem: Problem) { report(problem, key: key) }

    private mutating func report(_ problem: Problem, key: String?) {
        report(table.text.diagnostic(problem, key: key))
    }

    private mutating func report(_ problem: CustomizationDiagnostic) {
        if diagnostics.count < Self.maximumDiagnostics { return diagnostics.append(problem) }
        unlistedDiagnostics += 1
        hasUnlistedError = hasUnlistedError || problem.severity == .error
    }

    private mutating func reportUnlisted() {
        diagnostics.sort { ($0.line, $0.column) < ($1.line, $1.column) }
        guard unlistedDiagnostics > 0 else { return }
        diagnostics.add(
            hasUnlistedError ? .error : .warning, .furtherProblems,
            "\(unlistedDiagnostics) further problems are not listed", at: CustomizationLocation(file: table.file))
    }
}
