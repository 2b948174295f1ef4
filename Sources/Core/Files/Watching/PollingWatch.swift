import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Compares files at an interval, on its own thread.
final class PollingWatch: Sendable {
    private let paths: [String]
    private let interval: Duration
    private let onChange: PathWatch.Handler
    private let isCancelled = Atomic<Bool>(false)

    init(_ paths: [String], every interval: Duration, _ onChange: @escaping PathWatch.Handler) {
        self.paths = paths
        self.interval = interval
        self.onChange = onChange
    }

    /// Starts the thread, which retains the watch until it is cancelled.
    func start() {
        // The snapshot is taken on the caller's thread, so that a change right after the start is detected.
        let state = PathWatchState(PathSnapshot(of: paths), at: Monotonic.now)
        _ = HelperThread.start { self.run(state) }
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func run(_ initial: PathWatchState) {
        var state = initial
        while sleep(), !isCancelled.load(ordering: .relaxed) {
            // Without events, any comparison can be the first one after a write.
            state.noteChange(at: Monotonic.now)
            let snapshot = PathSnapshot(of: paths)
            if state.compare(snapshot, at: Monotonic.now) { onChange(snapshot) }
        }
    }

    /// Sleeps for the interval; returns `false` soon after the watch is cancelled.
    private func sleep() -> Bool {
        var rest = max(1, interval / .microseconds(1))
        while rest > 0 {
            if isCancelled.load(ordering: .relaxed) { return false }
            let nap = min(rest, 250_000)
            usleep(UInt32(nap))
            rest -= nap
        }
        return true
    }
}

/// A monotonic clock for deadlines.
enum Monotonic {
    private static let start = ContinuousClock.now

    /// Nanoseconds since the first use.
    static var now: Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
