internal import AshlarCore
public import AshlarLogging

/// Reads the runs in a folder as records: filtered, merged by time, or as they are written.
///
/// The format of each line is recognized: JSON lines of every profile, logfmt, the patterns of `LogFormat`'s presets,
/// and those of ``formats``. JSON lines restore types, nested values and messages exactly. In other formats, a value
/// that looks like a number or a boolean becomes one, and a message contains its escapes.
///
/// ```swift
/// let reader = LogReader(folder: "/tmp/example-logs")
/// for line in reader.lines(matching: LogQuery(level: .warning, context: "net")) {
///     print(line.time, line.record?.message ?? line.text)
/// }
/// ```
public struct LogReader: Sendable {
    /// The folder of the runs.
    public var folder: String
    /// The application whose runs are read; nil for all applications.
    public var application: String?
    /// Additional patterns of lines, which are tried before the presets.
    public var formats: [LogFormat]

    /// Creates a reader.
    public init(folder: String, application: String? = nil, formats: [LogFormat] = []) {
        self.folder = folder
        self.application = application
        self.formats = formats
    }

    /// The runs, the newest first, including running ones.
    ///
    /// - Complexity: O(*n*) in the number of files; reads one small file for each run.
    public var runs: [PriorRun] {
        PriorRun.all(in: folder).filter { application == nil || $0.application == application }
    }

    /// Returns the lines of all runs that match a query, ordered by time.
    ///
    /// Lines of one run remain in order, even if the clock was set back.
    ///
    /// - Complexity: O(*n* log *n*) in the number of lines.
    public func lines(matching query: LogQuery = LogQuery()) -> [LogLine] {
        Self.merged(runs.reversed().map { lines(of: $0, matching: query) })
    }

    /// Returns the lines of one run that match a query, in order.
    ///
    /// - Complexity: O(*n*) in the size of the run's files.
    public func lines(of run: PriorRun, matching query: LogQuery = LogQuery()) -> [LogLine] {
        var parser = RunParser(run: run, formats: formats)
        return parser.lines(in: RunReader.contents(of: run.files, limit: nil)).filter { query.matches($0) }
    }

    /// Merges runs by time; a line follows all earlier lines of its run.
    static func merged(_ runs: [[LogLine]]) -> [LogLine] {
        guard runs.count > 1 else { return runs.first ?? [] }
        var all: [(time: LogTime, order: Int, line: LogLine)] = []
        for lines in runs {
            var latest = LogTime(nanoseconds: .min)
            for line in lines {
                latest = max(latest, line.time)
                all.append((latest, all.count, line))
            }
        }
        all.sort { ($0.time, $0.order) < ($1.time, $1.order) }
        return all.map(\.line)
    }
}

/// Converts the bytes of one run to lines.
struct RunParser {
    private let startedAt: LogTime
    private let processID: Int32
    private let parser: LineParser
    private var time: LogTime

    init(run: PriorRun, formats: [LogFormat]) {
        startedAt = run.startedAt
        processID = run.processID
        parser = LineParser(formats)
        time = run.startedAt
    }

    /// Returns the lines of bytes that start and end at line boundaries.
    mutating func lines(in bytes: [UInt8]) -> [LogLine] {
        var lines: [LogLine] = []
        var start = 0
        while start < bytes.count {
            var end = bytes[start...].firstIndex(of: LineParser.lineEnd) ?? bytes.count
            while end + 1 < bytes.count, bytes[(end + 1)...].starts(with: LineParser.gutter) {
                end = bytes[(end + 1)...].firstIndex(of: LineParser.lineEnd) ?? bytes.count
            }
            if end > start { lines.append(line(bytes[start..<end])) }
            start = end + 1
        }
        return lines
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) -> LogLine {
        var record = parser.parse(Array(bytes))
        if record?.time != nil { time = record?.time ?? time } else { record?.time = time }
        return LogLine(
            text: String(decoding: bytes, as: UTF8.self), record: record?.copy, time: time, runStartedAt: startedAt,
            processID: processID)
    }
}
