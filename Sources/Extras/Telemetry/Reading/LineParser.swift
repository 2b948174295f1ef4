internal import AshlarCore
internal import AshlarLogging
internal import AshlarTrees

/// The contents of a parsed line; values that its format doesn't print are empty.
struct ParsedLine {
    var time: LogTime?
    var level = LogLevel.info
    var context = ""
    var message = ""
    var fields: LogFields = [:]
    var sequence: UInt64 = 0
    var depth = 0
    var file = ""
    var function = ""
    var line: UInt = 0
    var threadID: UInt64 = 0

    var copy: LogRecord {
        LogRecord(
            sequence: sequence, level: level, time: time ?? LogTime(nanoseconds: 0), depth: depth, context: context,
            message: message, fields: fields, file: file, function: function, line: line, threadID: threadID)
    }
}

/// Parses lines of `LogFormat.standard` and `LogFormat.jsonLines`.
enum LineParser {
    /// The gutter of a continued message, after its line end.
    static let gutter = Array("  | ".utf8)

    /// Parses a line without its line end; returns nil for another format.
    static func parse(_ line: [UInt8]) -> ParsedLine? {
        line.first == UInt8(ascii: "{") ? parseJSON(line) : parseStandard(line)
    }

    /// Returns the time of a line, which both formats print first, so that the rest needn't be parsed.
    static func time(of line: ArraySlice<UInt8>) -> LogTime? {
        var rest = line
        if rest.starts(with: #"{"time":""#.utf8) { rest = rest.dropFirst(9) }
        guard let first = rest.first, first.isDigit else { return nil }
        return LogTime(rfc3339: rest.prefix { $0 != .space && $0 != .quote })
    }

    // MARK: The standard pattern

    private static let levels = Dictionary(uniqueKeysWithValues: LogLevel.allCases.map { ($0.description, $0) })

    /// Parses `2026-11-20T13:22:32.123Z   [LEVEL] context - message key=value`.
    private static func parseStandard(_ line: [UInt8]) -> ParsedLine? {
        var parsed = ParsedLine()
        guard let space = line.firstIndex(of: .space), let time = time(of: line[..<space]) else { return nil }
        parsed.time = time
        var rest = line[(space + 1)...]
        while rest.starts(with: "  ".utf8) {
            parsed.depth += 1
            rest = rest.dropFirst(2)
        }
        // Deeper levels are printed as a number: `(+3)`.
        if parsed.depth > 0, rest.starts(with: "(+".utf8), let end = rest.firstIndex(of: UInt8(ascii: ")")),
            let more = UInt16(String(decoding: rest[(rest.startIndex + 2)..<end], as: UTF8.self))
        {
            parsed.depth += Int(more)
            rest = rest[(end + 1)...]
        }
        guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")),
            let level = levels[String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)],
            rest[end...].starts(with: "] ".utf8), let dash = separator(in: rest[(end + 2)...])
        else { return nil }
        parsed.level = level
        parsed.context = String(decoding: rest[(end + 2)..<dash], as: UTF8.self)
        let text = Array(rest[(dash + 3)...])
        let messageEnd = LogfmtParser.messageEnd(in: text)
        parsed.message = LogfmtParser.message(text[..<messageEnd])
        parsed.fields = LogfmtParser.fields(in: text, from: messageEnd)
        return parsed
    }

    /// Returns the position of the first ` - `.
    private static func separator(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0] == .space && text[$0...].starts(with: " - ".utf8) }
    }

    // MARK: JSON lines

    /// Parses one object; returns nil if it isn't valid JSON or has no message.
    private static func parseJSON(_ line: [UInt8]) -> ParsedLine? {
        guard let document = try? JSONDocument(line), document.kind(at: 0) == .object else { return nil }
        var parsed = ParsedLine()
        var hasMessage = false
        func text(_ index: Int) -> String? {
            document.kind(at: index) == .string ? document.string(at: index) : nil
        }
        func number(_ index: Int) -> UInt64 {
            document.kind(at: index) == .integer ? document.uint64(at: index) ?? 0 : 0
        }
        for key in document.children(of: 0) {
            let index = key + 1
            switch document.string(at: key) {
            case "time": parsed.time = text(index).flatMap { LogTime(rfc3339: $0.utf8) }
            case "seq": parsed.sequence = number(index)
            case "level": parsed.level = text(index).flatMap { LogLevel(name: $0) } ?? parsed.level
            case "depth": parsed.depth = Int(clamping: number(index))
            case "context": parsed.context = text(index) ?? ""
            case "message":
                guard let message = text(index) else { continue }
                parsed.message = message
                hasMessage = true
            case "file": parsed.file = text(index) ?? ""
            case "function": parsed.function = text(index) ?? ""
            case "line": parsed.line = UInt(clamping: number(index))
            case "thread": parsed.threadID = number(index)
            case "fields": if case .object(let fields) = value(index, in: document) { parsed.fields = fields }
            default: break
            }
        }
        return hasMessage ? parsed : nil
    }

    private static func value(_ index: Int, in document: JSONDocument) -> LogFieldValue {
        switch document.kind(at: index) {
        case .null: return .none
        case .bool: return .boolean(document.isTrue(at: index))
        case .string: return .string(document.string(at: index))
        case .integer:
            if let number = document.int64(at: index) { return .integer(number) }
            if let number = document.uint64(at: index) { return .unsigned(number) }
            return .float(document.double(at: index) ?? .infinity)
        case .fraction: return .float(document.double(at: index) ?? .infinity)
        case .array: return .array(document.children(of: index).map { value($0, in: document) })
        case .object:
            let pairs = document.children(of: index).map {
                LogFields.Element(key: document.string(at: $0), value: value($0 + 1, in: document))
            }
            return .object(LogFields(pairs))
        }
    }
}

extension LogTime {
    /// Parses a time such as `2026-11-20T13:22:32.123Z`, with an offset or `Z`.
    init?(rfc3339 text: some Sequence<UInt8>) {
        guard let moment = RFC3339.parse(text) else { return nil }
        let fraction = Int64((moment.fraction * 1e9).rounded())
        let (whole, overflow) = moment.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return nil }
        self.init(nanoseconds: whole &+ fraction)
    }
}
