internal import AshlarCore
import Synchronization

// The snapshots that triggers read.
extension TopicSlot {
    /// Returns the current watchers, with the trigger counted; nil if there are none.
    ///
    /// If a thread without another trigger finds a reader, the reader is another thread.
    @inline(__always)
    func pinSnapshot(thread: UInt32, isOutermost: Bool) -> Unmanaged<TopicSnapshot>? {
        var cell = single
        if let many = many.load(ordering: .acquiring) {
            cell = many + Int(thread) % Self.groups * Self.cellsInLine
        }
        if isOutermost, cell.pointee.hasReaders, cell == single { spread() }
        return cell.pointee.pin() ?? rebuild(for: cell)
    }

    /// Releases the snapshot that the trigger has pinned.
    @inline(__always)
    func unpin(_ snapshot: Unmanaged<TopicSnapshot>) {
        snapshot._withUnsafeGuaranteedRef { $0.cell }.pointee.unpin()
    }

    /// Creates a cell for each group of threads.
    @inline(never)
    private func spread() {
        state.withLock { _ in
            guard many.load(ordering: .relaxed) == nil else { return }
            let count = Self.groups * Self.cellsInLine
            let cells = UnsafeMutablePointer<Cell>.allocate(capacity: count)
            for index in 0..<count { (cells + index).initialize(to: Cell()) }
            many.store(cells, ordering: .releasing)
        }
    }

    @inline(never)
    private func rebuild(for cell: UnsafeMutablePointer<Cell>) -> Unmanaged<TopicSnapshot>? {
        state.withLock { state in
            guard isOpen else { return nil }
            // Another thread may have built the snapshot first.
            if let snapshot = cell.pointee.pin() { return snapshot }
            if state.lists == nil { state.lists = state.build() }
            guard let lists = state.lists else {
                lower(.watched)
                return nil
            }
            return cell.pointee.install(TopicSnapshot(lists, cell: cell))
        }
    }

    /// Removes the snapshots; the caller releases the result outside the lock.
    func dropSnapshots(_ state: inout sending SlotState) -> DroppedSnapshots {
        guard let lists = state.lists else { return DroppedSnapshots() }
        state.lists = nil
        forEachCell { $0.pointee.retire() }
        return DroppedSnapshots(slot: self, lists: lists)
    }

    func forEachCell(_ body: (UnsafeMutablePointer<Cell>) -> Void) {
        body(single)
        guard let many = many.load(ordering: .acquiring) else { return }
        for group in 0..<Self.groups { body(many + group * Self.cellsInLine) }
    }
}

/// Discarded snapshots, which are released outside the lock.
struct DroppedSnapshots: Sendable {
    var slot: TopicSlot?
    var lists: WatcherLists?

    func release() { slot?.forEachCell { $0.pointee.releaseRetired() } }
}
