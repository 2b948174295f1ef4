internal import AshlarCore
internal import AshlarLogging

/// Finds the lines in the bytes of one run.
///
/// A line isn't parsed before someone asks for its record. Bytes that can't match a query don't become a line.
struct LineScanner: Sendable {
    private let startedAt: LogTime
    private let processID: Int32
    private let parser: LineParser
    private let query: LogQuery
    /// What each matching line contains.
    private let needles: [ByteNeedle]
    /// The time of the last line that had one.
    private var time: LogTime

    init(run: PriorRun, parser: LineParser, query: LogQuery) {
        self.init(startedAt: run.startedAt, processID: run.processID, parser: parser, query: query)
    }

    init(startedAt: LogTime, processID: Int32, parser: LineParser, query: LogQuery) {
        self.startedAt = startedAt
        self.processID = processID
        self.parser = parser
        self.query = query
        needles = query.needles
        time = startedAt
    }

    /// Returns the next line that matches, and moves the position behind it; nil at the end of the bytes.
    ///
    /// The bytes start and end at line boundaries.
    mutating func next(in bytes: [UInt8], at position: inout Int) -> LogLine? {
        bytes.withUnsafeBufferPointer { buffer in
            // The start of the lines whose times aren't known.
            var skipped = position
            while let line = nextLine(in: buffer, from: position) {
                position = min(line.upperBound + 1, buffer.count)
                let text = UnsafeBufferPointer(rebasing: buffer[line])
                let header = query.concernsHeader ? parser.header(of: text) : nil
                if let header, !query.matches(header) { continue }
                guard needles.dropFirst().allSatisfy({ $0.firstIndex(in: text, from: 0) != nil }) else { continue }
                time = parser.time(of: text) ?? lastTime(in: buffer, skipped..<line.lowerBound) ?? time
                skipped = position
                guard query.includes(time) else { continue }
                let found = LogLine(
                    text: String(decoding: text, as: UTF8.self), time: time, runStartedAt: startedAt,
                    processID: processID, parser: parser)
                if query.matches(found, knowing: header) { return found }
            }
            position = buffer.count
            time = lastTime(in: buffer, min(skipped, position)..<position) ?? time
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

    /// Returns the next line that isn't empty and contains the first needle.
    private func nextLine(in buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
        var start = start
        while start < buffer.count {
            var found = start
            if let needle = needles.first {
                guard let index = needle.firstIndex(in: buffer, from: start) else { return nil }
                found = index
            }
            let end = Self.lineEnd(in: buffer, from: found)
            let line = Self.lineStart(in: buffer, of: found, from: start)..<end
            if !line.isEmpty { return line }
            start = end + 1
        }
        return nil
    }

    /// The start of the line that contains a position, not before `first`.
    private static func lineStart(in buffer: UnsafeBufferPointer<UInt8>, of position: Int, from first: Int) -> Int {
        var start = position
        while start > first {
            if buffer[start - 1] == LineParser.lineEnd, !isContinuation(buffer, at: start) { return start }
            start -= 1
        }
        return first
    }

    /// The end of the line that contains a position, with its continuation lines.
    private static func lineEnd(in buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var end = start
        while true {
            end = buffer.offset(of: LineParser.lineEnd, from: end) ?? buffer.count
            guard isContinuation(buffer, at: end + 1) else { return end }
            end += 1
        }
    }

    private static func isContinuation(_ buffer: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        start < buffer.count && buffer[start] == LineParser.gutter[0]
            && buffer[start...].starts(with: LineParser.gutter)
    }

    /// The time of the last line in a range that has one.
    private func lastTime(in buffer: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> LogTime? {
        var end = range.upperBound
        while end > range.lowerBound {
            let start = Self.lineStart(in: buffer, of: end - 1, from: range.lowerBound)
            let line = UnsafeBufferPointer(rebasing: buffer[start..<end])
            let text = line.last == LineParser.lineEnd ? UnsafeBufferPointer(rebasing: line.dropLast()) : line
            if let time = parser.time(of: text) { return time }
            end = start
        }
        return nil
    }
}

/// A text to find in bytes: any text, or the key of a field that its value follows.
struct ByteNeedle: Sendable {
    private let text: [UInt8]
    private let ignoresCase: Bool
    /// The value after a key; empty if it has no fixed form.
    private let value: [UInt8]
    /// The offset of the byte that is rarest in logs, which memchr(3) finds; in the benchmark of a rare text, comparing each
    /// byte takes three times as long.
    private let rarest: Int

    /// Letters by their frequency in logs; other characters are rare, and digits are frequent.
    private static let frequent = Array("etaonirsldcmupfghbvwykxjqz".utf8)
    /// The bytes in which both cases of a letter are searched at once; otherwise each search for the frequent one would also
    /// pass over all bytes up to the rare one.
    private static let window = 4096

    /// Creates a needle for a text, ignoring the case of ASCII letters; nil for an empty text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        self.init(text.utf8.map(\.asciiLowercased), ignoresCase: true, value: [])
    }

    /// Creates a needle for a text, or for the key of a field and its value.
    ///
    /// - Precondition: The text isn't empty, and every format prints it and the value as they are.
    init(exactly text: String, value: String = "") {
        self.init(Array(text.utf8), ignoresCase: false, value: Array(value.utf8))
    }

    private init(_ text: [UInt8], ignoresCase: Bool, value: [UInt8]) {
        func rank(_ byte: UInt8) -> Int {
            if byte.isDigit || byte == .space { return -1 }
            return Self.frequent.firstIndex(of: byte) ?? Self.frequent.count
        }
        self.text = text
        self.ignoresCase = ignoresCase
        self.value = value
        rarest = text.indices.max { rank(text[$0]) < rank(text[$1]) } ?? 0
    }

    /// Returns the offset of the text at or after a position.
    func firstIndex(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var next = start + rarest
        while next < bytes.count {
            let end = min(next + Self.window, bytes.count)
            let window = UnsafeBufferPointer(rebasing: bytes[..<end])
            while let index = rarestByte(in: window, from: next) {
                if matches(bytes, at: index - rarest) { return index - rarest }
                next = index + 1
            }
            next = end
        }
        return nil
    }

    private func rarestByte(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let byte = text[rarest]
        let index = bytes.offset(of: byte, from: start)
        guard ignoresCase, byte.isLetter else { return index }
        let rest = index.map { UnsafeBufferPointer(rebasing: bytes[..<$0]) } ?? bytes
        return rest.offset(of: byte & 0xDF, from: start) ?? index
    }

    private func matches(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        var end = start + text.count
        guard end <= bytes.count else { return false }
        for index in text.indices {
            let byte = bytes[start + index]
            guard (ignoresCase ? byte.asciiLowercased : byte) == text[index] else { return false }
        }
        guard !value.isEmpty else { return true }
        // `key=value`, `"key":value`, with quotes around a text; OpenTelemetry prints `"key","value":{"type":value}`.
        func skip(_ byte: UInt8) -> Bool {
            guard end < bytes.count, bytes[end] == byte else { return false }
            end += 1
            return true
        }
        _ = skip(.quote)
        while skip(.space) {}
        if skip(UInt8(ascii: ",")) { return true }
        guard skip(UInt8(ascii: "=")) || skip(UInt8(ascii: ":")) else { return false }
        while skip(.space) {}
        _ = skip(.quote)
        return bytes[end...].starts(with: value)
    }
}
