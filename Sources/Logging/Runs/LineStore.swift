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

/// The settings that the stores of a run share.
struct StoreSettings: Sendable {
    let rotation: LogRotation
    let counters: Guarded<LogCounters>
    let synchronizesAt: LogLevel?
    /// The size of the lines that wait in memory while writing fails.
    let backlogBytes = 64 * 1024
    /// Whether lines of signal handlers go to this run.
    let servesSignals: Bool
    /// Returns the line that reports lost lines.
    let notice: @Sendable (_ lost: Int, _ reason: String) -> [UInt8]
    /// Makes room on a full disk by removing an old run.
    let makeRoom: @Sendable () -> Void

    /// Whether a line of a level must be on the disk when the call returns.
    func synchronizes(_ level: LogLevel) -> Bool { synchronizesAt.map { level <= $0 } ?? false }
}

/// The mode `.writeThrough`: a line is written with one write(2) when the call returns.
final class FileStore: LineStore {
    private let file: Guarded<SegmentedFile>
    private let settings: StoreSettings

    init(file: SegmentedFile) {
        self.file = Guarded(file)
        settings = file.settings
    }

    func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        file.withLock { $0.write(line[...]) }
        if settings.synchronizes(record.level) { _ = flush(sync: true) }
        return true
    }

    func flush(sync: Bool) -> Bool { file.withLock { $0.flush(sync: sync) } }

    func close(ending: RunState.Ending, lines: UInt64) {
        file.withLock {
            _ = $0.flush(sync: false)
            $0.run.end(ending, lines: lines)
        }
    }

    func contents(limit: Int?) -> [UInt8] { file.withLock { $0.contents(limit: limit) } }

    /// Runs `body` with the file, under the lock.
    func withFile<Result>(_ body: (SegmentedFile) -> Result) -> Result { file.withLock { body($0) } }

    func withRun(_ body: (RunIdentity) -> Void) { withFile { body($0.run) } }
}

/// Stores the newest lines in memory, for programs without a folder.
final class MemoryStore: LineStore {
    private let lines: Guarded<BoundedQueue<[UInt8]>>
    private let counters: Guarded<LogCounters>

    init(capacity: Int = 256 * 1024, counters: Guarded<LogCounters>) {
        lines = Guarded(BoundedQueue(capacity: capacity))
        self.counters = counters
    }

    func write(_ line: [UInt8], of record: LogRecord) -> Bool {
        let dropped = lines.withLock { $0.appendNewest(line) }
        if dropped > 0 { counters.withLock { $0.droppedByStorage += dropped } }
        return true
    }

    func flush(sync: Bool) -> Bool { true }

    func close(ending: RunState.Ending, lines: UInt64) {}

    func contents(limit: Int?) -> [UInt8] {
        RunReader.wholeLines(lines.withLock { $0.contents }, limit: limit)
    }

    func withRun(_ body: (RunIdentity) -> Void) {}
}
