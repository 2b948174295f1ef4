internal import AshlarBase

/// Writes `key=value` pairs (logfmt).
///
/// A value is quoted if it is empty or contains a space, a quote, `=` or an escape.
package enum LogfmtWriter {
    /// Appends each pair after a space; returns whether anything was truncated.
    ///
    /// If a pair would leave fewer than `reserve` bytes before `end`, the number of missing pairs replaces it and all
    /// later pairs.
    static func append(_ fields: LogFields, to line: ByteBuffer, end: Int, reserve: Int) -> Bool {
        var cut = false
        guard let pairs = fields.pairs else { return false }
        for index in pairs.indices {
            guard line.count + reserve <= end else {
                line.append(" ...[+" as StaticString)
                line.append(decimal: UInt64(pairs.count - index))
                line.append(" fields]" as StaticString)
                return true
            }
            cut = append(pairs[index].key, "", pairs[index].value, depth: 0, to: line, end: end - 32) || cut
        }
        return cut
    }

    /// Appends ` key=value`; the members of an object follow each other as ` key.name=value`.
    private static func append(
        _ key: String, _ prefix: String, _ value: LogFieldValue, depth: Int, to line: ByteBuffer, end: Int
    ) -> Bool {
        if case .object(let fields) = value, depth < LogFieldValue.deepestPrinted {
            let path = prefix + key + "."
            return fields.list.reduce(false) {
                append($1.key, path, $1.value, depth: depth + 1, to: line, end: end) || $0
            }
        }
        guard line.count + 16 <= end else { return true }
        line.append(byte: .space)
        appendKey(prefix + key, to: line, end: end)
        line.append(byte: .equals)
        switch value {
        case .integer(let number): line.append(decimal: number)
        case .unsigned(let number): line.append(decimal: number)
        case .boolean(let flag): line.append(flag ? "true" as StaticString : "false")
        case .none: line.append("nil" as StaticString)
        case .float(let number):
            var stream = ByteStream(buffer: line)
            number.write(to: &stream)
        case .string(let text): return LogText.withBytes(text) { append($0, to: line, end: end) }
        case .time, .array, .object: return LogText.withBytes(value.description) { append($0, to: line, end: end) }
        }
        return false
    }

    /// Appends a value, quoted if necessary.
    ///
    /// A backslash alone doesn't require quotes, so that paths remain readable; inside quotes it is escaped.
    static func append(_ text: LogText, omitted: Int = 0, to line: ByteBuffer, end: Int) -> Bool {
        guard text.count == 0 || needsQuotes(text) else {
            return Escaping.text.append(text, omitted: omitted, to: line, end: end)
        }
        return appendQuoted(text, omitted: omitted, to: line, end: end)
    }

    static func appendQuoted(_ text: LogText, omitted: Int, to line: ByteBuffer, end: Int) -> Bool {
        line.append(byte: .quote)
        let cut = Escaping.quoted.append(text, omitted: omitted, to: line, end: end - 1)
        line.append(byte: .quote)
        return cut
    }

    private static func needsQuotes(_ text: LogText) -> Bool {
        for index in 0..<text.count {
            switch text[index] {
            case ...0x20, .quote, .equals, 0x7F, 0xC2, 0xE2: return true
            default: continue
            }
        }
        return false
    }

    /// Appends a key; bytes that aren't allowed in a key become `_`, so that the pair can be parsed.
    private static func appendKey(_ key: String, to line: ByteBuffer, end: Int) {
        let before = line.count
        LogText.withBytes(key) { text in
            if text.count > 0, text.count <= min(end - before, LogContext.longest),
                (0..<text.count).allSatisfy({ isKeyByte(text[$0]) && text[$0] < 0x80 })
            {
                return line.append(text)
            }
            _ = Escaping.text.append(text, to: line, end: min(end, before + LogContext.longest))
            let underscore = UInt8(ascii: "_")
            if line.count == before { line.append(byte: underscore) }
            for index in before..<line.count where !isKeyByte(line[index]) { line[index] = underscore }
        }
    }

    package static func isKeyByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "-._".utf8.contains(byte)
    }

    /// Whether a message could be read as a field; see ``looksLikeFields(_:)-(LogText)``.
    package static func looksLikeFields(_ message: String) -> Bool {
        LogText.withBytes(message) { looksLikeFields($0) }
    }

    /// Whether a message contains a key and `=` at its start or after a space, so that it could be read as a field.
    static func looksLikeFields(_ message: LogText) -> Bool { message.contains(.equals) && hasKey(message) }

    private static func hasKey(_ message: LogText) -> Bool {
        var first = 0
        while let offset = message.dropFirst(first).firstIndex(of: .equals) {
            let equals = first + offset
            var start = equals
            while start > first, isKeyByte(message[start - 1]) { start -= 1 }
            if start < equals, start == 0 || message[start - 1] <= .space { return true }
            first = equals + 1
        }
        return false
    }
}

extension CompiledFormat {
    func writeLogfmt(_ record: borrowing LineRecord, to line: ByteBuffer, limit: Int) -> Bool {
        line.append("time=" as StaticString)
        time.append(record.time, to: line)
        line.append(" level=" as StaticString)
        line.append(record.level.row.name)
        line.append(" context=" as StaticString)
        let short = line.count + Self.shortLimit(limit - line.count)
        var cut = LogText.withBytes(record.source.name) { LogfmtWriter.append($0, to: line, end: short) }
        if record.depth > 0 {
            line.append(" depth=" as StaticString)
            line.append(decimal: UInt64(record.depth))
        }
        line.append(" msg=" as StaticString)
        cut = LogfmtWriter.append(record.text, omitted: record.omitted, to: line, end: limit - 64) || cut
        let fields = record.fields.distinct(from: ["time", "level", "context", "depth", "msg"])
        return LogfmtWriter.append(fields, to: line, end: limit, reserve: 64) || cut
    }
}
