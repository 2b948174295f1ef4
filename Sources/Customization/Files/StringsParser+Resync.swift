extension StringsParser {
    /// Moves to the next position after `start` at which a statement or a comment probably starts.
    ///
    /// The candidates are the starts of lines and the bytes after a `;` or a `*/`. The search starts inside the failed
    /// statement, so that a missing quote doesn't lose the following lines. The number of bytes that are read twice is
    /// limited; beyond the limit, the search starts at the failure.
    mutating func recoverStatements(from start: Int) {
        let bytes = scanner.bytes
        var i = start + 1
        reread += max(0, scanner.at - i)
        let rereads = reread <= 4 * bytes.count + 4096
        if !rereads { i = max(i, scanner.at) }
        scanner.unterminatedComment = nil
        scanner.events.removeAll()
        defer { reportSkipped(from: start, to: scanner.at) }
        // If a stray character precedes a statement, only the character is skipped.
        if rereads, i < bytes.count, !Self.isQuote(bytes[start]) || Self.isQuote(bytes[i]), looksLikeStatement(i) {
            scanner.at = i
            return
        }
        while i < bytes.count {
            let c = bytes[i]
            i += 1
            let startsLine = c == 0x0A || c == 0x0D
            guard startsLine || c == UInt8(ascii: ";") || isCommentEnd(i - 1) else { continue }
            var candidate = i
            while candidate < bytes.count, bytes[candidate] == 0x20 || bytes[candidate] == 0x09 { candidate += 1 }
            let isComment =
                candidate + 1 < bytes.count && bytes[candidate] == UInt8(ascii: "/")
                && (bytes[candidate + 1] == UInt8(ascii: "/") || bytes[candidate + 1] == UInt8(ascii: "*"))
            if isComment || looksLikeStatement(candidate, mayBeShorthand: startsLine) {
                scanner.at = candidate
                return
            }
            i = max(i, candidate)
        }
        scanner.at = bytes.count
    }

    /// Reports the text after a `;` that recovery skips together with a failed statement.
    private mutating func reportSkipped(from start: Int, to end: Int) {
        var isBehindEnd = false
        for i in start..<end {
            let c = scanner.bytes[i]
            if c == UInt8(ascii: ";") {
                isBehindEnd = true
            } else if isBehindEnd, c > 0x20 {
                isBehindEnd = false
                report(i, .error, .skippedText, "text skipped up to the next \";\"")
            }
        }
    }

    /// Returns whether this is the `/` of a `*/`.
    private func isCommentEnd(_ at: Int) -> Bool {
        scanner.bytes[at] == UInt8(ascii: "/") && at > 0 && scanner.bytes[at - 1] == UInt8(ascii: "*")
    }

    static func isQuote(_ c: UInt8) -> Bool { c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") }

    /// Returns whether a key and a `=` on one line start here or, if allowed, a key and a `;`.
    mutating func looksLikeStatement(_ start: Int, mayBeShorthand: Bool = false) -> Bool {
        let bytes = scanner.bytes
        var i = start
        guard i < bytes.count else { return false }
        if Self.isQuote(bytes[i]) {
            guard let next = afterQuotedText(i) else { return false }
            i = next
        } else {
            while i < bytes.count, StringsScanner.isBareCharacter(bytes[i]) || bytes[i] >= 0x80 { i += 1 }
            guard i > start else { return false }
            while i < bytes.count, Self.isBlank(bytes[i]) { i += 1 }
        }
        guard i < bytes.count else { return false }
        if bytes[i] == UInt8(ascii: "=") { return true }
        // A key without a value must be alone on its line.
        guard mayBeShorthand, bytes[i] == UInt8(ascii: ";") else { return false }
        i += 1
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        return i >= bytes.count || bytes[i] == 0x0A || bytes[i] == 0x0D
    }

    /// Returns the byte after a quoted string on one line and whitespace; nil if the string isn't terminated there.
    private mutating func afterQuotedText(_ start: Int) -> Int? {
        let bytes = scanner.bytes
        let quote = bytes[start]
        let isDouble = quote == UInt8(ascii: "\"")
        let last = isDouble ? searched.double : searched.single
        if last.range.contains(start) { return last.next }
        var i = start + 1
        while i < bytes.count, bytes[i] != quote, bytes[i] != 0x0A, bytes[i] != 0x0D {
            i += bytes[i] == UInt8(ascii: "\\") ? 2 : 1
        }
        var search = QuoteSearch(range: start..<i)
        if i < bytes.count, bytes[i] == quote {
            i += 1
            while i < bytes.count, Self.isBlank(bytes[i]) { i += 1 }
            search.next = i
        }
        if isDouble { searched.double = search } else { searched.single = search }
        return search.next
    }

    /// Reports an unterminated comment, and continues at the next line that starts a statement.
    mutating func recoverFromComment() {
        guard let start = scanner.unterminatedComment else { return }
        report(start, .error, .unterminatedComment, "unterminated comment", fix: "insert \"*/\"")
        recoverStatements(from: start)
    }

    /// Moves to the first statement in a comment whose end is missing before another comment.
    ///
    /// Statements between the comment's start and that statement are lost; the diagnostic has both locations.
    ///
    /// The end is missing if the comment contains text, the next lines are statements, and the other comment starts a
    /// line. A group of statements that is commented out starts directly after the `/*`, or on the same line.
    ///
    /// - Returns: Whether there is such a comment.
    mutating func resumeInUnclosedComment() -> Bool {
        let bytes = scanner.bytes
        while checkedComments < scanner.suspiciousComments.count {
            let (range, inner) = scanner.suspiciousComments[checkedComments]
            checkedComments += 1
            guard bytes[range.lowerBound + 1] == UInt8(ascii: "*"), reread <= 4 * bytes.count + 4096, startsLine(inner),
                let lineEnd = bytes[range.lowerBound..<inner].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }),
                bytes[(range.lowerBound + 2)..<lineEnd].contains(where: { $0 > 0x20 && $0 != UInt8(ascii: "*") })
            else { continue }
            let start = bytes[lineEnd..<inner].firstIndex { $0 > 0x20 } ?? inner
            let last = bytes[lineEnd..<inner].last { $0 > 0x20 }
            guard start < inner, last == UInt8(ascii: ";"), Self.isQuote(bytes[start]), looksLikeStatement(start) else {
                continue
            }
            report(
                range.lowerBound, .error, .unterminatedComment,
                "unterminated comment before a statement, which is read",
                fix: "insert \"*/\"", related: start)
            checkedComments -= 1
            scanner.suspiciousComments.removeSubrange(checkedComments...)
            scanner.comment = range.lowerBound..<lineEnd
            scanner.unterminatedComment = nil
            reread += inner - start
            scanner.at = start
            return true
        }
        return false
    }

    /// Reports text in comments that is probably not intended as a comment.
    ///
    /// A block that contains `/*` probably lacks its end before it. A line comment with a whole statement after other
    /// text probably lacks its line end.
    mutating func finishComments() {
        for comment in scanner.suspiciousComments {
            let isBlock = scanner.bytes[comment.range.lowerBound + 1] == UInt8(ascii: "*")
            if !isBlock, isCommentEnd(comment.inner) {
                report(
                    comment.inner, .note, .statementInComment,
                    "the comment continues to the end of the line; the text after \"*/\" is not read")
            }
            if isBlock {
                report(
                    comment.inner, .warning, .nestedComment,
                    "\"/*\" inside a comment; comments do not nest, so the end of the comment is probably missing")
            }
            for start in statements(in: comment.range, isBlock: isBlock) {
                report(
                    start, isBlock ? .warning : .note, .statementInComment,
                    "the statement is inside a comment and is not read")
            }
        }
        scanner.suspiciousComments.removeAll()
    }

    /// Returns the starts of statements in a comment, which can be anywhere in a block.
    ///
    /// In a line comment, a key alone at the end is also a statement. A line comment with only a quoted key and its
    /// value is a statement that is commented out. With an unquoted key, which is rare, it could also be a comment
    /// without its line end.
    private mutating func statements(in comment: Range<Int>, isBlock: Bool) -> [Int] {
        let bytes = scanner.bytes
        var starts: [Int] = []
        var i = comment.lowerBound + 2
        var lastSemicolon = comment.upperBound
        var first = i
        if !isBlock {
            while first < comment.upperBound, Self.isBlank(bytes[first]) || bytes[first] == UInt8(ascii: "/") {
                first += 1
            }
            i = first
            if i < comment.upperBound, Self.isQuote(bytes[i]), startsLine(comment.lowerBound) { i += 1 }
            lastSemicolon = bytes[comment].lastIndex(of: UInt8(ascii: ";")) ?? i
        }
        while i < comment.upperBound {
            let isWordStart =
                StringsScanner.isBareCharacter(bytes[i]) && i < lastSemicolon
                && (i == first || !StringsScanner.isBareCharacter(bytes[i - 1]))
            if Self.isQuote(bytes[i]) || isWordStart, looksLikeStatement(i) { starts.append(i) }
            i += 1
        }
        if !isBlock, let start = keyAlone(at: lastSemicolon, in: first..<comment.upperBound) { starts.append(start) }
        return starts
    }

    /// Returns the start of an unquoted key without a value at the end of a line comment.
    private func keyAlone(at semicolon: Int, in text: Range<Int>) -> Int? {
        guard text.contains(semicolon) else { return nil }
        var next = semicolon + 1
        while next < text.upperBound, Self.isBlank(scanner.bytes[next]) { next += 1 }
        // The end of the line, or another comment.
        guard next == text.upperBound || scanner.bytes[next] == UInt8(ascii: "/") else { return nil }
        var start = semicolon
        while start > text.lowerBound, StringsScanner.isBareCharacter(scanner.bytes[start - 1]) { start -= 1 }
        guard start < semicolon else { return nil }
        // The value of a statement that is found by its key.
        var before = start
        while before > text.lowerBound, Self.isBlank(scanner.bytes[before - 1]) { before -= 1 }
        return before > text.lowerBound && scanner.bytes[before - 1] == UInt8(ascii: "=") ? nil : start
    }

    /// Returns whether only whitespace precedes a byte on its line.
    private func startsLine(_ at: Int) -> Bool {
        var i = at
        while i > 0, Self.isBlank(scanner.bytes[i - 1]) { i -= 1 }
        return i == 0 || scanner.bytes[i - 1] == 0x0A || scanner.bytes[i - 1] == 0x0D
    }

    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 }
}
