internal import AshlarCore
internal import AshlarLogging

/// The lines of runs that match a query, ordered by time, read while they are iterated.
///
/// Lines of one run remain in order, even if the clock was set back. An iteration reads a part of each run at a time, so
/// its memory doesn't depend on the number of lines. Each iteration reads the files again.
public struct LogLines: Sequence, Sendable {
    let runs: [PriorRun]
    let parser: LineParser
    let query: LogQuery

    /// Creates an iterator, which reads the files as they are then.
    public func makeIterator() -> Iterator {
        Iterator(runs.map { RunIterator(scanner: LineScanner(run: $0, parser: parser, query: query), run: $0) })
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
