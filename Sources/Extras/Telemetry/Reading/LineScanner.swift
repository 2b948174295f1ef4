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
    /// Texts that each matching line contains, the longest one first.
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
        needles = query.neededTexts.sorted { $0.utf8.count > $1.utf8.count }.compactMap { ByteNeedle($0) }
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

    /// Returns the next line that isn't empty and contains the longest needle.
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

/// A text to find in bytes, ignoring the case of ASCII letters.
struct ByteNeedle: Sendable {
    private let text: [UInt8]
    /// The offset of the byte that is rarest in logs, which memchr(3) finds; in the benchmark of a rare text, comparing each
    /// byte takes three times as long.
    private let rarest: Int

    /// Letters by their frequency in logs; other characters are rare, and digits are frequent.
    private static let frequent = Array("etaonirsldcmupfghbvwykxjqz".utf8)

    /// Creates a needle; nil for an empty text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        let bytes = text.utf8.map(\.asciiLowercased)
        func rank(_ byte: UInt8) -> Int {
            if byte.isDigit || byte == UInt8(ascii: " ") { return -1 }
            return Self.frequent.firstIndex(of: byte) ?? Self.frequent.count
        }
        rarest = bytes.indices.max { rank(bytes[$0]) < rank(bytes[$1]) } ?? 0
        self.text = bytes
    }

    /// Returns the offset of the text at or after a position.
    func firstIndex(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let low = text[rarest]
        let high = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(low) ? low & 0xDF : low
        var nextLow = bytes.offset(of: low, from: start + rarest)
        var nextHigh = high == low ? nil : bytes.offset(of: high, from: start + rarest)
        while nextLow != nil || nextHigh != nil {
            let next = min(nextLow ?? .max, nextHigh ?? .max)
            if matches(bytes, at: next - rarest) { return next - rarest }
            if next == nextLow {
                nextLow = bytes.offset(of: low, from: next + 1)
            } else {
                nextHigh = bytes.offset(of: high, from: next + 1)
            }
        }
        return nil
    }

    private func matches(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard start + text.count <= bytes.count else { return false }
        for index in text.indices where bytes[start + index].asciiLowercased != text[index] { return false }
        return true
    }
}
