internal import AshlarCore
public import AshlarLogging

/// A line that was read from a run.
public struct LogLine: Sendable {
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
    private let parser: LineParser

    init(text: String, time: LogTime, runStartedAt: LogTime, processID: Int32, parser: LineParser) {
        self.text = text
        self.time = time
        self.runStartedAt = runStartedAt
        self.processID = processID
        self.parser = parser
    }

    /// The contents of the line; nil if its format is unknown, as for the text of a signal handler.
    ///
    /// - Complexity: O(*n*) in the length of the line; each access parses it.
    public var record: LogRecord? {
        var parsed = parser.parse(Array(text.utf8))
        if parsed?.time == nil { parsed?.time = time }
        return parsed?.copy
    }

    /// Whether a line with a header has a record; a pattern matches each line with one, but JSON can be damaged behind it.
    var hasRecord: Bool { text.utf8.first != UInt8(ascii: "{") || JSONLineParser.canParse(Array(text.utf8)) }
}

extension LogLine: Hashable {
    /// Whether two lines have the same text and time, and are from the same run.
    public static func == (left: LogLine, right: LogLine) -> Bool {
        left.text == right.text && left.time == right.time && left.runStartedAt == right.runStartedAt
            && left.processID == right.processID
    }

    /// Hashes the text, the time and the run.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(time)
        hasher.combine(runStartedAt)
        hasher.combine(processID)
    }
}

extension LogLine: CustomStringConvertible {
    /// The line as in the file.
    public var description: String { text }
}
