/// The destination of this run's formatted lines: a file in one of the modes, or memory.
protocol LineStore: AnyObject, Sendable, ForkAware {
    /// Stores one line with its line end, and counts a line that can't be stored.
    func append(_ line: LogText, level: LogLevel)
    /// Writes buffered lines; returns whether everything has been written.
    func flush(sync: Bool) -> Bool
    /// Writes everything and ends the run; later lines are still stored.
    func close(ending: RunState.Ending, lines: UInt64)
    /// Returns the log, or its last whole lines.
    func contents(limit: Int?) -> [UInt8]
    /// Records fatal signals in the run's state file; returns `false` if there is none.
    func noteSignals() -> Bool
}

/// The settings that the stores of a run share.
struct StoreSettings: Sendable {
    let rotation: LogRotation
    let counters: Guarded<LogCounters>
    let synchronizesAt: LogLevel?
    /// Whether lines of signal handlers go to this run.
    let servesSignals: Bool
    /// Returns the line that reports lost lines.
    let notice: @Sendable (_ lost: Int, _ reason: String) -> [UInt8]
    /// Makes room on a full disk by removing an old run.
    let makeRoom: @Sendable () -> Void
}

/// Stores the newest lines in memory, for programs without a folder.
final class MemoryStore: LineStore {
    private let ring: Guarded<LineRing>
    private let counters: Guarded<LogCounters>

    init(capacity: Int = 256 * 1024, counters: Guarded<LogCounters>) {
        ring = Guarded(LineRing(capacity: capacity))
        self.counters = counters
    }

    func append(_ line: LogText, level: LogLevel) {
        let dropped = ring.withLock { $0.append(line: line) }
        if dropped > 0 { counters.withLock { $0.droppedByStorage += dropped } }
    }

    func flush(sync: Bool) -> Bool { true }

    func close(ending: RunState.Ending, lines: UInt64) {}

    func contents(limit: Int?) -> [UInt8] {
        let all = ring.withLock { $0.contents }
        return limit.map { RunReader.wholeLines(all, limit: $0) } ?? all
    }

    func noteSignals() -> Bool { false }

    var forkLocks: [any ForkLock] { [ring.lock] }

    func becomeForkedChild() {}
}
