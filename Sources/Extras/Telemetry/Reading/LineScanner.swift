internal import AshlarCore
internal import AshlarLogging

/// Finds the lines in the bytes of one run.
///
/// A line isn't parsed before someone asks for its record. Bytes that can't match a query don't become a line.
struct LineScanner: Sendable {
    private let startedAt: LogTime
    private let processID: Int32
    private let parser: LineParser
    private let needle: QueryNeedle
    private let query: LogQuery
    /// The time of the last line that had one.
    private var time: LogTime

    init(run: PriorRun, parser: LineParser, query: LogQuery) {
        startedAt = run.startedAt
        processID = run.processID
        self.parser = parser
        self.query = query
        needle = QueryNeedle(query, parser: parser)
        time = run.startedAt
    }

    /// Returns the next line that matches, and moves the position behind it; nil at the end of the bytes.
    ///
    /// The bytes start and end at line boundaries.
    mutating func next(in bytes: [UInt8], at position: inout Int) -> LogLine? {
        bytes.withUnsafeBufferPointer { buffer in
            // The last line before this one that begins with a time.
            var timed: Range<Int>?
            defer { if let timed { time = parser.time(of: buffer[timed]) ?? time } }
            while position < buffer.count {
                let line = position..<Self.lineEnd(in: buffer, from: position)
                position = line.upperBound + 1
                guard !line.isEmpty else { continue }
                guard needle.mayMatch(UnsafeBufferPointer(rebasing: buffer[line])) else {
                    if parser.mayHaveTime(buffer[line]) { timed = line }
                    continue
                }
                if let last = timed { time = parser.time(of: buffer[last]) ?? time }
                timed = nil
                time = parser.time(of: buffer[line]) ?? time
                let found = LogLine(
                    text: String(decoding: buffer[line], as: UTF8.self), time: time, runStartedAt: startedAt,
                    processID: processID, parser: parser)
                if query.matches(found) { return found }
            }
            return nil
        }
    }

    /// Returns all lines of bytes that match.
    mutating func lines(in bytes: [UInt8]) -> [LogLine] {
        var lines: [LogLine] = []
        var position = 0
        while let line = next(in: bytes, at: &position) { lines.append(line) }
        return lines
    }

    /// The end of the line that begins at a position, with its continuation lines.
    private static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var end = start
        while true {
            end = end < bytes.count ? bytes[end...].firstIndex(of: LineParser.lineEnd) ?? bytes.count : bytes.count
            guard end + LineParser.gutter.count < bytes.count,
                bytes[end + 1] == LineParser.gutter[0],
                bytes[(end + 1)...].starts(with: LineParser.gutter)
            else { return end }
            end += 1
        }
    }
}

/// What the bytes of a line must contain to match a query.
///
/// The check is quick and may accept lines that don't match.
struct QueryNeedle: Sendable {
    /// Texts in lowercase; each must be in the line, ignoring case.
    private var all: [[UInt8]] = []
    /// Texts in lowercase by their first byte; one of them must be in the line, unless there are none.
    private var any: [[[UInt8]]] = []

    init(_ query: LogQuery, parser: LineParser) {
        if let text = query.text, !text.isEmpty { all.append(text.utf8.map(\.asciiLowercased)) }
        if let context = query.context, Self.isPlain(context) { all.append(context.utf8.map(\.asciiLowercased)) }
        for key in query.fields.keys {
            // Formats write the members of an object under the whole path or under their own name.
            let name = key.split(separator: ".").last.map(String.init) ?? key
            if Self.isPlain(name) { all.append(name.utf8.map(\.asciiLowercased)) }
        }
        // Lines without a level are informational, and other formats may write levels in other ways.
        guard let level = query.level, level < .info, parser.isStandard else { return }
        any = Array(repeating: [], count: 256)
        for name in LogLevel.allCases.filter({ $0 <= level }).map(\.name) + ["alert"] {
            let name = name.utf8.map(\.asciiLowercased)
            any[Int(name[0])].append(name)
            any[Int(name[0] & 0xDF)].append(name)
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    func mayMatch(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        for text in all where !ByteSearch.contains(text, in: line) { return false }
        if any.isEmpty { return true }
        return any.withUnsafeBufferPointer { any in
            for index in line.indices {
                let names = any[Int(line[index])]
                if !names.isEmpty, names.contains(where: { ByteSearch.matches($0, in: line, at: index) }) {
                    return true
                }
            }
            return false
        }
    }
}

/// Searches in bytes.
enum ByteSearch {
    /// Whether bytes contain a text in lowercase, ignoring the case of ASCII letters.
    static func contains(_ text: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        let other = first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z") ? first & 0xDF : first
        var index = 0
        while index + text.count <= bytes.count {
            if bytes[index] == first || bytes[index] == other, matches(text, in: bytes, at: index) { return true }
            index += 1
        }
        return false
    }

    static func matches(_ text: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard start + text.count <= bytes.count else { return false }
        for index in 1..<max(1, text.count) where bytes[start + index].asciiLowercased != text[index] { return false }
        return true
    }
}
