import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A running watch of files; it ends when it is cancelled or released.
///
/// The watch detects writes in place, atomic renames, deletion and re-creation, and replaced symbolic links and
/// directories anywhere on the path to a file. It collects events for 20 ms. If a writer holds a file open, the watch
/// reports the change when the writer pauses for 100 ms, or after one second. A deleted file is reported as missing if
/// it isn't created again within 200 ms. Nothing runs while nothing changes, except that files in a network's file system,
/// which doesn't report the changes of other machines, are also compared every five seconds, and every second while the
/// system refuses to watch a directory.
///
/// On Apple systems a watch of more than ``VnodeWatch/mostFiles`` files opens their folders only, so that a folder with many files
/// needs one descriptor. It then detects files that are replaced, as editors and `AtomicFile` do, but not writes in place.
package final class PathWatch: Sendable {
    /// How a watch detects changes.
    package enum Method: Hashable, Sendable {
        /// Uses the system's events, or compares the files every second if the system provides no events.
        case events
        /// Compares the files at an interval.
        case polling(every: Duration)
    }

    /// A closure that a thread of the library calls with the state of the files when a change is detected.
    package typealias Handler = @Sendable (PathSnapshot) -> Void

    /// Whether the files are compared at an interval.
    package let isPolling: Bool
    private let end: @Sendable () -> Void

    init(isPolling: Bool, end: @escaping @Sendable () -> Void) {
        self.isPolling = isPolling
        self.end = end
    }

    /// Ends the watch; a handler that is already running completes.
    package func cancel() { end() }

    deinit { end() }

    /// Starts watching files.
    ///
    /// Changes after this method returns are detected. A change shortly before may also be reported.
    ///
    /// The files need not exist yet. A path that ends with a slash is a directory whose entries are noticed when they
    /// appear, vanish or are renamed; watch the files in it for their content.
    package static func start(
        _ paths: [String], by method: Method = .events, onChange: @escaping Handler
    ) -> PathWatch {
        switch method {
        case .polling(let interval): PollingWatch.start(paths, every: interval, onChange)
        case .events: events(paths, onChange) ?? PollingWatch.start(paths, every: .seconds(1), onChange)
        }
    }

    private static func events(_ paths: [String], _ onChange: @escaping Handler) -> PathWatch? {
        #if os(Linux)
            InotifyHub.shared.watch(paths, onChange)
        #elseif canImport(Darwin)
            VnodeWatch.start(paths, .dispatch(), onChange)
        #else
            nil
        #endif
    }
}

/// Compares files at an interval, on its own thread.
final class PollingWatch: Sendable {
    private let paths: [String]
    private let interval: Duration
    private let onChange: PathWatch.Handler
    private let isCancelled = Atomic<Bool>(false)

    private init(_ paths: [String], every interval: Duration, _ onChange: @escaping PathWatch.Handler) {
        self.paths = paths
        self.interval = interval
        self.onChange = onChange
    }

    /// Starts a watch, which its thread retains until it is cancelled.
    static func start(_ paths: [String], every interval: Duration, _ onChange: @escaping PathWatch.Handler) -> PathWatch
    {
        let watch = PollingWatch(paths, every: interval, onChange)
        // The snapshot is taken on the caller's thread, so that a change right after the start is detected.
        let state = PathWatchState(PathSnapshot(of: paths), at: Monotonic.now, compared: .never)
        _ = HelperThread.start { watch.run(state) }
        return PathWatch(isPolling: true) { watch.cancel() }
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func run(_ initial: PathWatchState) {
        var state = initial
        while sleep(), !isCancelled.load(ordering: .relaxed) {
            // Without events, any comparison can be the first one after a write.
            state.noteChange(at: Monotonic.now)
            let snapshot = PathSnapshot(of: paths)
            if state.compare(snapshot, at: Monotonic.now, compared: .never) { onChange(snapshot) }
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
