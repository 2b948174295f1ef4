internal import AshlarCore
import Synchronization

/// Holds a snapshot that readers use without a lock and without retaining it.
///
/// A reader increments a counter, loads the snapshot, and decrements the counter when it is done. A removed snapshot is
/// stored until there is a moment without readers; every reader that loaded it has then finished. Both sides first
/// write and then read the value that the other side writes, so at least one of them sees the other (all operations are
/// sequentially consistent).
///
/// Row "trigger to 1 watchers": 31 ns with this cell, and 31 ns with a cell that packs the counter into the unused bits
/// of the pointer, which requires 64-bit pointers without tags.
struct SnapshotCell<Snapshot: AnyObject & Sendable>: ~Copyable, Sendable {
    private let current = Atomic<Unmanaged<Snapshot>?>(nil)
    private let readers = Atomic<Int>(0)
    private let hasRetired = Atomic(false)
    private let retired = Mutex<[Snapshot]>([])

    deinit { current.load(ordering: .acquiring)?.release() }

    /// Increments the counter and returns the snapshot; returns nil without incrementing if there is none.
    @inline(__always)
    func pin() -> Unmanaged<Snapshot>? {
        readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if let snapshot = current.load(ordering: .sequentiallyConsistent) { return snapshot }
        unpin()
        return nil
    }

    /// Decrements the counter.
    @inline(__always)
    func unpin() {
        let left = readers.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0, hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
    }

    /// Whether there are readers.
    @inline(__always)
    var hasReaders: Bool { readers.load(ordering: .relaxed) != 0 }

    /// Stores a snapshot and increments the counter.
    ///
    /// - Precondition: There is no snapshot; the caller's lock prevents others from storing one.
    func install(_ snapshot: Snapshot) -> Unmanaged<Snapshot> {
        readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let new = Unmanaged.passRetained(snapshot)
        current.store(new, ordering: .sequentiallyConsistent)
        return new
    }

    /// Removes the snapshot; `releaseRetired` must follow when the caller holds no lock.
    func retire() {
        guard let old = current.exchange(nil, ordering: .sequentiallyConsistent) else { return }
        retired.withLock { $0.append(old.takeRetainedValue()) }
        hasRetired.store(true, ordering: .sequentiallyConsistent)
    }

    /// Releases removed snapshots, unless there are readers; the last reader then releases them.
    @inline(never)
    func releaseRetired() {
        let old = retired.withLock { retired -> [Snapshot] in
            guard !retired.isEmpty, readers.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
            hasRetired.store(false, ordering: .sequentiallyConsistent)
            defer { retired = [] }
            return retired
        }
        _ = consume old
    }
}
