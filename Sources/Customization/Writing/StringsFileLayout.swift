/// Where the parts of a file's statements stand, in its decoded text.
struct StringsFileLayout {
    private let storage: StringsTable.Storage

    init(_ storage: StringsTable.Storage) { self.storage = storage }

    private var text: [UInt8] { storage.text.utf8 }

    /// The bytes of a statement's value with its quotes; for a key that stands for itself, the empty place behind it.
    func value(of record: Int) -> (range: Range<Int>, isShorthand: Bool)? {
        text.withUnsafeBufferPointer { bytes in
            var parser = StringsParser(bytes, text: storage.text, isFoundation: false)
            parser.scanner.at = Int(storage.records[record].statement.start)
            let end = storage.records[record].statement.end
            guard parser.scanner.at < end, case .found? = parser.parseText() else { return nil }
            let keyEnd = parser.scanner.at
            guard parser.scanner.skipSpace() else { return nil }
            if bytes[parser.scanner.at] == UInt8(ascii: ";") { return (keyEnd..<keyEnd, true) }
            guard bytes[parser.scanner.at] == UInt8(ascii: "=") else { return nil }
            parser.scanner.at += 1
            guard parser.scanner.skipSpace() else { return nil }
            let start = parser.scanner.at
            guard parser.parseValue(depth: 1) != nil, parser.scanner.at <= end else { return nil }
            return (start..<parser.scanner.at, false)
        }
    }

    /// The bytes that go when a statement goes: the statement, the comment right before it, and lines left empty.
    func removal(of record: Int) -> Range<Int> {
        let statement = storage.records[record].statement.range
        let comment = storage.records[record].comment.range
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

    /// The place for new statements and what to write there.
    func addition(of entries: [(key: String, text: String)]) -> (range: Range<Int>, text: String) {
        var place = text.count
        var indent = ""
        if let last = storage.records.last?.statement {
            var lineStart = Int(last.start)
            while lineStart > 0, text[lineStart - 1] == 0x20 || text[lineStart - 1] == 0x09 { lineStart -= 1 }
            if lineStart == 0 || isLineEnd(text[lineStart - 1]) {
                indent = String(decoding: text[lineStart..<Int(last.start)], as: UTF8.self)
            }
        }
        if let brace = closingBrace() { place = brace }
        let lineEnd = firstLineEnd()
        var prefix = ""
        if place > 0, !isLineEnd(text[place - 1]) { prefix = lineEnd }
        // A last statement may lack its semicolon.
        if let last = storage.records.last?.statement, last.end > 0, text[last.end - 1] != UInt8(ascii: ";") {
            prefix = ";" + prefix
        }
        let lines = entries.map { entry in
            let encoding = storage.text.encoding
            return indent + StringsLiteral.quoted(entry.key, encoding: encoding) + " = "
                + StringsLiteral.quoted(entry.text, encoding: encoding) + ";" + lineEnd
        }
        return (place..<place, prefix + lines.joined())
    }

    /// The brace that closes a file that is one dictionary.
    private func closingBrace() -> Int? {
        text.withUnsafeBufferPointer { bytes in
            var scanner = StringsScanner(bytes, keepsMalformedEscapes: true)
            guard scanner.skipSpace(), bytes[scanner.at] == UInt8(ascii: "{") else { return nil }
            scanner.at = storage.records.last?.statement.end ?? scanner.at + 1
            guard scanner.skipSpace(), bytes[scanner.at] == UInt8(ascii: "}") else { return nil }
            return scanner.at
        }
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
