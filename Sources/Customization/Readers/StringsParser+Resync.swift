extension StringsParser {
    /// Moves to the nearest place behind `start` where a statement or a comment plausibly begins.
    ///
    /// Places are the starts of lines and the bytes behind a `;` or a `*/`. The search begins inside the statement that
    /// failed, not behind what it swallowed, so that a lost quote does not take the following lines with it. What is
    /// read twice that way is bounded; past the bound the search begins where the failure was met.
    mutating func recoverStatements(from start: Int) {
        let bytes = scanner.bytes
        var i = start + 1
        reread += max(0, scanner.at - i)
        let rereads = reread <= 4 * bytes.count + 4096
        if !rereads { i = max(i, scanner.at) }
        scanner.unterminatedComment = nil
        scanner.events.removeAll()
        defer { reportSkipped(from: start, to: scanner.at) }
        // A stray character right before a statement costs that character only.
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

    /// Tells of everything behind a `;` that recovering from a failed statement passes over too.
    private mutating func reportSkipped(from start: Int, to end: Int) {
        var isBehindEnd = false
        for i in start..<end {
            let c = scanner.bytes[i]
            if c == UInt8(ascii: ";") {
                isBehindEnd = true
            } else if isBehindEnd, c > 0x20 {
                isBehindEnd = false
                report(i, .error, .skippedText, "what stands from here to the next \";\" was not read either")
            }
        }
    }

    /// Whether the `/` of a `*/` stands here.
    private func isCommentEnd(_ at: Int) -> Bool {
        scanner.bytes[at] == UInt8(ascii: "/") && at > 0 && scanner.bytes[at - 1] == UInt8(ascii: "*")
    }

    static func isQuote(_ c: UInt8) -> Bool { c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") }

    /// Whether a key with a `=` behind it starts here, all on one line; or a key alone with a `;`, if that may be.
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
        // A key that stands for itself counts only if it has the line to itself.
        guard mayBeShorthand, bytes[i] == UInt8(ascii: ";") else { return false }
        i += 1
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        return i >= bytes.count || bytes[i] == 0x0A || bytes[i] == 0x0D
    }

    /// What follows a text quoted on one line, and blanks; nil if it is not closed there.
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

    /// Reports a comment that ran into the end of the file, and goes on at the next line that starts a statement.
    mutating func recoverFromComment() {
        guard let start = scanner.unterminatedComment else { return }
        report(start, .error, .unterminatedComment, "the comment that starts here never ends", fix: "insert \"*/\"")
        recoverStatements(from: start)
    }

    /// Reports what comments hold that was probably not meant to be a comment.
    ///
    /// A block that holds `/*` has probably swallowed what stands between a comment that was not closed and the next
    /// one; a line that holds a whole statement behind other text has probably lost its line end.
    mutating func finishComments() {
        for comment in scanner.suspiciousComments {
            let isBlock = scanner.bytes[comment.range.lowerBound + 1] == UInt8(ascii: "*")
            if !isBlock, isCommentEnd(comment.inner) {
                report(
                    comment.inner, .note, .statementInComment,
                    "the comment goes on to the end of the line; what stands behind the \"*/\" is not read")
            }
            if isBlock {
                report(
                    comment.inner, .warning, .nestedComment,
                    "a comment holds \"/*\", and comments do not nest: the one before may never have been closed")
            }
            for start in statements(in: comment.range, isBlock: isBlock) {
                report(
                    start, isBlock ? .warning : .note, .statementInComment,
                    "the statement that starts here is inside a comment and is not read")
            }
        }
        scanner.suspiciousComments.removeAll()
    }

    /// Where statements start inside a comment: in a block anywhere; in a line comment also a key alone at its end.
    ///
    /// A line that is a comment from its start and holds a quoted key is a statement that somebody has put aside. With an
    /// unquoted one, which hardly anybody writes, it may as well be a word of a comment that has lost its line end.
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

    /// Where an unquoted key starts that stands for itself at the end of a line comment.
    private func keyAlone(at semicolon: Int, in text: Range<Int>) -> Int? {
        guard text.contains(semicolon) else { return nil }
        var next = semicolon + 1
        while next < text.upperBound, Self.isBlank(scanner.bytes[next]) { next += 1 }
        // The end of the line, or a comment of its own.
        guard next == text.upperBound || scanner.bytes[next] == UInt8(ascii: "/") else { return nil }
        var start = semicolon
        while start > text.lowerBound, StringsScanner.isBareCharacter(scanner.bytes[start - 1]) { start -= 1 }
        guard start < semicolon else { return nil }
        // The value of a statement that was found by its key.
        var before = start
        while before > text.lowerBound, Self.isBlank(scanner.bytes[before - 1]) { before -= 1 }
        return before > text.lowerBound && scanner.bytes[before - 1] == UInt8(ascii: "=") ? nil : start
    }

    /// Whether nothing but blanks stands before a byte on its line.
    private func startsLine(_ at: Int) -> Bool {
        var i = at
        while i > 0, Self.isBlank(scanner.bytes[i - 1]) { i -= 1 }
        return i == 0 || scanner.bytes[i - 1] == 0x0A || scanner.bytes[i - 1] == 0x0D
    }

    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 }
}
