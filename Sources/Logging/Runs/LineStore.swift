/// The destination of this run's formatted lines: a file in one of the modes, or memory.
protocol LineStore: AnyObject, Sendable {
    /// Stores one line with its line end, and counts a line that can't be stored.
    func append(_ line: LogText, level: LogLevel)
    /// Writes lines that wait; returns whether everything has been written.
    func flush(sync: Bool) -> Bool
    /// Writes everything and ends the run; later lines are still stored.
    func close(ending: RunState.Ending, lines: UInt64)
    /// Returns the log, or its last whole lines.
    func contents(limit: Int?) -> [UInt8]
    /// Runs `body` with the run under the lock, if the lines are in files.
    func withRun(_ body: (RunIdentity) -> Void)
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

    func append(_ line: LogText, level: LogLevel) {
        file.withLock { $0.write(line) }
        if settings.synchronizes(level) { _ = flush(sync: true) }
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
    private let lines: Guarded<RecentLines>
    private let counters: Guarded<LogCounters>

    init(capacity: Int = 256 * 1024, counters: Guarded<LogCounters>) {
        lines = Guarded(RecentLines(capacity: capacity))
        self.counters = counters
    }

    func append(_ line: LogText, level: LogLevel) {
        let dropped = lines.withLock { $0.append(line: line) }
        if dropped > 0 { counters.withLock { $0.droppedByStorage += dropped } }
    }

    func flush(sync: Bool) -> Bool { true }

    func close(ending: RunState.Ending, lines: UInt64) {}

    func contents(limit: Int?) -> [UInt8] {
        RunReader.wholeLines(lines.withLock { $0.contents }, limit: limit)
    }

    func withRun(_ body: (RunIdentity) -> Void) {}
}

/// The newest lines, in a limited number of bytes.
struct RecentLines {
    private let capacity: Int
    /// The lines, after bytes that have been dropped.
    private var storage: [UInt8] = []
    private var start = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The number of bytes.
    var count: Int { storage.count - start }
    var contents: [UInt8] { Array(storage[start...]) }

    /// The number of lines.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    var lineCount: Int { storage[start...].count { $0 == .newline } }

    /// Appends whole lines, each with its line end; returns the number of dropped lines.
    mutating func append(_ lines: LogText) -> Int {
        var dropped = 0
        var rest = lines
        while rest.count > 0 {
            let end = rest.firstIndex(of: .newline).map { $0 + 1 } ?? rest.count
            dropped += append(line: rest.prefix(end))
            rest = rest.dropFirst(end)
        }
        return dropped
    }

    /// Appends one line; returns the number of lines that were dropped for it.
    mutating func append(line: LogText) -> Int {
        guard line.count <= capacity else { return 1 }
        var dropped = 0
        while count + line.count > capacity {
            let first = LogText.withBytes(storage) { $0.dropFirst(start).firstIndex(of: .newline) }
            drop(first.map { $0 + 1 } ?? count)
            dropped += 1
        }
        storage.append(contentsOf: line.bytes)
        return dropped
    }

    /// Removes the first bytes.
    mutating func drop(_ bytes: Int) {
        start += bytes
        // The array is moved rarely, because moving it for each line would take long.
        guard start > capacity else { return }
        storage.removeFirst(start)
        start = 0
    }
}
