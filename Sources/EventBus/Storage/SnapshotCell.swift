import Synchronization

/// The place where triggers find a snapshot and count themselves in with a single atomic operation.
///
/// The word holds the snapshot's address and, below it, how many triggers have come to it (split reference counting,
/// as in A. Williams, *C++ Concurrency in Action*, 7.2.4). A trigger that leaves counts itself out here, or in the
/// snapshot if that has been replaced meanwhile; the last one to leave a replaced snapshot releases it. This is
/// half the cost of a lock and a reference count.
struct SnapshotCell: ~Copyable {
    private let word = Atomic<UInt>(0)

    /// Addresses of the heap fit in 48 bits; that leaves 16 for the triggers that are under way at one time, far more
    /// than threads times nesting can make.
    private static let countBits: UInt = 16

    deinit {
        if let snapshot = take() { snapshot.release() }
    }

    private static func snapshot(in word: UInt) -> Unmanaged<TopicSnapshot>? {
        UnsafeRawPointer(bitPattern: word >> countBits).map { Unmanaged.fromOpaque($0) }
    }

    private static func address(of snapshot: Unmanaged<TopicSnapshot>) -> UInt {
        UInt(bitPattern: snapshot.toOpaque())
    }

    /// Counts a trigger in and returns the snapshot; nil if there is none.
    @inline(__always)
    func pin() -> Unmanaged<TopicSnapshot>? {
        guard word.load(ordering: .relaxed) >> Self.countBits != 0 else { return nil }
        // If the snapshot is taken out just now, this counts where nobody looks before the next one is put in. (`add`
        // would be a loop that looks for an overflow.)
        return Self.snapshot(in: word.wrappingAdd(1, ordering: .acquiring).oldValue)
    }

    /// Counts a trigger out; returns whether another thread was here at the same time.
    @inline(__always)
    func unpin(_ snapshot: Unmanaged<TopicSnapshot>) -> Bool {
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

    /// Puts a snapshot here and counts a trigger in.
    ///
    /// - Precondition: There is none; the caller's lock keeps others from putting one.
    func install(_ snapshot: TopicSnapshot) -> Unmanaged<TopicSnapshot> {
        let new = Unmanaged.passRetained(snapshot)
        word.store(Self.address(of: new) << Self.countBits | 1, ordering: .releasing)
        return new
    }

    /// Takes the snapshot out; returns it if the caller is to release it, once it has left all locks.
    func take() -> Unmanaged<TopicSnapshot>? {
        let old = word.exchange(0, ordering: .acquiringAndReleasing)
        guard let snapshot = Self.snapshot(in: old) else { return nil }
        let guests = Int(old & (1 << Self.countBits - 1))
        return snapshot._withUnsafeGuaranteedRef { $0.retire(guests: guests) } ? snapshot : nil
    }
}
