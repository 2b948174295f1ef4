import AshlarCustomization

/// The positions of a file's statements in its decoded text.
struct StringsFileLayout {
    let statements: [StringsStatement]
    private let text: [UInt8]
    private let encoding: StringsEncoding
    private let closingBrace: Int?

    init(_ table: StringsTable) {
        (statements, text) = (table.statements, table.sourceBytes)
        (encoding, closingBrace) = (table.encoding, table.closingBrace)
    }

    /// Returns the bytes to remove with a statement: the statement, the comment directly before it, and empty lines.
    func removal(of statement: StringsStatement) -> Range<Int> {
        let (statement, comment) = (statement.range, statement.comment)
        var start = statement.lowerBound
        if !comment.isEmpty, isBlank(comment.upperBound..<start), lineEnds(in: comment.upperBound..<start) <= 1 {
            start = comment.lowerBound
        }
        var lineStart = start
        while lineStart > 0, text[lineStart - 1] == 0x20 || text[lineStart - 1] == 0x09 { lineStart -= 1 }
        var end = statement.upperBound
        while end < text.count, text[end] == 0x20 || text[end] == 0x09 { end += 1 }
        let startsLine = lineStart == 0 || isLineEnd(text[lineStart - 1])
        guard startsLine, end == text.count || isLineEnd(text[end]) else { return start..<statement.upperBound }
        if end < text.count { end += text[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1 }
        return lineStart..<end
    }

    /// Returns the position and text of new statements.
    func addition(of entries: [(key: String, text: String)]) -> (range: Range<Int>, text: String) {
        var place = text.count
        var indent = ""
        if let last = statements.last?.range {
            var lineStart = last.lowerBound
            while lineStart > 0, text[lineStart - 1] == 0x20 || text[lineStart - 1] == 0x09 { lineStart -= 1 }
            if lineStart == 0 || isLineEnd(text[lineStart - 1]) {
                indent = String(decoding: text[lineStart..<last.lowerBound], as: UTF8.self)
            }
        }
        if let closingBrace { place = closingBrace }
        let lineEnd = firstLineEnd()
        var prefix = ""
        if place > 0, !isLineEnd(text[place - 1]) { prefix = lineEnd }
        // The last statement may lack its semicolon.
        if let last = statements.last?.range, !last.isEmpty, text[last.upperBound - 1] != UInt8(ascii: ";") {
            prefix = ";" + prefix
        }
        let lines = entries.map { entry in
            indent + StringsLiteral.quoted(entry.key, encoding: encoding) + " = "
                + StringsLiteral.quoted(entry.text, encoding: encoding) + ";" + lineEnd
        }
        return (place..<place, prefix + lines.joined())
    }

    private func firstLineEnd() -> String {
        guard let first = text.firstIndex(where: isLineEnd) else { return "\n" }
        if text[first] == 0x0A { return "\n" }
        return text[first...].starts(with: [0x0D, 0x0A]) ? "\r\n" : "\r"
    }

    private func isLineEnd(_ c: UInt8) -> Bool { c == 0x0A || c == 0x0D }

    private func isBlank(_ range: Range<Int>) -> Bool {
        text[range].allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }

    private func lineEnds(in range: Range<Int>) -> Int {
        range.count { text[$0] == 0x0A || text[$0] == 0x0D && !(text.indices.contains($0 + 1) && text[$0 + 1] == 0x0A) }
    }
}
