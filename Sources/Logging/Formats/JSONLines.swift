/// The members of JSON lines.
package struct LogJSONProfile: Equatable, Sendable {
    /// The name of the profile, which no other profile has.
    private let name: String
    /// Writes the members of a line; returns whether anything was truncated.
    let write: @Sendable (LogRecord, inout JSONLineWriter) -> Bool

    package init(_ name: String, write: @escaping @Sendable (LogRecord, inout JSONLineWriter) -> Bool) {
        self.name = name
        self.write = write
    }

    package static func == (left: LogJSONProfile, right: LogJSONProfile) -> Bool { left.name == right.name }

    /// Ashlar's members.
    package static let standard = LogJSONProfile("standard") { record, line in
        line.begin("time")
        line.appendTime(record.time)
        line.member("seq", number: record.sequence)
        line.member("level", text: record.level.row.name)
        line.member("severity", number: record.level.rawValue)
        line.member("depth", number: max(0, record.depth))
        line.member("file", text: record.file)
        line.member("function", text: record.function)
        line.member("line", number: record.line)
        line.member("thread", number: record.threadID)
        line.member("context", text: record.context)
        line.begin("message")
        let isCut = line.message(of: record)
        if record.fields.isEmpty { return isCut }
        line.begin("fields")
        return line.writeObject(record.fields.list, limit: line.limit - 8, depth: 0) || isCut
    }
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
        writer.append("{")
        let isCut = profile.write(record, &writer)
        writer.append("}")
        return isCut
    }
}

/// Writes the members of one JSON line.
package struct JSONLineWriter {
    var line: [UInt8] = []
    let time: LogTimeStyle
    package let limit: Int
    /// The longest context, name or key.
    let short: Int

    /// Begins a member of the line's object.
    package mutating func begin(_ name: String) {
        append(line.last == UInt8(ascii: "{") ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    package mutating func member(_ name: String, text: String) {
        begin(name)
        append(text, limit: short)
    }

    mutating func member(_ name: String, number: some BinaryInteger) {
        begin(name)
        line.append(decimal: number)
    }

    fileprivate mutating func appendTime(_ moment: LogTime) {
        line.add(.quote)
        time.append(moment, to: &line)
        line.add(.quote)
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
        line.add(.quote)
        defer { line.add(.quote) }
        return Escaping.json.append(text, to: &line, end: end)
    }

    /// Appends pairs as an object; if a pair might not fit, it and all later pairs are omitted.
    fileprivate mutating func writeObject(_ pairs: [LogFields.Element], limit: Int, depth: Int) -> Bool {
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
                _ = writeObject(fields.list, limit: limit - 1, depth: depth + 1)
            } else if case .array(let values) = value {
                append("[")
                _ = writeItems(values, limit: limit - 1) { $1.write($0, limit: limit - 1, depth: depth + 1) }
                append("]")
            }
        }
    }
}
