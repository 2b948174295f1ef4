/// Where the formatted lines of this run go: a file in one of its modes, or memory.
protocol LineStore: AnyObject, Sendable {
    /// Takes one line with its line end. Never throws; what cannot be kept is counted.
    func append(_ line: UnsafeRawBufferPointer, level: LogLevel)
    /// Writes out what is in memory; returns whether everything is written.
    func flush(sync: Bool) -> Bool
    /// Writes out everything and ends the run; lines that come later are still taken.
    func close(ending: RunState.Ending, lines: UInt64)
    /// The log so far, or its last lines.
    func contents(limit: Int?) -> [UInt8]
    /// The locks that a fork has to hold, in the order in which they are taken.
    var forkLocks: [any ForkLock] { get }
    /// Called in a forked child, which holds the locks: lets go of what belongs to the parent.
    func becomeForkedChild()
}

/// The store for when there is no folder that can be written: the newest lines in memory.
final class MemoryStore: LineStore, @unchecked Sendable {  // `ring` is used under `lock` only
    private let lock = ForkSafeLock()
    private var ring: LineRing
    private let counters: Guarded<LogCounters>

    init(capacity: Int = 256 * 1024, counters: Guarded<LogCounters>) {
        ring = LineRing(capacity: capacity)
        self.counters = counters
    }

    func append(_ line: UnsafeRawBufferPointer, level: LogLevel) {
        let dropped = lock.withLock { ring.append(line) }
        if dropped > 0 { counters.withLock { $0.droppedByStorage += dropped } }
    }

    func flush(sync: Bool) -> Bool { true }

    func close(ending: RunState.Ending, lines: UInt64) {}

    func contents(limit: Int?) -> [UInt8] {
        let all = lock.withLock { ring.contents }
        return limit.map { RunReader.wholeLines(all, limit: $0) } ?? all
    }

    var forkLocks: [any ForkLock] { [lock] }

    func becomeForkedChild() {}
}
