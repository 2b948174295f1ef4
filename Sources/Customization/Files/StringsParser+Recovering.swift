extension StringsParser {
    /// Reads every valid statement and reports all other text.
    mutating func parseRecovering() {
        let isBraced = scanner.skipSpace() && scanner.bytes[scanner.at] == UInt8(ascii: "{")
        if isBraced {
            scanner.at += 1
        } else {
            // Restarts, because the comment before the first statement belongs to it.
            scanner = StringsScanner(scanner.bytes)
        }
        let start = scanner.at
        while true {
            scanner.comment = nil
            let hasMore = scanner.skipSpace()
            if resumeInUnclosedComment() {
                statement()
                continue
            }
            guard hasMore else {
                if scanner.unterminatedComment != nil {
                    recoverFromComment()
                    continue
                }
                if isBraced { report(start - 1, .error, .malformedContainer, "unterminated dictionary") }
                break
            }
            if isBraced, scanner.bytes[scanner.at] == UInt8(ascii: "}") {
                scanner.at += 1
                reportJunk()
                break
            }
            statement()
        }
        finishComments()
    }

    /// Reports text after the closing brace of a file that is one dictionary.
    private mutating func reportJunk() {
        guard scanner.skipSpace() else { return }
        report(
            scanner.at, .error, .unexpectedCharacter,
            "expected the end of the file after \"}\", found \(character(at: scanner.at))")
        while scanner.skipSpace() { statement() }
    }

    /// Reads a statement, or reports a problem and skips to the next statement.
    private mutating func statement() {
        let start = scanner.at
        let c = scanner.bytes[start]
        guard let text = parseText() else { return strayCharacter(c) }
        guard case .found(var key) = text else {
            report(start, .error, .unterminatedString, "unterminated string")
            return recoverStatements(from: start)
        }
        let keyEnd = scanner.at
        if scanner.at < scanner.bytes.count, c != UInt8(ascii: "\""), c != UInt8(ascii: "'"),
            isPartOfUnquotedText(scanner.bytes[scanner.at])
        {
            key = unquotedKey(from: start)
        }
        let comment = scanner.comment.map { StringsTable.Slice(start: $0.lowerBound, end: $0.upperBound) } ?? .init()
        guard skipSpaceInStatement() else {
            report(keyEnd, .error, .missingEquals, "expected \"=\" or \";\" after the key, found the end of the file")
            if scanner.unterminatedComment != nil { recoverFromComment() }
            return
        }
        switch scanner.bytes[scanner.at] {
        case UInt8(ascii: ";"):
            scanner.at += 1
            report(start, .note, .shorthand, "key without a value; the key is its own value", key: string(key))
            builder.append(key: key, text: key, statement: .init(start: start, end: scanner.at), comment: comment)
            flushEvents(key)
        case UInt8(ascii: "="):
            scanner.at += 1
            value(of: key, from: start, comment: comment)
        default:
            if spansLines(start, keyEnd) {
                reportSwallowing(start, end: keyEnd)
            } else {
                report(
                    scanner.at, .error, .missingEquals,
                    "expected \"=\" or \";\" after the key, found \(character(at: scanner.at))", key: string(key),
                    related: start)
            }
            recoverStatements(from: start)
        }
    }

    private mutating func value(of key: StringsTable.Slice, from start: Int, comment: StringsTable.Slice) {
        let equals = scanner.at - 1
        guard skipSpaceInStatement() else {
            report(
                equals, .error, .missingSemicolon, "expected a value after \"=\", found the end of the file",
                key: string(key))
            if scanner.unterminatedComment != nil { recoverFromComment() }
            return
        }
        let valueStart = scanner.at
        var container: CustomizationValue?
        var slice = StringsTable.Slice()
        switch scanner.bytes[valueStart] {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"):
            failure = nil
            container = parseContainer(depth: 1)
            guard container != nil else {
                let at = failure ?? Failure(offset: valueStart, code: .malformedContainer, message: "malformed value")
                failure = nil
                scanner.unterminatedComment = nil
                report(at.offset, .error, at.code, at.message, key: string(key))
                return recoverStatements(from: start)
            }
        default:
            switch parseText() {
            case .found(let text)?:
                slice = text
                let c = scanner.bytes[valueStart]
                if c != UInt8(ascii: "\""), c != UInt8(ascii: "'"), scanner.at < scanner.bytes.count,
                    isPartOfUnquotedText(scanner.bytes[scanner.at])
                {
                    slice = unquotedValue(from: valueStart, key: key)
                }
            case .unterminated?:
                report(
                    valueStart, .error, .unterminatedString, "unterminated string",
                    key: string(key))
                return recoverStatements(from: start)
            case nil:
                guard isPartOfUnquotedText(scanner.bytes[valueStart]) else {
                    report(
                        valueStart, .error, .unexpectedCharacter,
                        "expected a value, found \(character(at: valueStart))", key: string(key))
                    return recoverStatements(from: start)
                }
                slice = unquotedValue(from: valueStart, key: key)
            }
        }
        let valueEnd = scanner.at
        let hasMore = skipSpaceInStatement()
        if hasMore, scanner.bytes[scanner.at] == UInt8(ascii: ";") {
            scanner.at += 1
        } else if spansLines(valueStart, valueEnd), !hasMore || !looksLikeStatement(scanner.at) {
            reportSwallowing(valueStart, end: valueEnd)
            return recoverStatements(from: start)
        } else if hasMore, !looksLikeStatement(scanner.at) {
            report(
                valueEnd, .error, .missingSemicolon,
                "expected \";\" after the value, found \(character(at: scanner.at)); the statement was not read",
                key: string(key))
            return recoverStatements(from: start)
        } else {
            report(
                valueEnd, .error, .missingSemicolon, "expected \";\" after the value", key: string(key),
                fix: "insert \";\"")
            if scanner.unterminatedComment != nil { recoverFromComment() }
        }
        let statement = StringsTable.Slice(
            start: start, end: hasMore ? max(valueEnd, statementEnd(valueEnd)) : valueEnd)
        if let container {
            builder.append(key: key, value: container, statement: statement, comment: comment)
        } else {
            builder.append(key: key, text: slice, statement: statement, comment: comment)
        }
        if !scanner.events.isEmpty { flushEvents(key) }
    }

    /// Returns the end of the statement: after its semicolon if there is one, otherwise after its value.
    private func statementEnd(_ valueEnd: Int) -> Int {
        scanner.at > valueEnd && scanner.bytes[scanner.at - 1] == UInt8(ascii: ";") ? scanner.at : valueEnd
    }

    /// Returns whether there is a line end between two bytes.
    private func spansLines(_ start: Int, _ end: Int) -> Bool {
        scanner.bytes[start..<end].contains { $0 == 0x0A || $0 == 0x0D }
    }

    /// Reports a string or container of several lines with unexpected text after it, whose end is probably missing.
    private mutating func reportSwallowing(_ start: Int, end: Int) {
        let isText = Self.isQuote(scanner.bytes[start])
        let place = builder.text.location(ofByte: end)
        report(
            start, .error, isText ? .unterminatedString : .malformedContainer,
            "the \(isText ? "quoted text" : "value") ends only at line \(place.line), column "
                + "\(place.column), where \(character(at: scanner.at)) is unexpected: its end is probably missing")
    }

    /// Skips whitespace and comments in a statement without replacing the comment before the statement.
    private mutating func skipSpaceInStatement() -> Bool {
        let before = scanner.comment
        defer { scanner.comment = before }
        return scanner.skipSpace()
    }

    /// Reports the events of the statement's tokens.
    private mutating func flushEvents(_ key: StringsTable.Slice) {
        guard !scanner.events.isEmpty else { return }
        let name = string(key)
        for event in scanner.events { report(event.offset, event.severity, event.code, event.message, key: name) }
        scanner.events.removeAll()
    }
}

// MARK: - Text that needs quotes

extension StringsParser {
    /// Returns whether an unquoted value probably continues with this byte.
    private func isPartOfUnquotedText(_ c: UInt8) -> Bool {
        switch c {
        case UInt8(ascii: "+"), UInt8(ascii: "%"), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "@"),
            UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "~"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "\\"):
            true
        default: c >= 0x80 || StringsScanner.isBareCharacter(c)
        }
    }

    /// Reads a value that needs quotes, up to the `;` or the end of the line.
    private mutating func unquotedValue(from start: Int, key: StringsTable.Slice) -> StringsTable.Slice {
        var end = start
        scanner.at = start
        while scanner.at < scanner.bytes.count {
            let c = scanner.bytes[scanner.at]
            if c == UInt8(ascii: ";") || c == 0x0A || c == 0x0D || c == UInt8(ascii: "\"") { break }
            scanner.at += 1
            if c != 0x20, c != 0x09 { end = scanner.at }
        }
        scanner.at = end
        let slice = StringsTable.Slice(start: start, end: end)
        let text = string(slice)
        report(
            start, .error, .unquotedText, "the value \(text) needs quotes", key: string(key),
            fix: "write \"\(text)\"")
        return slice
    }

    private mutating func unquotedKey(from start: Int) -> StringsTable.Slice {
        while scanner.at < scanner.bytes.count, isPartOfUnquotedText(scanner.bytes[scanner.at]),
            !isNoBreakSpace(scanner.at)
        {
            scanner.at += 1
        }
        let slice = StringsTable.Slice(start: start, end: scanner.at)
        let text = string(slice)
        report(start, .error, .unquotedText, "the key \(text) needs quotes", key: text, fix: "write \"\(text)\"")
        return slice
    }

    private func isNoBreakSpace(_ at: Int) -> Bool { scanner.byte(at) == 0xC2 && scanner.byte(at + 1) == 0xA0 }

    /// Reports a character that can't start a statement, and skips it or the text after it.
    private mutating func strayCharacter(_ c: UInt8) {
        let start = scanner.at
        let found = character(at: start)
        switch c {
        case UInt8(ascii: ";"), UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: ","):
            report(start, .error, .unexpectedCharacter, "expected a key, found a stray \(found)", fix: "remove it")
            scanner.at += 1
        case 0xC2 where isNoBreakSpace(start), 0xE3 where found == "\"\u{3000}\"", 0xE2 where isInvisible(start):
            report(
                start, .error, .unexpectedCharacter, "expected a key, found the invisible character \(found)",
                fix: "remove it")
            scanner.at += c == 0xC2 ? 2 : 3
        case 0xEF where scanner.byte(start + 1) == 0xBB && scanner.byte(start + 2) == 0xBF:
            report(start, .error, .strayByteOrderMark, "byte order mark inside the text", fix: "remove it")
            scanner.at += 3
        case 0x80...:
            let key = unquotedKey(from: start)
            scanner.at = start
            readUnquotedStatement(key)
        default:
            report(start, .error, .unexpectedCharacter, "expected a key, found \(found)")
            recoverStatements(from: start)
        }
    }

    /// Reads the rest of a statement whose key has been reported.
    private mutating func readUnquotedStatement(_ key: StringsTable.Slice) {
        let start = scanner.at
        scanner.at = key.end
        let comment = scanner.comment.map { StringsTable.Slice(start: $0.lowerBound, end: $0.upperBound) } ?? .init()
        guard skipSpaceInStatement(), scanner.bytes[scanner.at] == UInt8(ascii: "=") else {
            return recoverStatements(from: start)
        }
        scanner.at += 1
        value(of: key, from: start, comment: comment)
    }

    private func isInvisible(_ at: Int) -> Bool {
        let text = String(decoding: scanner.bytes[at..<min(at + 3, scanner.bytes.count)], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return false }
        return scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
    }
}
