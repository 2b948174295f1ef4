internal import AshlarBase

/// Writes `key=value` pairs (logfmt).
///
/// A value is quoted if it is empty or contains a space, a quote, `=` or an escape.
package enum LogfmtWriter {
    /// Appends each pair after a space; returns whether anything was truncated.
    ///
    /// If a pair would leave fewer than `reserve` bytes before `end`, the number of missing pairs replaces it and all
    /// later pairs.
    static func append(_ fields: LogFields, to line: inout [UInt8], end: Int, reserve: Int) -> Bool {
        var cut = false
        guard let pairs = fields.pairs else { return false }
        for index in pairs.indices {
            guard line.count + reserve <= end else {
                line.append(text: " ...[+\(pairs.count - index) fields]")
                return true
            }
            cut = append(pairs[index].key, "", pairs[index].value, depth: 0, to: &line, end: end - 32) || cut
        }
        return cut
    }

    /// Appends ` key=value`; the members of an object follow each other as ` key.name=value`.
    private static func append(
        _ key: String, _ prefix: String, _ value: LogFieldValue, depth: Int, to line: inout [UInt8], end: Int
    ) -> Bool {
        if case .object(let fields) = value, depth < LogFieldValue.deepestPrinted {
            let path = prefix + key + "."
            var cut = false
            for pair in fields.list {
                cut = append(pair.key, path, pair.value, depth: depth + 1, to: &line, end: end) || cut
            }
            return cut
        }
        guard line.count + 16 <= end else { return true }
        line.add(.space)
        appendKey(prefix + key, to: &line, end: end)
        line.add(.equals)
        switch value {
        case .string(let text): return append(text, to: &line, end: end)
        case .time, .array, .object: return append(value.description, to: &line, end: end)
        case .integer, .unsigned, .float, .boolean, .none: line.append(text: value.description)
        }
        return false
    }

    /// Appends a value, quoted if necessary.
    ///
    /// A backslash alone doesn't require quotes, so that paths remain readable; inside quotes it is escaped.
    static func append(_ text: String, to line: inout [UInt8], end: Int) -> Bool {
        text.isEmpty || text.withBytes(needsQuotes)
            ? appendQuoted(text, to: &line, end: end) : Escaping.text.append(text, to: &line, end: end)
    }

    static func appendQuoted(_ text: String, to line: inout [UInt8], end: Int) -> Bool {
        line.add(.quote)
        let cut = Escaping.quoted.append(text, to: &line, end: end - 1)
        line.add(.quote)
        return cut
    }

    private static func needsQuotes(_ text: TextBytes) -> Bool {
        text.indices.contains {
            switch text[$0] {
            case ...0x20, .quote, .equals, 0x7F, 0xC2, 0xE2: true
            case 0xD8: text[$0 + 1] == 0x9C  // U+061C; the other Arabic letters aren't escaped
            default: false
            }
        }
    }

    /// Appends a key; bytes that aren't allowed in a key become `_`, so that the pair can be parsed.
    private static func appendKey(_ key: String, to line: inout [UInt8], end: Int) {
        let before = line.count
        _ = Escaping.text.append(key, to: &line, end: min(end, before + CompiledFormat.longestName))
        let underscore = UInt8(ascii: "_")
        if line.count == before { line.add(underscore) }
        for index in before..<line.count where !isKeyByte(line[index]) { line[index] = underscore }
    }

    package static func isKeyByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "-._".utf8.contains(byte)
    }

    /// Whether a message contains a key and `=` at its start or after a space, so that it could be read as a field.
    package static func looksLikeFields(_ message: String) -> Bool { message.withBytes(hasKey) }

    private static func hasKey(_ message: TextBytes) -> Bool {
        var first = 0
        while let equals = message[first...].firstIndex(of: .equals) {
            var start = equals
            while start > first, isKeyByte(message[start - 1]) { start -= 1 }
            if start < equals, start == 0 || message[start - 1] <= .space { return true }
            first = equals + 1
        }
        return false
    }
}

extension CompiledFormat {
    func writeLogfmt(_ record: LogRecord, to line: inout [UInt8], limit: Int) -> Bool {
        line.append(text: "time=")
        time.append(record.time, to: &line)
        line.append(text: " level=\(record.level.row.name) context=")
        let short = line.count + Self.shortLimit(limit - line.count)
        var cut = LogfmtWriter.append(record.context, to: &line, end: short)
        if record.depth > 0 {
            line.append(text: " depth=\(record.depth)")
        }
        line.append(text: " msg=")
        cut = LogfmtWriter.append(record.message, to: &line, end: limit - 64) || cut
        let fields = record.fields.distinct(from: ["time", "level", "context", "depth", "msg"])
        return LogfmtWriter.append(fields, to: &line, end: limit, reserve: 64) || cut
    }
}
