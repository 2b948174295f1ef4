extension CompiledFormat {
    /// Appends one JSON object (RFC 8259).
    ///
    /// What is cut in a long line is the text, never the syntax.
    func writeJSON(_ record: borrowing LogRecord, to line: ByteBuffer, limit: Int) -> Bool {
        let short = Self.shortLimit(limit - line.count)
        line.append("{\"time\":\"" as StaticString)
        writeTime(record.time, to: line)
        line.append("\",\"seq\":" as StaticString)
        line.append(decimal: record.sequence)
        line.append(",\"level\":\"" as StaticString)
        line.append(record.level.printedName)
        line.append("\",\"severity\":" as StaticString)
        line.append(byte: 48 + record.level.rawValue)
        line.append(",\"depth\":" as StaticString)
        line.append(decimal: UInt64(max(0, record.depth)))
        line.append(",\"file\":" as StaticString)
        appendString(record.place.file, to: line, limit: short)
        line.append(",\"function\":" as StaticString)
        appendString(record.place.function, to: line, limit: short)
        line.append(",\"line\":" as StaticString)
        line.append(decimal: UInt64(record.line))
        line.append(",\"thread\":" as StaticString)
        line.append(decimal: record.threadID)
        line.append(",\"context\":" as StaticString)
        appendString(record.source.name, to: line, limit: short)
        line.append(",\"message\":\"" as StaticString)
        var cut = Escaping.json.append(
            record.messageStart, record.messageCount, omitted: record.messageOmitted, to: line, end: limit - 64)
        line.append(byte: 34)
        if !record.fields.isEmpty {
            line.append(",\"fields\":{" as StaticString)
            for (index, field) in record.fields.elements.enumerated() {
                // A pair that might not fit is left out whole, so that the object stays valid.
                let before = line.count
                if index > 0 { line.append(byte: 44) }
                let fits = before + 48 <= limit && appendPair(field, to: line, limit: limit - 8)
                if !fits {
                    line.rewind(to: before)
                    cut = true
                    break
                }
            }
            line.append(byte: 125)
        }
        line.append(byte: 125)
        return cut
    }

    private func appendString(_ text: LogText, to line: ByteBuffer, limit: Int) {
        line.append(byte: 34)
        _ = Escaping.json.append(text.start, text.count, to: line, end: line.count + limit)
        line.append(byte: 34)
    }

    private func appendString(_ text: String, to line: ByteBuffer, limit: Int) {
        LogText.withBytes(text) { appendString($0, to: line, limit: limit) }
    }

    /// Appends `"key":value`; returns whether the line stayed within `limit`.
    private func appendPair(_ field: LogFields.Element, to line: ByteBuffer, limit: Int) -> Bool {
        appendString(field.key, to: line, limit: LogContext.longest)
        line.append(byte: 58)
        switch field.value {
        case .integer(let number): line.append(decimal: number)
        case .unsigned(let number): line.append(decimal: number)
        case .boolean(let flag): line.append(flag ? "true" as StaticString : "false")
        case .none: line.append("null" as StaticString)
        case .float(let number) where number.isFinite:
            var stream = ByteStream(buffer: line)
            number.write(to: &stream)
        case .float(let number): appendString(number.description, to: line, limit: 64)
        case .string(let text): appendString(text, to: line, limit: max(64, limit - line.count))
        }
        return line.count <= limit
    }
}
