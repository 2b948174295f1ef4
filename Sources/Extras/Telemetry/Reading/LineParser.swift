internal import AshlarCore
internal import AshlarLogging

/// The contents of a parsed line; values that its format doesn't print are empty.
struct ParsedLine {
    var time: LogTime?
    var level = LogLevel.info
    var context = ""
    var message = ""
    var fields = LogFields()
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

/// Recognizes the format of a line and parses it.
struct LineParser {
    /// The gutter of a continued message, after its line end.
    static let gutter = Array("  | ".utf8)
    static let lineEnd = UInt8(ascii: "\n")

    private let patterns: [PatternMatcher]
    /// Whether only the presets are recognized.
    let isStandard: Bool

    init(_ formats: [LogFormat]) {
        let presets = [LogFormat.standard, .myLogger, .ftToolBox].compactMap { PatternMatcher($0) }
        let own = formats.compactMap { PatternMatcher($0) }.filter { !presets.contains($0) }
        isStandard = own.isEmpty
        patterns = own + presets
    }

    /// Parses a line without its line end; returns nil if no format matches.
    func parse(_ line: [UInt8]) -> ParsedLine? {
        if line.first == UInt8(ascii: "{"), let parsed = JSONLineParser.parse(line) { return parsed }
        if line.starts(with: "time=".utf8), let parsed = LogfmtParser.parse(line) { return parsed }
        for pattern in patterns {
            if let parsed = pattern.parse(line) { return parsed }
        }
        return nil
    }
}

extension LineParser {
    /// Returns the time of a line, which presets write first, so that the rest needn't be parsed.
    func time(of line: UnsafeBufferPointer<UInt8>) -> LogTime? {
        if isStandard {
            // Other lines can't have a time.
            guard let first = line.first, first.isDigit || "{t".utf8.contains(first) else { return nil }
            for prefix in Self.prefixesOfTimes where line.starts(with: prefix) {
                let start = prefix.count
                if let time = Self.shortTime(in: line, at: start) { return time }
                let end = line[start...].firstIndex { $0 == .space || $0 == .quote } ?? line.count
                if let time = LogTime(rfc3339: Array(line[start..<end])) { return time }
            }
        }
        return parse(Array(line))?.time
    }

    private static let prefixesOfTimes = [#"{"time":""#, "time=", ""].map { Array($0.utf8) }

    /// Reads `2026-11-20T13:22:32.123Z`, the form of nearly all lines; in queries by time, the general parser takes four times
    /// as long.
    fileprivate static func shortTime(in line: UnsafeBufferPointer<UInt8>, at start: Int) -> LogTime? {
        let form = "0000-00-00T00:00:00.000Z" as StaticString
        guard start + form.utf8CodeUnitCount <= line.count else { return nil }
        for index in 0..<form.utf8CodeUnitCount {
            let byte = line[start + index]
            let wanted = form.utf8Start[index]
            guard wanted == UInt8(ascii: "0") ? byte.isDigit : byte == wanted else { return nil }
        }
        let end = start + form.utf8CodeUnitCount
        guard end == line.count || line[end] == .space || line[end] == .quote else { return nil }
        func number(_ offset: Int, _ digits: Int) -> Int {
            (0..<digits).reduce(0) { $0 * 10 + Int(line[start + offset + $1] - UInt8(ascii: "0")) }
        }
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
        guard hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: number(0, 4), month: number(5, 2), day: number(8, 2)),
            (1700..<2200).contains(date.year)
        else { return nil }
        let seconds = Int64(date.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return LogTime(nanoseconds: seconds &* 1_000_000_000 &+ Int64(number(20, 3)) * 1_000_000)
    }
}

/// Matches lines against the pattern of a format.
struct PatternMatcher: Equatable {
    private let pieces: [FormatPiece]
    private let indent: [UInt8]

    /// The maximum number of positions that are tried for one line, because its text may contain the pattern's
    /// literals.
    private static let mostSteps = 10_000

    /// Creates a matcher; returns nil for a format without a pattern.
    init?(_ format: LogFormat) {
        guard let pieces = format.pieces else { return nil }
        self.pieces = pieces
        indent = Array(String(repeating: format.indentCharacter, count: format.indentWidth).utf8)
    }

    func parse(_ line: [UInt8]) -> ParsedLine? {
        var match = Match(pieces: pieces, indent: indent, line: line, stepsLeft: Self.mostSteps)
        return match.matches(0, at: 0) ? match.parsed : nil
    }

    private struct Match {
        let pieces: [FormatPiece]
        let indent: [UInt8]
        let line: [UInt8]
        var stepsLeft: Int
        var parsed = ParsedLine()

        /// Whether the pieces from `index` on match the line from `start` to its end.
        mutating func matches(_ index: Int, at start: Int) -> Bool {
            stepsLeft -= 1
            guard stepsLeft > 0 else { return false }
            guard index < pieces.count else { return start == line.count }
            switch pieces[index].kind {
            case .literal:
                let literal = Array(pieces[index].literal.utf8)
                return line[start...].starts(with: literal) && matches(index + 1, at: start + literal.count)
            case .indent: return matches(index + 1, at: afterIndent(start))
            case .level: return level(index, at: start) { $0.name }
            case .toolBoxLevel: return level(index, at: start) { $0.toolBoxName }
            case .number, .sequence, .line, .thread: return number(index, at: start)
            case .time:
                let end = line[start...].firstIndex { !Self.isTimeByte($0) } ?? line.count
                let short = line.withUnsafeBufferPointer { LineParser.shortTime(in: $0, at: start) }
                guard let time = short ?? LogTime(rfc3339: line[start..<end]) else { return false }
                parsed.time = time
                return matches(index + 1, at: end)
            case .context, .file, .function, .method: return place(index, at: start)
            case .message: return message(index, at: start)
            case .fields:
                let (fields, end) = LogfmtParser.fields(in: line, from: start)
                parsed.fields = fields
                return matches(index + 1, at: end)
            }
        }

        private mutating func afterIndent(_ start: Int) -> Int {
            guard !indent.isEmpty else { return start }
            var position = start
            parsed.depth = 0
            while line[position...].starts(with: indent) {
                position += indent.count
                parsed.depth += 1
            }
            // Deeper levels are printed as a number: `(+3)`.
            if parsed.depth > 0, line[position...].starts(with: "(+".utf8) {
                let digits = line[(position + 2)...].prefix(while: \.isDigit)
                if let more = Int(String(decoding: digits, as: UTF8.self)), digits.endIndex < line.count,
                    line[digits.endIndex] == UInt8(ascii: ")")
                {
                    parsed.depth += more
                    return digits.endIndex + 1
                }
            }
            return position
        }

        private mutating func level(_ index: Int, at start: Int, _ name: (LogLevel) -> String) -> Bool {
            for level in LogLevel.allCases where line[start...].starts(with: name(level).utf8) {
                parsed.level = level
                if matches(index + 1, at: start + name(level).utf8.count) { return true }
            }
            return false
        }

        private mutating func number(_ index: Int, at start: Int) -> Bool {
            let digits = line[start...].prefix(while: \.isDigit)
            guard let number = UInt64(String(decoding: digits, as: UTF8.self)) else { return false }
            switch pieces[index].kind {
            case .number: parsed.level = UInt8(exactly: number).flatMap(LogLevel.init) ?? parsed.level
            case .sequence: parsed.sequence = number
            case .line: parsed.line = UInt(clamping: number)
            default: parsed.threadID = number
            }
            return matches(index + 1, at: digits.endIndex)
        }

        /// Matches a context or a name, which ends where the rest of the line matches.
        private mutating func place(_ index: Int, at start: Int) -> Bool {
            for end in start...line.count where mayEnd(index, at: end) {
                let text = String(decoding: line[start..<end], as: UTF8.self)
                if matches(index + 1, at: end) {
                    switch pieces[index].kind {
                    case .context: parsed.context = text
                    case .file: parsed.file = text
                    default: parsed.function = text
                    }
                    return true
                }
            }
            return false
        }

        /// Whether the piece after `index` can start at a position.
        private func mayEnd(_ index: Int, at end: Int) -> Bool {
            guard index + 1 < pieces.count, let first = pieces[index + 1].literal.utf8.first else { return true }
            return end < line.count && line[end] == first
        }

        /// Matches the message and the fields after it; the last possible end is tried first.
        private mutating func message(_ index: Int, at start: Int) -> Bool {
            let hasFields = index + 1 < pieces.count && pieces[index + 1].kind == .fields
            let next = hasFields ? index + 2 : index + 1
            for end in stride(from: line.count, through: start, by: -1) where mayEnd(next - 1, at: end) {
                guard matches(next, at: end) else { continue }
                let rest = Array(line[start..<end])
                let messageEnd = hasFields ? LogfmtParser.messageEnd(in: rest) : rest.count
                if hasFields { parsed.fields = LogfmtParser.fields(in: rest, from: messageEnd).0 }
                parsed.message = LogfmtParser.message(rest[..<messageEnd])
                return true
            }
            return false
        }

        private static func isTimeByte(_ byte: UInt8) -> Bool {
            byte.isDigit || "+-.:TZ".utf8.contains(byte)
        }
    }
}
