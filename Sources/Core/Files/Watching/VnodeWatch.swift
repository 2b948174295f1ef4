/// The system calls of a watch that uses vnode events; tests replace them.
protocol VnodeEvents: Sendable {
    /// Nanoseconds of a monotonic clock.
    var now: Int64 { get }

    /// Runs a closure after some nanoseconds, never concurrently with another closure of this object.
    func after(_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void)

    /// Reports events of the file or directory at a path until the source is cancelled; nil if it can't be opened.
    ///
    /// The argument of `onEvent` is whether the event is a write to a file that may still be open.
    func open(_ path: String, onEvent: @escaping @Sendable (_ isWrite: Bool) -> Void) -> VnodeSource?
}

/// An open file or directory whose events are reported.
struct VnodeSource: Sendable {
    let device: UInt64
    let inode: UInt64
    let cancel: @Sendable () -> Void
}

/// File watching on Apple systems: one event source for each file and for each directory on its path.
///
/// A source belongs to an open file, not to a path. After each event, sources whose path now leads to another file are
/// replaced.
final class VnodeWatch: Sendable {
    private struct State {
        var watch: PathWatchState
        var sources: [String: VnodeSource] = [:]
        /// The time of the next call of `wake`.
        var wakeTime = Int64.max
        var isCancelled = false
    }

    private let paths: [String]
    private let events: any VnodeEvents
    private let onChange: PathWatch.Handler
    private let state: Mutex<State>

    private init(_ paths: [String], _ events: any VnodeEvents, _ onChange: @escaping PathWatch.Handler) {
        self.paths = paths
        self.events = events
        self.onChange = onChange
        state = Mutex(State(watch: PathWatchState(PathSnapshot(of: paths), at: events.now)))
    }

    /// Starts watching files.
    static func start(
        _ paths: [String], _ events: any VnodeEvents, _ onChange: @escaping PathWatch.Handler
    ) -> PathWatch {
        let watch = VnodeWatch(paths, events, onChange)
        watch.openSources()
        // A change before the sources were opened caused no event, so the first comparison doesn't wait for one.
        watch.note(isWrite: false)
        return PathWatch(isPolling: false) { watch.cancel() }
    }

    private func cancel() {
        let sources = state.withLock { state in
            defer { (state.isCancelled, state.sources) = (true, [:]) }
            return state.sources
        }
        for source in sources.values { source.cancel() }
    }

    /// Opens a source for each file and directory on the path that has none, and closes unneeded sources.
    private func openSources() {
        var needed: Set<String> = []
        for path in paths {
            PathChain.walk(path) { entry, isFile in
                // A directory is opened before its entries are read, so that no later change is lost.
                if needed.insert(entry.directory).inserted { openSource(entry.directory) }
                if isFile, needed.insert(entry.path).inserted { openSource(entry.path) }
            }
        }
        let unused = state.withLock { state in
            let unused = state.sources.filter { !needed.contains($0.key) }
            for path in unused.keys { state.sources[path] = nil }
            return unused
        }
        for source in unused.values { source.cancel() }
    }

    private func openSource(_ path: String) {
        let current = FileStatus(path)?.signature
        let old = state.withLock { $0.sources[path] }
        if let old, let current, old.device == current.device, old.inode == current.inode { return }
        let new = events.open(path) { [weak self] isWrite in self?.note(isWrite: isWrite) }
        let unused = state.withLock { state in
            if state.isCancelled { return new }
            state.sources[path] = new
            return old
        }
        unused?.cancel()
    }

    private func note(isWrite: Bool) {
        let now = events.now
        state.withLock { state in
            if isWrite { state.watch.noteWrite(at: now) } else { state.watch.noteChange(at: now) }
        }
        schedule()
    }

    /// Schedules a call of `wake` at the next deadline.
    private func schedule() {
        let now = events.now
        let delay = state.withLock { state -> Int64? in
            let deadline = state.watch.deadline
            guard !state.isCancelled, deadline < state.wakeTime else { return nil }
            state.wakeTime = deadline
            return max(0, deadline - now)
        }
        if let delay { events.after(delay) { [weak self] in self?.wake() } }
    }

    /// Compares the files if a comparison is due.
    private func wake() {
        let isDue = state.withLock { state in
            state.wakeTime = .max
            return !state.isCancelled && state.watch.deadline <= events.now
        }
        if isDue {
            // The sources are opened before the files are compared, so that no change in between is lost.
            openSources()
            let snapshot = PathSnapshot(of: paths)
            if state.withLock({ !$0.isCancelled && $0.watch.compare(snapshot, at: events.now) }) { onChange(snapshot) }
        }
        schedule()
    }
}
