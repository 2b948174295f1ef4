/// The member names of JSON lines.
package struct LogJSONProfile: Equatable, Sendable {
    /// The content of a member.
    package enum Member: Sendable {
        case time, sequence, level, number, depth, context
        case message, fields, file, function, line, thread
        /// The text of a field of hexadecimal digits, for correlation; left out unless the line has it, because a collector
        /// refuses a whole request for another text.
        case identifier(field: String, hexDigits: Int)
        /// Written by another module; the closure returns whether it truncated anything.
        case custom(@Sendable (LogRecord, inout JSONLineWriter) -> Bool)
    }

    /// The name of the profile, which no other profile has.
    private let name: String
    let members: [(name: String, member: Member)]

    package init(_ name: String, members: [(name: String, member: Member)]) {
        self.name = name
        self.members = members
    }

    package static func == (left: LogJSONProfile, right: LogJSONProfile) -> Bool {
        left.name == right.name
    }

    /// Ashlar's names.
    package static let standard = LogJSONProfile(
        "standard",
        members: [
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
        _ record: LogRecord, _ profile: LogJSONProfile, to line: inout [UInt8], limit: Int
    ) -> Bool {
        var writer = JSONLineWriter(time: time, limit: limit, short: Self.shortLimit(limit))
        swap(&writer.line, &line)
        defer { swap(&writer.line, &line) }
        return writer.write(profile.members, of: record)
    }
}

/// Writes the members of one JSON line.
package struct JSONLineWriter {
    var line: [UInt8] = []
    let time: LogTimeStyle
    package let limit: Int
    /// The longest context, name or key.
    let short: Int

    mutating func write(_ members: [(name: String, member: LogJSONProfile.Member)], of record: LogRecord)
        -> Bool
    {
        var cut = false
        var isFirst = true
        append("{")
        for (name, member) in members {
            if case .fields = member, record.fields.isEmpty { continue }
            if case .identifier(let key, let digits) = member, identifier(key, digits, of: record) == nil { continue }
            append(isFirst ? "\"" : ",\"")
            isFirst = false
            append(name)
            append("\":")
            cut = write(member, of: record) || cut
        }
        append("}")
        return cut
    }

    private mutating func write(_ member: LogJSONProfile.Member, of record: LogRecord) -> Bool {
        switch member {
        case .time:
            line.append(.quote)
            time.append(record.time, to: &line)
            line.append(.quote)
        case .sequence: line.append(decimal: record.sequence)
        case .level: append(record.level.row.name, limit: short)
        case .number: line.append(decimal: record.level.rawValue)
        case .depth: line.append(decimal: max(0, record.depth))
        case .context: append(record.context, limit: short)
        case .file: append(record.file, limit: short)
        case .function: append(record.function, limit: short)
        case .line: line.append(decimal: record.line)
        case .thread: line.append(decimal: record.threadID)
        case .identifier(let key, let digits): append(identifier(key, digits, of: record) ?? "", limit: short)
        case .message: return message(of: record)
        case .fields: return writeObject(record.fields.list, limit: limit - 8, depth: 0)
        case .custom(let write): return write(record, &self)
        }
        return false
    }

    /// The text of a field; nil if the line has none, or one that isn't a number of hexadecimal digits.
    private func identifier(_ key: String, _ digits: Int, of record: LogRecord) -> String? {
        guard !record.fields.isEmpty, case .string(let text)? = record.fields[key] else { return nil }
        return text.utf8.count == digits && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
    }

    package static let longestKey = CompiledFormat.longestName

    /// The number of bytes up to the limit.
    package var room: Int { limit - line.count }

    /// Returns the bytes that `body` writes.
    package static func collecting(limit: Int, _ body: (inout JSONLineWriter) -> Void) -> [UInt8] {
        var writer = JSONLineWriter(time: LogTimeStyle(), limit: limit, short: longestKey)
        body(&writer)
        return writer.line
    }

    package mutating func append(_ text: String) { line.append(text: text) }
    package mutating func append(decimal number: Int64) { line.append(decimal: number) }

    package mutating func message(of record: LogRecord) -> Bool {
        quote(record.message, end: limit - 96)
    }

    package mutating func append(_ text: String, limit: Int) {
        _ = quote(text, end: line.count + 1 + limit)
    }

    /// Appends a string that ends before an offset.
    private mutating func quote(_ text: String, end: Int) -> Bool {
        line.append(.quote)
        defer { line.append(.quote) }
        return Escaping.json.append(text, to: &line, end: end)
    }

    /// Appends pairs as an object; if a pair might not fit, it and all later pairs are omitted.
    private mutating func writeObject(_ pairs: [LogFields.Element], limit: Int, depth: Int) -> Bool {
        append("{")
        defer { append("}") }
        return writeItems(pairs, limit: limit) { pair, writer in
            writer.append(pair.key, limit: Self.longestKey)
            writer.append(":")
            writer.write(pair.value, limit: limit, depth: depth)
        }
    }

    package mutating func writeItems<Item>(_ items: [Item], limit: Int, _ write: (Item, inout Self) -> Void) -> Bool {
        for (index, item) in items.enumerated() {
            let before = line.count
            if index > 0 { append(",") }
            if before + 48 <= limit { write(item, &self) }
            if before + 48 > limit || line.count > limit {
                line.removeSubrange(before...)
                return true
            }
        }
        return false
    }

    package mutating func write(_ value: LogFieldValue, limit: Int, depth: Int) {
        switch value {
        case .integer(let number): line.append(decimal: number)
        case .unsigned(let number): line.append(decimal: number)
        case .boolean(let flag): append(flag ? "true" : "false")
        case .none: append("null")
        case .float(let number) where number.isFinite: append(number.description)
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
                append("[")
                _ = writeItems(values, limit: limit - depth - 1) {
                    $1.write($0, limit: limit - depth - 2, depth: depth + 1)
                }
                append("]")
            }
        }
    }
}
