internal import AshlarCore
public import AshlarLogging

extension LogFormat {
    /// One log record of OpenTelemetry's protocol (OTLP) per line, as JSON.
    ///
    /// A collector refuses a whole request because of a malformed identifier, so traces and spans are hexadecimal digits
    /// only.
    public static let openTelemetry: LogFormat = .json(
        LogJSONProfile("openTelemetry") { record, line in
            line.begin("timeUnixNano")
            line.append("\"")
            line.append(decimal: record.time.nanoseconds)
            line.append("\"")
            line.begin("severityNumber")
            line.append(decimal: record.level.row.openTelemetry)
            line.member("severityText", text: record.level.row.name)
            if let trace = identifier("trace_id", 32, of: record) { line.member("traceId", text: trace) }
            if let span = identifier("span_id", 16, of: record) { line.member("spanId", text: span) }
            line.begin("body")
            line.append("{\"stringValue\":")
            let isCut = line.message(of: record)
            line.append("}")
            line.begin("attributes")
            return line.writeAttributes(of: record) || isCut
        })

    /// Returns the text of a field; nil if the line has none, or one that isn't a number of hexadecimal digits.
    private static func identifier(_ key: String, _ digits: Int, of record: LogRecord) -> String? {
        guard !record.fields.isEmpty, case .string(let text)? = record.fields[key] else { return nil }
        return text.utf8.count == digits && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
    }
}

extension JSONLineWriter {
    /// Returns pairs as attributes.
    static func attributes(_ fields: LogFields) -> [UInt8] {
        collecting(limit: 65536) { _ = $0.writeAttributes(fields.list) }
    }

    /// Appends the fields and the position of a line as attributes; returns whether anything was truncated.
    mutating func writeAttributes(of record: LogRecord) -> Bool {
        let position = LogFields([
            .init(key: "code.file.path", value: .string(record.file)),
            .init(key: "code.function.name", value: .string(record.function)),
            .init(key: "code.line.number", value: .integer(Int64(clamping: record.line))),
            .init(key: "thread.id", value: .integer(Int64(clamping: record.threadID))),
            .init(key: "log.context", value: .string(record.context)),
        ])
        // OTLP requires unique keys.
        let fields = record.fields.distinct(from: position.list.map(\.key))
        return writeAttributes(position.followed(by: fields).list)
    }

    private mutating func writeAttributes(_ pairs: [LogFields.Element]) -> Bool {
        append("[")
        defer { append("]") }
        let end = limit - 10
        return writeItems(pairs, limit: limit - 8) { $1.write($0, limit: end, depth: 0) }
    }

    private mutating func write(_ pair: LogFields.Element, limit: Int, depth: Int) {
        append("{\"key\":")
        append(pair.key, limit: Self.longestKey)
        append(",\"value\":")
        writeAnyValue(pair.value, limit: limit, depth: depth)
        append("}")
    }

    /// Appends a value as an object with one member, whose key is the type.
    private mutating func writeAnyValue(_ value: LogFieldValue, limit: Int, depth: Int) {
        switch value {
        case .integer(let number):
            append("{\"intValue\":\"")
            append(decimal: number)
            append("\"}")
        case .boolean(let flag): append(flag ? "{\"boolValue\":true}" : "{\"boolValue\":false}")
        case .float(let number) where number.isFinite:
            append("{\"doubleValue\":")
            write(value, limit: limit, depth: depth)
            append("}")
        case .array(let values) where depth < LogFieldValue.deepestPrinted:
            append("{\"arrayValue\":{\"values\":[")
            _ = writeItems(values, limit: limit - 3 * depth - 4) {
                $1.writeAnyValue($0, limit: limit - 3 * depth - 8, depth: depth + 1)
            }
            append("]}}")
        case .object(let fields) where depth < LogFieldValue.deepestPrinted:
            append("{\"kvlistValue\":{\"values\":[")
            _ = writeItems(fields.list, limit: limit - 3 * depth - 4) {
                $1.write($0, limit: limit - 3 * depth - 8, depth: depth + 1)
            }
            append("]}}")
        default:
            append("{\"stringValue\":")
            append(value.description, limit: max(64, room - 2))
            append("}")
        }
    }
}
