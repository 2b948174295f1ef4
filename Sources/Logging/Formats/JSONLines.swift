/// The member names of JSON lines.
package struct LogJSONProfile: Sendable {
    /// The content of a member.
    package enum Member: Sendable {
        case time, sequence, level, number, depth, context
        case message, fields, file, function, line, thread
        /// The text of a field of hexadecimal digits, for correlation; left out unless the line has it, because a collector
        /// refuses a whole request for another text.
        case identifier(field: String, hexDigits: Int)
        /// Written by another module; the closure returns whether it truncated anything.
        case custom(@Sendable (borrowing LineRecord, JSONLineWriter) -> Bool)
    }

    let members: [(name: StaticString, member: Member)]

    package init(members: [(name: StaticString, member: Member)]) { self.members = members }

    /// Ashlar's names.
    package static let standard = LogJSONProfile(members: [
        ("time", .time), ("seq", .sequence), ("level", .level), ("severity", .number), ("depth", .depth),
        ("file", .file), ("function", .function), ("line", .line), ("thread", .thread), ("context", .context),
        ("message", .message), ("fields", .fields),
    ])
}

extension CompiledFormat {
    /// Appends one JSON object (RFC 8259).
    ///
    /// In a long line, the strings are truncated, so that the line remains valid JSON.
    func writeJSON(
        _ record: borrowing LineRecord, _ profile: LogJSONProfile, to line: ByteBuffer, limit: Int
    ) -> Bool {
        let writer = JSONLineWriter(
            line: line, time: time, limit: limit, short: Self.shortLimit(limit - line.count))
        return writer.write(profile.members, of: record)
    }
}

/// Writes the members of one JSON line.
package struct JSONLineWriter {
    let line: ByteBuffer
    let time: LogTimeStyle
    package let limit: Int
    /// The longest context, name or key.
    let short: Int

    func write(_ members: [(name: StaticString, member: LogJSONProfile.Member)], of record: borrowing LineRecord)
        -> Bool
    {
        var cut = false
        var isFirst = true
        line.append("{" as StaticString)
        for (name, member) in members {
            if case .fields = member, record.fields.isEmpty { continue }
            if case .identifier(let key, let digits) = member, identifier(key, digits, of: record) == nil { continue }
            if !isFirst { line.append("," as StaticString) }
            isFirst = false
            line.append(byte: .quote)
            line.append(name)
            line.append("\":" as StaticString)
            cut = write(member, of: record) || cut
        }
        line.append("}" as StaticString)
        return cut
    }

    private func write(_ member: LogJSONProfile.Member, of record: borrowing LineRecord) -> Bool {
        switch member {
        case .time: quoted { time.append(record.time, to: line) }
        case .sequence: line.append(decimal: record.sequence)
        case .level: quoted { line.append(record.level.row.name) }
        case .number: line.append(decimal: UInt64(record.level.rawValue))
        case .depth: line.append(decimal: UInt64(max(0, record.depth)))
        case .context: append(record.source.name, limit: short)
        case .file: append(record.place.file, limit: short)
        case .function: append(record.place.function, limit: short)
        case .line: line.append(decimal: UInt64(record.line))
        case .thread: line.append(decimal: record.threadID)
        case .identifier(let key, let digits): append(identifier(key, digits, of: record) ?? "", limit: short)
        case .message: return message(of: record)
        case .fields: return writeObject(record.fields.list, limit: limit - 8, depth: 0)
        case .custom(let write): return write(record, self)
        }
        return false
    }

    /// The text of a field; nil if the line has none, or one that isn't a number of hexadecimal digits.
    private func identifier(_ key: String, _ digits: Int, of record: borrowing LineRecord) -> String? {
        guard !record.fields.isEmpty, case .string(let text)? = record.fields[key] else { return nil }
        return text.utf8.count == digits && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
    }

    package static let longestKey = LogContext.longest

    /// The number of bytes up to the limit.
    package var room: Int { limit - line.count }

    /// Returns the bytes that `body` writes.
    package static func collecting(limit: Int, _ body: (JSONLineWriter) -> Void) -> [UInt8] {
        ByteBuffer.temporary { line in
            body(JSONLineWriter(line: line, time: LogTimeStyle(), limit: limit, short: longestKey))
            return line.text.array
        }
    }

    package func append(_ text: StaticString) { line.append(text) }
    package func append(decimal number: Int64) { line.append(decimal: number) }

    private func quoted(_ body: () -> Void) {
        line.append(byte: .quote)
        body()
        line.append(byte: .quote)
    }

    package func message(of record: borrowing LineRecord) -> Bool {
        line.append(byte: .quote)
        let cut = Escaping.json.append(record.text, omitted: record.omitted, to: line, end: limit - 96)
        line.append(byte: .quote)
        return cut
    }

    private func append(_ text: LogText, limit: Int) {
        quoted { _ = Escaping.json.append(text, to: line, end: line.count + limit) }
    }

    package func append(_ text: String, limit: Int) { LogText.withBytes(text) { append($0, limit: limit) } }

    /// Appends pairs as an object; if a pair might not fit, it and all later pairs are omitted.
    private func writeObject(_ pairs: [LogFields.Element], limit: Int, depth: Int) -> Bool {
        line.append("{" as StaticString)
        defer { line.append("}" as StaticString) }
        return writeItems(pairs, limit: limit) { pair in
            append(pair.key, limit: LogContext.longest)
            line.append(":" as StaticString)
            write(pair.value, limit: limit, depth: depth)
        }
    }

    package func writeItems<Item>(_ items: [Item], limit: Int, _ write: (Item) -> Void) -> Bool {
        for (index, item) in items.enumerated() {
            let before = line.count
            if index > 0 { line.append("," as StaticString) }
            if before + 48 <= limit { write(item) }
            if before + 48 > limit || line.count > limit {
                line.rewind(to: before)
                return true
            }
        }
        return false
    }

    package func write(_ value: LogFieldValue, limit: Int, depth: Int) {
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
                _ = writeObject(fields.list, limit: limit - depth - 1, depth: depth + 1)
            } else if case .array(let values) = value {
                line.append("[" as StaticString)
                _ = writeItems(values, limit: limit - depth - 1) {
                    write($0, limit: limit - depth - 2, depth: depth + 1)
                }
                line.append("]" as StaticString)
            }
        }
    }
}
