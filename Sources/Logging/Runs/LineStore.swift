/// The destination of this run's lines, as one sink among others: a file in one of the modes, or memory.
protocol LineStore: AnyObject, LineSink {
    /// Writes lines that wait; returns whether everything has been written.
    func flush(sync: Bool) -> Bool
    /// Writes everything and ends the run; later lines are still stored.
    func close(ending: RunState.Ending, lines: UInt64)
    /// Returns the log, or its last whole lines.
    func contents(limit: Int?) -> [UInt8]
    /// Runs `body` with the run under the lock, if the lines are in files.
    func withRun(_ body: (RunIdentity) -> Void)
}

extension LineStore {
    /// Nil: the format of the run file can change during the run.
    var format: LogFormat? { nil }

    func flush(within limit: Duration) -> Bool { flush(sync: false) }
}

/// The settings of a run's files.
struct StoreSettings: Sendable {
    let rotation: LogRotation
    let counters: Guarded<LogCounters>
    /// Whether lines of signal handlers go to this run.
    let servesSignals: Bool
    /// Returns the line that reports lost lines.
    let notice: @Sendable (_ lost: Int, _ error: Int32) -> [UInt8]
    /// Makes room on a full disk by removing an old run.
    let makeRoom: @Sendable () -> Void
}

/// A run in files.
final class FileStore: LineStore {
    let file: SegmentedFile
    /// The identity of the run, which is used under the lock of the file.
    private let run: RunIdentity
    private let synchronizesAt: LogLevel?

    init(_ file: SegmentedFile, run: RunIdentity, synchronizesAt: LogLevel?) {
        self.file = file
        self.run = run
        self.synchronizesAt = synchronizesAt
    }

    func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        _ = file.write(line)
        if let synchronizesAt, record.level <= synchronizesAt { _ = flush(sync: true) }
        return true
    }

    func flush(sync: Bool) -> Bool { file.flush(sync: sync) }

    func close(ending: RunState.Ending, lines: UInt64) { file.close { run.end(ending, lines: lines) } }

    func contents(limit: Int?) -> [UInt8] { RunReader.wholeLines(file.contents(limit: limit), limit: limit) }

    func withRun(_ body: (RunIdentity) -> Void) { file.withLock { body(run) } }
}

/// Stores the newest lines in memory, for programs without a folder.
final class MemoryStore: LineStore {
    private struct State {
        var lines: BoundedQueue<[UInt8]>
        /// The store that has the lines now.
        var successor: (any LineStore)?
    }

    private let state: Guarded<State>
    private let counters: Guarded<LogCounters>

    init(capacity: Int = 256 * 1024, counters: Guarded<LogCounters>) {
        state = Guarded(State(lines: BoundedQueue(capacity: capacity)))
        self.counters = counters
    }

    func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        let (dropped, successor) = state.withLock { state in
            (state.successor == nil ? state.lines.appendNewest(line) : 0, state.successor)
        }
        if let successor { return successor.write(line, of: record) }
        if dropped > 0 { counters.withLock { $0.droppedByStorage += dropped } }
        return true
    }

    /// Writes the lines into another store, which also gets those that are still written here.
    func move(to store: any LineStore) {
        state.withLock { state in
            for line in state.lines.all { _ = store.write(line, of: .notice("", level: .leastSevere)) }
            state.successor = store
        }
    }

    func flush(sync: Bool) -> Bool { true }

    func close(ending: RunState.Ending, lines: UInt64) {}

    func contents(limit: Int?) -> [UInt8] {
        RunReader.wholeLines(state.withLock { $0.lines.contents }, limit: limit)
    }

    func withRun(_ body: (RunIdentity) -> Void) {}
}
