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
/// A thread compares the status of the files once a second, so no file system needs to report changes: those of a network
/// and bind mounts are watched, too. The status is that of the file to which a path leads now, with its identity. The watch
/// therefore detects writes in place, atomic renames, deletion and re-creation, and replaced symbolic links and folders
/// anywhere on a path.
///
/// A change is reported when the files stay the same for 200 ms, or if they don't, after the fifth comparison. A file that
/// is deleted and soon created again isn't reported as missing, and a file isn't read between two writes of one writer.
package final class PathWatch: Sendable {
    /// A closure that a thread of the library calls with the state of the files when a change is detected.
    package typealias Handler = @Sendable (PathSnapshot) -> Void

    /// Sleeps for a duration; tests pass one of their own.
    typealias Sleep = @Sendable (Duration) -> Void

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Retained by the thread, which doesn't retain the watch.
    private let isCancelled = Flag()

    private init() {}

    deinit { cancel() }

    /// Ends the watch; a handler that is already running completes.
    package func cancel() { isCancelled.isSet.store(true, ordering: .relaxed) }

    /// Starts watching files.
    ///
    /// Changes after this method returns are detected. A change shortly before may also be reported.
    ///
    /// The files need not exist yet. A path that ends with a slash is a directory whose entries are noticed when they
    /// appear, vanish or are renamed; watch the files in it for their content.
    package static func start(
        _ paths: [String], every interval: Duration = .seconds(1), onChange: @escaping Handler
    ) -> PathWatch {
        start(paths, every: interval, sleep: sleep, onChange: onChange)
    }

    static func start(
        _ paths: [String], every interval: Duration, sleep: @escaping Sleep, onChange: @escaping Handler
    ) -> PathWatch {
        let watch = PathWatch()
        let isCancelled = watch.isCancelled
        let paths = paths.map(FileSystem.absolutePath)
        // The snapshot is taken on the caller's thread, so that a change right after the start is detected.
        let initial = PathWatchState(PathSnapshot(of: paths))
        _ = HelperThread.start {
            var state = initial
            while true {
                var rest = max(.milliseconds(1), state.isSettling ? min(interval, PathWatchState.settling) : interval)
                // A cancelled watch ends within a second, whatever its interval.
                while rest > .zero, !isCancelled.isSet.load(ordering: .relaxed) {
                    let nap = min(rest, .seconds(1))
                    sleep(nap)
                    rest -= nap
                }
                if isCancelled.isSet.load(ordering: .relaxed) { return }
                let snapshot = PathSnapshot(of: paths)
                if state.compare(snapshot) { onChange(snapshot) }
            }
        }
        return watch
    }

    private static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec()
        time.tv_sec = .init(seconds)
        time.tv_nsec = .init(attoseconds / 1_000_000_000)
        nanosleep(&time, nil)
    }
}

/// Decides which comparison of files reports a change.
///
/// The state has no clock and reads no files; its caller passes snapshots, and pauses between them.
struct PathWatchState: Sendable {
    /// The pause after a comparison that found a change.
    static let settling = Duration.milliseconds(200)
    /// The number of pauses after which a change is reported, although the files still change.
    static let mostPauses = 5

    private var known: PathSnapshot
    /// The last comparison, if a change has not been reported yet.
    private var changed: PathSnapshot?
    private var pauses = 0

    /// Whether a change has not been reported yet, so that the next comparison is soon.
    var isSettling: Bool { changed != nil }

    /// Creates the state of files that were just read.
    init(_ snapshot: PathSnapshot) { known = snapshot }

    /// Compares the files; returns whether they may have changed since the last comparison that returned `true`.
    mutating func compare(_ snapshot: PathSnapshot) -> Bool {
        guard let last = changed else {
            if snapshot.mayDiffer(from: known) { (changed, pauses) = (snapshot, 0) }
            return false
        }
        pauses += 1
        let isSettled = snapshot.signatures == last.signatures && !snapshot.isFresh
        guard isSettled || pauses >= Self.mostPauses else {
            changed = snapshot
            return false
        }
        changed = nil
        guard snapshot.mayDiffer(from: known) else { return false }
        known = snapshot
        return true
    }
}

/// The signatures of several files, taken at the same time.
package struct PathSnapshot: Sendable {
    package let signatures: [FileSignature?]
    /// Whether another write could leave one of the signatures unchanged; see ``FileSignature/isFresh(at:)``.
    package let isFresh: Bool

    /// Takes the signatures of the files at some paths; a file that can't be accessed has none.
    package init(of paths: [String]) { self.init(paths.map { FileSignature($0) }, at: .now) }

    init(_ signatures: [FileSignature?], at now: FileSignature.Time) {
        self.signatures = signatures
        isFresh = signatures.contains { $0?.isFresh(at: now) == true }
    }

    /// Whether a file may have changed since an earlier snapshot.
    package func mayDiffer(from earlier: PathSnapshot) -> Bool {
        earlier.isFresh || signatures != earlier.signatures
    }

    /// Whether a file of an earlier snapshot is missing.
    package func lacksFile(of earlier: PathSnapshot) -> Bool {
        zip(earlier.signatures, signatures).contains { $0 != nil && $1 == nil }
    }
}
