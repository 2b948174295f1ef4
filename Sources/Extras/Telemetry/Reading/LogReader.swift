internal import AshlarCore
public import AshlarLogging

/// Reads the runs in a folder as records: filtered, merged by time, or as they are written.
///
/// The format of each line is recognized: JSON lines of every profile, logfmt, the patterns of `LogFormat`'s presets,
/// and those of ``formats``. JSON lines restore types, nested values and messages exactly. In other formats, a value
/// that looks like a number or a boolean becomes one, and a message contains its escapes.
///
/// ```swift
/// let reader = LogReader(folder: "/var/log/notes")
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
    ///
    /// With them, a query by level, context or time parses each line, which takes about ten times as long.
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
    /// Lines of one run remain in order, even if the clock was set back. The files are read while the result is iterated.
    ///
    /// - Complexity: O(*r*) in the number of runs; an iteration is O(*n*) in the size of the files.
    public func lines(matching query: LogQuery = LogQuery()) -> LogLines {
        LogLines(runs: runs.reversed(), parser: LineParser(formats), query: query)
    }

    /// Returns the lines of one run that match a query, in order.
    ///
    /// - Complexity: An iteration is O(*n*) in the size of the run's files.
    public func lines(of run: PriorRun, matching query: LogQuery = LogQuery()) -> LogLines {
        LogLines(runs: [run], parser: LineParser(formats), query: query)
    }
}
