#if canImport(Darwin)
    import Darwin
    import Dispatch
#endif

/// The system calls of a watch that uses vnode events.
///
/// They are values, because only Apple systems have such events and the watch is tested on all.
struct VnodeEvents: Sendable {
    /// An open file or directory whose events are reported.
    struct Source: Sendable {
        let device: UInt64
        let inode: UInt64
        let cancel: @Sendable () -> Void
    }

    /// The result of opening a file or directory.
    enum Opened: Sendable {
        case source(Source)
        /// It doesn't exist, or the app has no access to it, as to the directories above its own folder.
        case absent
        /// The system has no more descriptors.
        case refused
    }

    /// Returns the nanoseconds of a monotonic clock.
    let now: @Sendable () -> Int64
    /// Runs a closure after some nanoseconds, never concurrently with another closure of these events.
    let after: @Sendable (_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) -> Void
    /// Reports events of the file or directory at a path until the source is cancelled.
    ///
    /// The argument of `onEvent` is whether the event is a write to a file that may still be open.
    let open: @Sendable (_ path: String, _ onEvent: @escaping @Sendable (_ isWrite: Bool) -> Void) -> Opened
}

/// File watching on Apple systems: one event source for each directory on the paths, and for each file if they are few.
///
/// A source belongs to an open file, not to a path. After each event, sources whose path now leads to another file are
/// replaced.
final class VnodeWatch: Sendable {
    private struct State {
        var watch: PathWatchState
        var sources: [String: VnodeEvents.Source] = [:]
        /// The time of the next call of `wake`.
        var wakeTime = Int64.max
        var isCancelled = false
    }

    /// The number of files up to which each has a source of its own, which reports writes in place.
    static let mostFiles = 32

    private let paths: [String]
    private let events: VnodeEvents
    private let onChange: PathWatch.Handler
    private let state: Mutex<State>

    private init(_ paths: [String], _ events: VnodeEvents, _ onChange: @escaping PathWatch.Handler) {
        self.paths = paths
        self.events = events
        self.onChange = onChange
        state = Mutex(State(watch: PathWatchState(PathSnapshot(of: paths), at: events.now(), compared: .never)))
    }

    /// Starts watching files; returns nil if the system has no more descriptors.
    static func start(
        _ paths: [String], _ events: VnodeEvents, _ onChange: @escaping PathWatch.Handler
    ) -> PathWatch? {
        let watch = VnodeWatch(paths, events, onChange)
        guard watch.openSources() < .often else {
            watch.cancel()
            return nil
        }
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
    ///
    /// - Returns: How often the files must be compared.
    private func openSources() -> PathWatchState.Comparison {
        var needed: Set<String> = []
        var comparison = PathWatchState.Comparison.never
        for path in paths {
            PathChain.walk(path) { entry, isFile in
                // A directory is opened before its entries are read, so that no later change is lost.
                if needed.insert(entry.directory).inserted {
                    comparison = max(comparison, openSource(entry.directory))
                    if isFile, !FileSystemKind.isLocal(entry.directory) { comparison = max(comparison, .regularly) }
                }
                if isFile, paths.count <= Self.mostFiles, needed.insert(entry.path).inserted {
                    comparison = max(comparison, openSource(entry.path))
                }
            }
        }
        let unused = state.withLock { state in
            let unused = state.sources.filter { !needed.contains($0.key) }
            for path in unused.keys { state.sources[path] = nil }
            return unused
        }
        for source in unused.values { source.cancel() }
        return comparison
    }

    /// Opens a source for a path, unless there is one; returns how often the files must be compared.
    private func openSource(_ path: String) -> PathWatchState.Comparison {
        let current = FileStatus(path)?.signature
        let old = state.withLock { $0.sources[path] }
        if let old, let current, old.device == current.device, old.inode == current.inode { return .never }
        var new: VnodeEvents.Source?
        var isRefused = false
        switch events.open(path, { [weak self] isWrite in self?.note(isWrite: isWrite) }) {
        case .source(let source): new = source
        case .absent: break
        case .refused: isRefused = true
        }
        let opened = new
        let unused = state.withLock { state in
            if state.isCancelled { return opened }
            state.sources[path] = opened
            return old
        }
        unused?.cancel()
        return isRefused ? .often : .never
    }

    private func note(isWrite: Bool) {
        let now = events.now()
        state.withLock { state in
            if isWrite { state.watch.noteWrite(at: now) } else { state.watch.noteChange(at: now) }
        }
        schedule()
    }

    /// Schedules a call of `wake` at the next deadline.
    private func schedule() {
        let now = events.now()
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
            return !state.isCancelled && state.watch.deadline <= events.now()
        }
        if isDue {
            // The sources are opened before the files are compared, so that no change in between is lost.
            let comparison = openSources()
            let snapshot = PathSnapshot(of: paths)
            let hasChanged = state.withLock {
                !$0.isCancelled && $0.watch.compare(snapshot, at: events.now(), compared: comparison)
            }
            if hasChanged { onChange(snapshot) }
        }
        schedule()
    }
}

#if canImport(Darwin)
    extension VnodeEvents {
        /// Returns the events of Dispatch, delivered on a serial queue.
        static func dispatch() -> VnodeEvents {
            let queue = DispatchQueue(label: "ashlar.path-watch", qos: .utility)
            return VnodeEvents(
                now: { Monotonic.now },
                after: { nanoseconds, body in
                    queue.asyncAfter(deadline: .now() + .milliseconds(Int(nanoseconds / 1_000_000) + 1), execute: body)
                },
                open: { path, onEvent in source(of: path, on: queue, onEvent) })
        }

        private static func source(
            of path: String, on queue: DispatchQueue, _ onEvent: @escaping @Sendable (_ isWrite: Bool) -> Void
        ) -> Opened {
            let descriptor = Darwin.open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [EMFILE, ENFILE, ENOMEM].contains(errno) ? .refused : .absent }
            guard let status = FileStatus(descriptor: descriptor) else {
                close(descriptor)
                return .absent
            }
            let isDirectory = status.kind == .directory
            // Sources are thread-safe, but their protocol isn't declared as Sendable in every SDK.
            nonisolated(unsafe) let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke],
                queue: queue)
            source.setEventHandler { [unowned source] in
                onEvent(!isDirectory && source.data.isDisjoint(with: [.delete, .rename, .revoke]))
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            return .source(
                Source(device: status.signature.device, inode: status.signature.inode, cancel: { source.cancel() }))
        }
    }
#endif
