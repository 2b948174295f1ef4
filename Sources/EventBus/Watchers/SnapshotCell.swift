internal import AshlarCore
import Synchronization

/// Holds a snapshot that readers use without a lock and without retaining it.
///
/// A reader counts itself in, loads the snapshot and counts itself out. A snapshot that is taken out is stored until a
/// moment at which no reader is inside: anyone who found it there has left by then. Both sides first write, then read
/// what the other writes, so at least one of them sees the other (all operations are sequentially consistent).
///
/// Row "trigger to 1 watchers": 31 ns with this cell, 31 ns with the former one, which packed the count of readers into
/// the unused bits of the pointer and so needed 64-bit pointers without tags.
struct SnapshotCell<Snapshot: AnyObject & Sendable>: ~Copyable, Sendable {
    private let current = Atomic<Unmanaged<Snapshot>?>(nil)
    private let readers = Atomic<Int>(0)
    private let hasRetired = Atomic(false)
    private let retired = Mutex<[Snapshot]>([])

    deinit { current.load(ordering: .acquiring)?.release() }

    /// Counts a reader in and returns the snapshot; returns nil, and counts nobody, if there is none.
    @inline(__always)
    func pin() -> Unmanaged<Snapshot>? {
        readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if let snapshot = current.load(ordering: .sequentiallyConsistent) { return snapshot }
        unpin()
        return nil
    }

    /// Counts a reader out.
    @inline(__always)
    func unpin() {
        let left = readers.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0, hasRetired.load(ordering: .sequentiallyConsistent) { releaseRetired() }
    }

    /// Whether readers are inside.
    @inline(__always)
    var hasReaders: Bool { readers.load(ordering: .relaxed) != 0 }

    /// Stores a snapshot and counts a reader in.
    ///
    /// - Precondition: There is none; the caller's lock keeps others from storing one.
    func install(_ snapshot: Snapshot) -> Unmanaged<Snapshot> {
        readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let new = Unmanaged.passRetained(snapshot)
        current.store(new, ordering: .sequentiallyConsistent)
        return new
    }

    /// Takes the snapshot out; `releaseRetired` must follow once the caller holds no lock.
    func retire() {
        guard let old = current.exchange(nil, ordering: .sequentiallyConsistent) else { return }
        retired.withLock { $0.append(old.takeRetainedValue()) }
        hasRetired.store(true, ordering: .sequentiallyConsistent)
    }

    /// Releases what was taken out, unless a reader is inside, which then does so when it leaves.
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
