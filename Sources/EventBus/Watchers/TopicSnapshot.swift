import Synchronization

/// The watchers of a topic at one time, in calling order.
///
/// A trigger pins a snapshot and holds no lock. Each cell of a slot has its own snapshot, so that two threads don't
/// count in the same cache line; the snapshots share their lists.
@usableFromInline
final class TopicSnapshot: @unchecked Sendable {
    // Unchecked because of the pointers: one belongs to the adjacent immutable list, the other one to atomic memory.
    /// The watchers of events from every source.
    let open: WatcherList
    /// The memory of that list, so that a trigger doesn't access the list itself.
    @usableFromInline let openWatchers: UnsafeBufferPointer<Unmanaged<Watcher>>
    /// The watchers of events from one source.
    let scoped: ScopedWatchers?

    /// The counter of triggers, which exists as long as the slot.
    let cell: UnsafeMutablePointer<SnapshotCell<TopicSnapshot>>

    init(_ lists: WatcherLists, cell: UnsafeMutablePointer<SnapshotCell<TopicSnapshot>>) {
        (open, scoped, self.cell) = (lists.open, lists.scoped, cell)
        openWatchers = UnsafeBufferPointer(start: open.start, count: open.count)
    }
}

/// The lists that the snapshots of a slot share.
struct WatcherLists: Sendable {
    let open: WatcherList
    let scoped: ScopedWatchers?
}

/// An immutable list of watchers that is read without reference counting.
@usableFromInline
final class WatcherList: @unchecked Sendable {
    // Unchecked because of the pointer, whose memory is written only in `init` and freed only in `deinit`.
    let start: UnsafeMutablePointer<Unmanaged<Watcher>>
    let count: Int

    init(_ watchers: some Collection<Watcher>) {
        count = watchers.count
        start = .allocate(capacity: count)
        for (index, watcher) in watchers.enumerated() {
            (start + index).initialize(to: Unmanaged.passRetained(watcher))
        }
    }

    var watchers: [Watcher] { (0..<count).map { start[$0].takeUnretainedValue() } }

    deinit {
        for index in 0..<count { start[index].release() }
        start.deallocate()
    }
}

/// The watchers with a source, grouped by source.
final class ScopedWatchers: Sendable {
    private let groups: [ObjectIdentifier: WatcherList]

    /// - Parameter watchers: The watchers in calling order; all have a source.
    init(_ watchers: [Watcher]) {
        groups = Dictionary(grouping: watchers) { $0.details?.sourceID ?? ObjectIdentifier($0) }
            .mapValues { WatcherList($0) }
    }

    /// Returns the watchers of the object, including ended ones of an earlier object at its address.
    func group(of source: AnyObject) -> WatcherList? { groups[ObjectIdentifier(source)] }
}
