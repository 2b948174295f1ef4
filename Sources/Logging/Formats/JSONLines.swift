extension CompiledFormat {
    /// Appends one JSON object (RFC 8259).
    ///
    /// In a long line, the strings are truncated, so that the line remains valid JSON.
    func writeJSON(
        _ record: borrowing LogRecord, _ profile: LogJSONProfile, to line: ByteBuffer, limit: Int
    ) -> Bool {
        let writer = JSONLineWriter(
            line: line, time: time, limit: limit, short: Self.shortLimit(limit - line.count))
        return writer.write(profile.members, of: record)
    }
}

/// Writes the members of one JSON line.
struct JSONLineWriter {
    let line: ByteBuffer
    let time: LogTimeStyle
    let limit: Int
    /// The longest context, name or key.
    let short: Int

    func write(_ members: [(name: StaticString, member: LogJSONProfile.Member)], of record: borrowing LogRecord) -> Bool
    {
        var (cut, isFirst) = (false, true)
        line.append(byte: 123)
        for (name, member) in members {
            if case .fields = member, record.fields.isEmpty { continue }
            if case .identifier(let key, let digits) = member, identifier(key, digits, of: record) == nil { continue }
            if !isFirst { line.append(byte: 44) }
            isFirst = false
            line.append(byte: 34)
            line.append(name)
            line.append("\":" as StaticString)
            cut = write(member, of: record) || cut
        }
        line.append(byte: 125)
        return cut
    }

    private func write(_ member: LogJSONProfile.Member, of record: borrowing LogRecord) -> Bool {
        switch member {
        case .time: quoted { time.append(record.time, to: line) }
        case .unixTime: quoted { line.append(decimal: record.time.nanoseconds) }
        case .sequence: line.append(decimal: record.sequence)
        case .level: quoted { line.append(record.level.printedName) }
        case .lowercaseLevel: quoted { line.append(record.level.name.lowercased()) }
        case .googleSeverity: quoted { line.append(record.level.googleSeverity) }
        case .number: line.append(byte: 48 + record.level.rawValue)
        case .openTelemetrySeverity: line.append(decimal: record.level.openTelemetrySeverity)
        case .depth: line.append(decimal: UInt64(max(0, record.depth)))
        case .context: append(record.source.name, limit: short)
        case .file: append(record.place.file, limit: short)
        case .function: append(record.place.function, limit: short)
        case .line: line.append(decimal: UInt64(record.line))
        case .lineText: quoted { line.append(decimal: UInt64(record.line)) }
        case .thread: line.append(decimal: record.threadID)
        case .literal(let text): quoted { line.append(text) }
        case .identifier(let key, let digits): append(identifier(key, digits, of: record) ?? "", limit: short)
        case .members(let members): return write(members, of: record)
        case .message: return message(of: record)
        case .body:
            line.append("{\"stringValue\":" as StaticString)
            defer { line.append(byte: 125) }
            return message(of: record)
        case .fields: return writeObject(record.fields.elements, limit: limit - 8, depth: 0)
        case .attributes: return writeAttributes(of: record)
        }
        return false
    }

    /// The text of a field; nil if the line has none, or one that isn't a number of hexadecimal digits.
    private func identifier(_ key: String, _ digits: Int?, of record: borrowing LogRecord) -> String? {
        guard !record.fields.isEmpty, case .string(let text)? = record.fields[key], !text.isEmpty else { return nil }
        guard let digits else { return text }
        return text.utf8.count == digits && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
    }

    private func quoted(_ body: () -> Void) {
        line.append(byte: 34)
        body()
        line.append(byte: 34)
    }

    private func message(of record: borrowing LogRecord) -> Bool {
        line.append(byte: 34)
        let cut = Escaping.json.append(record.text, omitted: record.omitted, to: line, end: limit - 96)
        line.append(byte: 34)
        return cut
    }

    private func append(_ text: LogText, limit: Int) {
        quoted { _ = Escaping.json.append(text, to: line, end: line.count + limit) }
    }

    private func append(_ text: String, limit: Int) { LogText.withBytes(text) { append($0, limit: limit) } }

    /// Appends pairs as an object; if a pair might not fit, it and all later pairs are omitted.
    private func writeObject(_ pairs: [LogFields.Element], limit: Int, depth: Int) -> Bool {
        line.append(byte: 123)
        defer { line.append(byte: 125) }
        return writeItems(pairs, limit: limit) { pair in
            append(pair.key, limit: LogContext.longest)
            line.append(byte: 58)
            write(pair.value, limit: limit, depth: depth)
        }
    }

    private func writeItems<Item>(_ items: [Item], limit: Int, _ write: (Item) -> Void) -> Bool {
        for (index, item) in items.enumerated() {
            let before = line.count
            if index > 0 { line.append(byte: 44) }
            if before + 48 <= limit { write(item) }
            if before + 48 > limit || line.count > limit {
                line.rewind(to: before)
                return true
            }
        }
        return false
    }

    private func write(_ value: LogFieldValue, limit: Int, depth: Int) {
        switch value {
        case .integer(let number): line.append(decimal: number)
        case .unsigned(let number): line.append(decimal: number)
        case .boolean(let flag): line.append(flag ? "true" as StaticString : "false")
        case .none: line.append("null" as StaticString)
        case .float(let number) where number.isFinite:
            var stream = ByteStream(buffer: line)
            number.write(to: &stream)
        case .float, .time: append(value.description, limit: 64)
        case .string(let text): append(text, limit: max(64, limit - line.count))
        case .array, .object:
            // Deep values print as text, so that no value exhausts the stack.
            guard depth < LogFieldValue.deepestPrinted else {
                return append(value.description, limit: max(64, limit - line.count))
            }
            if case .object(let fields) = value {
                _ = writeObject(fields.elements, limit: limit - depth - 1, depth: depth + 1)
            } else if case .array(let values) = value {
                line.append(byte: 91)
                _ = writeItems(values, limit: limit - depth - 1) {
                    write($0, limit: limit - depth - 2, depth: depth + 1)
                }
                line.append(byte: 93)
            }
        }
    }

    /// Appends the fields and the position as OTLP attributes.
    private func writeAttributes(of record: borrowing LogRecord) -> Bool {
        var pairs: [LogFields.Element] = [
            .init(key: "code.file.path", value: .string(record.file)),
            .init(key: "code.function.name", value: .string(record.function)),
            .init(key: "code.line.number", value: .integer(Int64(clamping: record.line))),
            .init(key: "thread.id", value: .integer(Int64(clamping: record.threadID))),
            .init(key: "log.context", value: .string(record.context)),
        ]
        pairs += record.fields.elements
        return writeAttributes(pairs)
    }

    /// Appends pairs as OTLP attributes.
    static func appendAttributes(_ fields: LogFields, to line: ByteBuffer) {
        let writer = JSONLineWriter(line: line, time: LogTimeStyle(), limit: line.count + 65536, short: 1024)
        _ = writer.writeAttributes(fields.elements)
    }

    private func writeAttributes(_ pairs: [LogFields.Element]) -> Bool {
        line.append(byte: 91)
        defer { line.append(byte: 93) }
        return writeItems(pairs, limit: limit - 8) { pair in
            line.append("{\"key\":" as StaticString)
            append(pair.key, limit: LogContext.longest)
            line.append(",\"value\":" as StaticString)
            writeAnyValue(pair.value, limit: limit - 10, depth: 0)
            line.append(byte: 125)
        }
    }

    private func writeAnyValue(_ value: LogFieldValue, limit: Int, depth: Int) {
        switch value {
        case .integer(let number):
            line.append("{\"intValue\":\"" as StaticString)
            line.append(decimal: number)
            line.append("\"}" as StaticString)
        case .boolean(let flag):
            line.append(flag ? "{\"boolValue\":true}" as StaticString : "{\"boolValue\":false}")
        case .float(let number) where number.isFinite:
            line.append("{\"doubleValue\":" as StaticString)
            write(value, limit: limit, depth: depth)
            line.append(byte: 125)
        case .array(let values) where depth < LogFieldValue.deepestPrinted:
            line.append("{\"arrayValue\":{\"values\":[" as StaticString)
            _ = writeItems(values, limit: limit - 3 * depth - 4) {
                writeAnyValue($0, limit: limit - 3 * depth - 8, depth: depth + 1)
            }
            line.append("]}}" as StaticString)
        case .object(let fields) where depth < LogFieldValue.deepestPrinted:
            line.append("{\"kvlistValue\":{\"values\":[" as StaticString)
            _ = writeItems(fields.elements, limit: limit - 3 * depth - 4) {
                line.append("{\"key\":" as StaticString)
                append($0.key, limit: LogContext.longest)
                line.append(",\"value\":" as StaticString)
                writeAnyValue($0.value, limit: limit - 3 * depth - 8, depth: depth + 1)
                line.append(byte: 125)
            }
            line.append("]}}" as StaticString)
        default:
            line.append("{\"stringValue\":" as StaticString)
            append(value.description, limit: max(64, limit - line.count - 2))
            line.append(byte: 125)
        }
    }
}
