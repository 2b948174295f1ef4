internal import AshlarCore
public import AshlarLogging

/// A line that was read from a run.
public struct LogLine: Hashable, Sendable {
    /// The line as in the file, without its line end.
    ///
    /// A message with continuation lines is one line.
    public let text: String
    /// The time at which the line was logged; if it has no time, the time of the line before it or the start of the
    /// run.
    public let time: LogTime
    /// The time at which the run of the line began.
    public let runStartedAt: LogTime
    /// The process that wrote the run.
    public let processID: Int32

    /// The contents of the line; nil if its format is unknown, as for the text of a signal handler.
    ///
    /// - Complexity: O(*n*) in the length of the line; each access parses it.
    public var record: LogRecord? {
        var parsed = LineParser.parse(Array(text.utf8))
        if parsed?.time == nil { parsed?.time = time }
        return parsed?.copy
    }
}

extension LogLine: CustomStringConvertible {
    /// The line as in the file.
    public var description: String { text }
}

/// Finds the lines in the bytes of one run.
struct LineScanner: Sendable {
    private let startedAt: LogTime
    private let processID: Int32
    private let query: LogQuery
    /// The time of the last line that had one.
    private var time: LogTime

    init(run: PriorRun, query: LogQuery) {
        startedAt = run.startedAt
        processID = run.processID
        self.query = query
        time = run.startedAt
    }

    /// Returns the next line that matches, and moves the position behind it; nil at the end of the bytes.
    ///
    /// The bytes start and end at line boundaries.
    mutating func next(in bytes: [UInt8], at position: inout Int) -> LogLine? {
        while position < bytes.count {
            let line = bytes[position..<Self.lineEnd(in: bytes, from: position)]
            position = line.endIndex + 1
            guard !line.isEmpty else { continue }
            time = LineParser.time(of: line) ?? time
            guard query.includes(time) else { continue }
            let found = LogLine(
                text: String(decoding: line, as: UTF8.self), time: time, runStartedAt: startedAt, processID: processID)
            if query.matches(found) { return found }
        }
        return nil
    }

    /// Returns all lines of bytes that match.
    mutating func lines(in bytes: [UInt8]) -> [LogLine] {
        var lines: [LogLine] = []
        var position = 0
        while let line = next(in: bytes, at: &position) { lines.append(line) }
        return lines
    }

    /// The end of the line that contains a position, with its continuation lines.
    private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int {
        var end = bytes[start...].firstIndex(of: .newline) ?? bytes.count
        while end < bytes.count, bytes[(end + 1)...].starts(with: LineParser.gutter) {
            end = bytes[(end + 1)...].firstIndex(of: .newline) ?? bytes.count
        }
        return end
    }
}
