internal import AshlarCore
public import AshlarLogging

/// Reads the runs in a folder as records: filtered, merged by time, or as they are written.
///
/// Lines of `LogFormat.standard` and `LogFormat.jsonLines` have records. JSON lines restore types, nested values and
/// messages exactly. In the standard format, a value that looks like a number or a boolean becomes one, and a message
/// contains its escapes. Lines of other formats have their text only.
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

    /// Creates a reader.
    public init(folder: String, application: String? = nil) {
        self.folder = folder
        self.application = application
    }

    /// The runs, the newest first, including running ones.
    ///
    /// - Complexity: O(*n*) in the number of files; reads one small file for each run.
    public var runs: [PriorRun] {
        PriorRun.all(in: folder).filter { run in application.map(run.belongs) ?? true }
    }

    /// Returns the lines of all runs that match a query, ordered by time.
    ///
    /// Lines of one run remain in order, even if the clock was set back. The files are read while the result is iterated.
    ///
    /// - Complexity: O(*r*) in the number of runs; an iteration is O(*n*) in the size of the files.
    public func lines(matching query: LogQuery = LogQuery()) -> LogLines {
        LogLines(runs: runs.reversed(), query: query)
    }

    /// Returns the lines of one run that match a query, in order.
    ///
    /// - Complexity: An iteration is O(*n*) in the size of the run's files.
    public func lines(of run: PriorRun, matching query: LogQuery = LogQuery()) -> LogLines {
        LogLines(runs: [run], query: query)
    }
}

/// The lines of runs that match a query, ordered by time, read while they are iterated.
///
/// Lines of one run remain in order, even if the clock was set back. An iteration reads one segment of each run at a time,
/// so its memory doesn't depend on the number of lines. Each iteration reads the files again.
public struct LogLines: Sequence, Sendable {
    let runs: [PriorRun]
    let query: LogQuery

    /// Creates an iterator, which reads the files as they are then.
    public func makeIterator() -> Iterator {
        Iterator(runs.map { RunIterator(scanner: LineScanner(run: $0, query: query), run: $0) })
    }

    /// Whether no line matches.
    public var isEmpty: Bool { first { _ in true } == nil }

    /// The number of lines.
    ///
    /// - Complexity: O(*n*) in the size of the runs' files.
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    /// The lines of one run.
    fileprivate struct RunIterator {
        private var scanner: LineScanner
        private var pieces: RunPieces
        private var piece: [UInt8] = []
        private var position = 0
        /// The next line, and the latest time of the lines up to it.
        private(set) var line: LogLine?
        private(set) var latest = LogTime(nanoseconds: .min)

        init(scanner: LineScanner, run: PriorRun) {
            self.scanner = scanner
            pieces = RunPieces(files: run.files)
            advance()
        }

        mutating func advance() {
            line = nil
            while line == nil {
                if let next = scanner.next(in: piece, at: &position) {
                    line = next
                    latest = Swift.max(latest, next.time)
                    return
                }
                guard let next = pieces.next() else { return }
                piece = next
                position = 0
            }
        }
    }

    /// Merges the lines of the runs by time.
    public struct Iterator: IteratorProtocol {
        private var runs: [RunIterator]

        fileprivate init(_ runs: [RunIterator]) { self.runs = runs.filter { $0.line != nil } }

        /// Returns the next line, or nil at the end.
        public mutating func next() -> LogLine? {
            // A line follows all earlier lines of its run.
            guard let index = runs.indices.min(by: { runs[$0].latest < runs[$1].latest }) else { return nil }
            let line = runs[index].line
            runs[index].advance()
            if runs[index].line == nil { runs.remove(at: index) }
            return line
        }
    }
}
