extension StringsParser {
    /// Moves to the nearest place behind `start` where a statement or a comment plausibly begins.
    ///
    /// Places are the starts of lines and the bytes behind a `;`. The search begins inside the statement that failed,
    /// not behind what it swallowed, so that a lost quote does not take the following lines with it. What is read
    /// twice that way is bounded; past the bound the search begins where the failure was met.
    mutating func recoverStatements(from start: Int) {
        let bytes = scanner.bytes
        var i = start + 1
        reread += max(0, scanner.at - i)
        let rereads = reread <= 4 * bytes.count + 4096
        if !rereads { i = max(i, scanner.at) }
        scanner.unterminatedComment = nil
        scanner.events.removeAll()
        // A stray character right before a statement costs that character only.
        if rereads, i < bytes.count, !Self.isQuote(bytes[start]) || Self.isQuote(bytes[i]), looksLikeStatement(i) {
            scanner.at = i
            return
        }
        while i < bytes.count {
            let c = bytes[i]
            i += 1
            guard c == 0x0A || c == 0x0D || c == UInt8(ascii: ";") else { continue }
            var candidate = i
            while candidate < bytes.count, bytes[candidate] == 0x20 || bytes[candidate] == 0x09 { candidate += 1 }
            let isComment =
                candidate + 1 < bytes.count && bytes[candidate] == UInt8(ascii: "/")
                && (bytes[candidate + 1] == UInt8(ascii: "/") || bytes[candidate + 1] == UInt8(ascii: "*"))
            let startsLine = c != UInt8(ascii: ";")
            if isComment || looksLikeStatement(candidate, mayBeShorthand: startsLine) {
                scanner.at = candidate
                return
            }
            i = max(i, candidate)
        }
        scanner.at = bytes.count
    }

    static func isQuote(_ c: UInt8) -> Bool { c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") }

    /// Whether a key with a `=` behind it starts here, all on one line; or a key alone with a `;`, if that may be.
    mutating func looksLikeStatement(_ start: Int, mayBeShorthand: Bool = false) -> Bool {
        let bytes = scanner.bytes
        var i = start
        guard i < bytes.count else { return false }
        let quote = bytes[i]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            if quoteless.contains(i) { return false }
            i += 1
            while i < bytes.count, bytes[i] != quote, bytes[i] != 0x0A, bytes[i] != 0x0D {
                i += bytes[i] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard i < bytes.count, bytes[i] == quote else {
                if quote == UInt8(ascii: "\"") { quoteless = start..<i }
                return false
            }
            i += 1
        } else {
            while i < bytes.count, StringsScanner.isBareCharacter(bytes[i]) || bytes[i] >= 0x80 { i += 1 }
            guard i > start else { return false }
        }
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        guard i < bytes.count else { return false }
        if bytes[i] == UInt8(ascii: "=") { return true }
        // A key that stands for itself counts only if it has the line to itself.
        guard mayBeShorthand, bytes[i] == UInt8(ascii: ";") else { return false }
        i += 1
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        return i >= bytes.count || bytes[i] == 0x0A || bytes[i] == 0x0D
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

    /// Where statements start inside a comment: in a block on any line, in a line comment behind other text.
    private mutating func statements(in comment: Range<Int>, isBlock: Bool) -> [Int] {
        var starts: [Int] = []
        let bytes = scanner.bytes
        var isLineStart = false
        var i = comment.lowerBound + 2
        if !isBlock {
            while i < comment.upperBound, bytes[i] == 0x20 || bytes[i] == 0x09 || bytes[i] == UInt8(ascii: "/") {
                i += 1
            }
            i += 1
        }
        while i < comment.upperBound {
            let c = bytes[i]
            if isBlock {
                if c == 0x0A || c == 0x0D {
                    isLineStart = true
                } else if isLineStart, c != 0x20, c != 0x09 {
                    isLineStart = false
                    if looksLikeStatement(i) { starts.append(i) }
                }
            } else if c == UInt8(ascii: "\""), looksLikeStatement(i) {
                starts.append(i)
                break
            }
            i += 1
        }
        return starts
    }
}
