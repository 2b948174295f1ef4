/// Decides when the files of a watch are compared and whether they have changed.
///
/// Every kind of watch uses this state. It has no clock and reads no files; its caller passes the time, in nanoseconds
/// of any monotonic clock, and a snapshot of the files.
struct PathWatchState: Sendable {
    /// The time during which events are collected before the files are compared.
    static let debounce: Int64 = 20_000_000
    /// The time that a writer with an open file must pause before the file is read.
    static let pause: Int64 = 100_000_000
    static let patience: Int64 = 1_000_000_000
    /// The time that a deleted file has to be created again.
    static let grace: Int64 = 200_000_000

    /// How often files are compared without an event; a later case is more often.
    enum Comparison: Int64, Comparable {
        /// Every change causes an event.
        case never
        /// Some changes cause none, such as those that another machine makes in a network's file system: every 5 s.
        case regularly = 5_000_000_000
        /// The system refuses to watch a directory at the moment: every second.
        case often = 1_000_000_000

        static func < (left: Comparison, right: Comparison) -> Bool { left.time(after: 0) > right.time(after: 0) }

        /// The time of the next comparison.
        func time(after now: Int64) -> Int64 { self == .never ? .max : now + rawValue }
    }

    private var known: PathSnapshot
    private var regularDeadline: Int64
    private var changeDeadline: Int64?
    private var writeDeadline: Int64?
    private var firstWrite: Int64?
    private var graceEnd: Int64?

    /// The time of the next comparison.
    var deadline: Int64 { min(regularDeadline, changeDeadline ?? .max, writeDeadline ?? .max) }

    /// Creates the state of files that were just read.
    init(_ snapshot: PathSnapshot, at now: Int64, compared comparison: Comparison) {
        known = snapshot
        regularDeadline = comparison.time(after: now)
    }

    /// Records that an entry on the path to a file appeared, disappeared or was replaced, or that a writer closed a
    /// file.
    mutating func noteChange(at now: Int64) {
        changeDeadline = min(changeDeadline ?? .max, now + Self.debounce)
    }

    /// Records a write to a file that may still be open.
    mutating func noteWrite(at now: Int64) {
        let first = firstWrite ?? now
        firstWrite = first
        writeDeadline = min(now + Self.pause, first + Self.patience)
    }

    /// Compares the files; returns whether they may have changed since the last comparison that returned `true`.
    ///
    /// Before the caller takes the snapshot, it must watch the directories on the path, so that no change in between is
    /// lost. `comparison` is how often the files are compared from now on.
    mutating func compare(_ snapshot: PathSnapshot, at now: Int64, compared comparison: Comparison) -> Bool {
        let hasEvent = changeDeadline != nil || firstWrite != nil
        changeDeadline = nil
        writeDeadline = nil
        firstWrite = nil
        regularDeadline = comparison.time(after: now)
        if snapshot.lacksFile(of: known) {
            let end = graceEnd ?? now + Self.grace
            graceEnd = end
            if now < end {
                changeDeadline = end
                return false
            }
        }
        graceEnd = nil
        let hasChanged = hasEvent ? snapshot.mayDiffer(from: known) : snapshot.signatures != known.signatures
        if hasChanged { known = snapshot }
        return hasChanged
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
