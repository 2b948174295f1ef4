import Synchronization

/// The place where readers find a snapshot and count themselves in with a single atomic operation.
///
/// The word holds the snapshot's address and, below it, how many readers have come to it (split reference counting,
/// as in A. Williams, *C++ Concurrency in Action*, 7.2.4). A reader that leaves counts itself out here, or in the
/// snapshot if that has been replaced meanwhile; the last one to leave a replaced snapshot releases it. This is
/// half the cost of a lock and a reference count.
struct SnapshotCell<Snapshot: PinnedSnapshot>: ~Copyable {
    private let word = Atomic<UInt>(0)

    /// Addresses of the heap fit in 48 bits; that leaves 16 for the readers that are under way at one time, far more
    /// than threads times nesting can make.
    private static var countBits: UInt { 16 }

    deinit {
        if let snapshot = take() { snapshot.release() }
    }

    private static func snapshot(in word: UInt) -> Unmanaged<Snapshot>? {
        UnsafeRawPointer(bitPattern: word >> countBits).map { Unmanaged.fromOpaque($0) }
    }

    private static func address(of snapshot: Unmanaged<Snapshot>) -> UInt {
        UInt(bitPattern: snapshot.toOpaque())
    }

    /// Counts a reader in and returns the snapshot; nil if there is none.
    @inline(__always)
    func pin() -> Unmanaged<Snapshot>? {
        guard word.load(ordering: .relaxed) >> Self.countBits != 0 else { return nil }
        // If the snapshot is taken out just now, this counts where nobody looks before the next one is put in. (`add`
        // would be a loop that looks for an overflow.)
        return Self.snapshot(in: word.wrappingAdd(1, ordering: .acquiring).oldValue)
    }

    /// Counts a reader out; returns whether another thread was here at the same time.
    @inline(__always)
    func unpin(_ snapshot: Unmanaged<Snapshot>) -> Bool {
        let address = Self.address(of: snapshot)
        var current = word.load(ordering: .relaxed)
        var isCrowded = false
        while current >> Self.countBits == address {
            let (exchanged, found) = word.compareExchange(
                expected: current, desired: current - 1, ordering: .acquiringAndReleasing)
            if exchanged { return isCrowded }
            (current, isCrowded) = (found, true)
        }
        if snapshot._withUnsafeGuaranteedRef({ $0.leave() }) { snapshot.release() }
        return false
    }

    /// Puts a snapshot here and counts a reader in.
    ///
    /// - Precondition: There is none; the caller's lock keeps others from putting one.
    func install(_ snapshot: Snapshot) -> Unmanaged<Snapshot> {
        let new = Unmanaged.passRetained(snapshot)
        word.store(Self.address(of: new) << Self.countBits | 1, ordering: .releasing)
        return new
    }

    /// Takes the snapshot out; returns it if the caller is to release it, once it has left all locks.
    func take() -> Unmanaged<Snapshot>? {
        let old = word.exchange(0, ordering: .acquiringAndReleasing)
        guard let snapshot = Self.snapshot(in: old) else { return nil }
        let guests = Int(old & (1 << Self.countBits - 1))
        return snapshot._withUnsafeGuaranteedRef { $0.retire(guests: guests) } ? snapshot : nil
    }
}

/// What a `SnapshotCell` holds: it counts the readers that are still to leave once it has been taken out.
@usableFromInline
class PinnedSnapshot: @unchecked Sendable {
    // Unchecked because it has subclasses: what they add is immutable.
    /// The readers that are still to leave, once `retire` has been called; far above 0 before.
    private let guests = Atomic<Int>(notRetired)
    private static let notRetired = 1 << 40

    /// Says how many readers had come when the snapshot was taken out of its cell; returns whether all have left.
    final func retire(guests count: Int) -> Bool {
        guests.add(count - Self.notRetired, ordering: .acquiringAndReleasing).newValue == 0
    }

    /// Counts out a reader that found the snapshot taken out; returns whether it was the last.
    final func leave() -> Bool { guests.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
