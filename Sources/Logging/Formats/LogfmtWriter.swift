/// `key=value` pairs as the field knows them from logfmt: a value is quoted where it has to be.
enum LogfmtWriter {
    /// Appends one pair; returns whether it was cut at `end`.
    static func append(_ field: LogFields.Element, to line: ByteBuffer, end: Int) -> Bool {
        appendKey(field.key, to: line, end: end)
        line.append(byte: 61)
        switch field.value {
        case .integer(let number): line.append(decimal: number)
        case .unsigned(let number): line.append(decimal: number)
        case .boolean(let flag): line.append(flag ? "true" as StaticString : "false")
        case .none: line.append("nil" as StaticString)
        case .float(let number):
            var stream = ByteStream(buffer: line)
            number.write(to: &stream)
        case .string(let text):
            return LogText.withBytes(text) { append($0.start, $0.count, to: line, end: end) }
        }
        return false
    }

    /// Appends a value, quoted if it is empty or holds a space, a quote, `=` or something that has to be escaped.
    ///
    /// A backslash is no reason for quotes, so that paths stay readable; inside of quotes it is escaped.
    static func append(
        _ start: UnsafePointer<UInt8>, _ count: Int, omitted: Int = 0, to line: ByteBuffer, end: Int
    ) -> Bool {
        guard count == 0 || needsQuotes(start, count) else {
            return Escaping.text.append(start, count, omitted: omitted, to: line, end: end)
        }
        line.append(byte: 34)
        let cut = Escaping.quoted.append(start, count, omitted: omitted, to: line, end: end - 1)
        line.append(byte: 34)
        return cut
    }

    private static func needsQuotes(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count {
            switch start[index] {
            case 0...0x20, 0x22, 0x3D, 0x7F, 0xC2, 0xE2: return true
            default: continue
            }
        }
        return false
    }

    /// Appends a key; spaces, quotes and `=` become `_`, so that the pair can be read back.
    private static func appendKey(_ key: String, to line: ByteBuffer, end: Int) {
        let before = line.count
        LogText.withBytes(key) {
            _ = Escaping.text.append($0.start, $0.count, to: line, end: min(end, before + LogContext.longest))
        }
        if line.count == before { line.append(byte: 95) }
        for index in before..<line.count where [0x09, 0x20, 0x22, 0x3D].contains(line.start[index]) {
            line.start[index] = 95
        }
    }
}

extension CompiledFormat {
    func writeLogfmt(_ record: borrowing LogRecord, to line: ByteBuffer, limit: Int) -> Bool {
        line.append("time=" as StaticString)
        writeTime(record.time, to: line)
        line.append(" level=" as StaticString)
        line.append(record.level.printedName)
        line.append(" context=" as StaticString)
        var cut = false
        let short = line.count + Self.shortLimit(limit - line.count)
        LogText.withBytes(record.source.name) {
            cut = LogfmtWriter.append($0.start, $0.count, to: line, end: short)
        }
        if record.depth > 0 {
            line.append(" depth=" as StaticString)
            line.append(decimal: UInt64(record.depth))
        }
        line.append(" msg=" as StaticString)
        let wasCut = LogfmtWriter.append(
            record.messageStart, record.messageCount, omitted: record.messageOmitted, to: line, end: limit - 64)
        cut = wasCut || cut
        for field in record.fields.elements {
            guard line.count + 64 <= limit else { return true }
            line.append(byte: 32)
            let wasCut = LogfmtWriter.append(field, to: line, end: limit - 32)
            cut = wasCut || cut
        }
        return cut
    }
}
