internal import AshlarCore
public import Synchronization

/// One topic on one bus: its watchers, and the snapshot of them that triggers read.
///
/// A change only drops the snapshot; the next trigger builds it once, so that *n* registrations cost O(*n*).
@usableFromInline
final class TopicSlot: WatchHost, @unchecked Sendable {
    /// The number of the bus, above the `SlotFlags`; 0 once the slot has left its bus.
    ///
    /// The word of a slot with nothing to do equals the bus's own.
    @usableFromInline final let word: Atomic<UInt64>
    fileprivate typealias Cell = SnapshotCell<TopicSnapshot>
    private let single: UnsafeMutablePointer<Cell>
    /// One cell for each group of threads, a cache line apart, once two threads have used the single one at a time.
    private let many = Atomic<UnsafeMutablePointer<Cell>?>(nil)
    private let state = Mutex(SlotState())
    let hash: UInt64

    private static let groups = 8
    private static let cellsInLine = 128 / MemoryLayout<Cell>.stride

    init(name: String, hash: UInt64, bus: EventBus) {
        self.hash = hash
        word = Atomic(bus.word)
        single = .allocate(capacity: 1)
        single.initialize(to: Cell())
        super.init(watched: name, bus: bus)
    }

    deinit {
        single.deinitialize(count: 1)
        single.deallocate()
        if let many = many.load(ordering: .acquiring) {
            many.deinitialize(count: Self.groups * Self.cellsInLine)
            many.deallocate()
        }
    }

    @inlinable final var name: String { watched }

    /// Whether the slot belongs to a living bus.
    var isOpen: Bool { word.load(ordering: .acquiring) != 0 }

    var isWatched: Bool { word.load(ordering: .acquiring) & SlotFlags.watched.rawValue != 0 }

    func raise(_ flags: SlotFlags) { word.bitwiseOr(flags.rawValue, ordering: .acquiringAndReleasing) }

    func lower(_ flag: SlotFlags) { word.bitwiseAnd(~flag.rawValue, ordering: .acquiringAndReleasing) }

    // MARK: Binding

    /// Binds the topic to a payload type, if it isn't bound; returns what it is bound to.
    func bind(_ payload: Any.Type, at location: @autoclosure () -> EventLocation) -> TopicBinding {
        state.withLock { state in
            if let binding = state.binding { return binding }
            let binding = TopicBinding(payload: payload, location: location())
            state.binding = binding
            return binding
        }
    }

    var binding: TopicBinding? { state.withLock { $0.binding } }

    /// Takes on what a topic wants for its name.
    func adopt(_ core: TopicCore) {
        guard core.keeping > 0 || core.isOrdered else { return }
        state.withLock { state in
            state.kept.limit = max(state.kept.limit, core.keeping)
            if core.keeping > 0 { bus?.keepsEvents.store(true, ordering: .sequentiallyConsistent) }
            if core.isOrdered, state.runner == nil { state.runner = SerialRunner() }
            if isOpen { raise(.diverted) }
        }
    }

    /// What runs the triggers of an ordered topic.
    var runner: SerialRunner? { state.withLock { $0.runner } }

    /// Keeps an event if the topic keeps some; returns the number that it got.
    func keep(_ payload: any Sendable, from source: AnyObject?, sequence: () -> UInt64) -> UInt64? {
        let (number, gone) = state.withLock { state -> (UInt64?, [KeptEvents.Kept]) in
            guard state.kept.limit > 0 else { return (nil, []) }
            let number = sequence()
            return (number, state.kept.add(KeptEvents.Kept(payload: payload, sequence: number, source: source)))
        }
        _ = consume gone
        return number
    }

    /// The stored events, for a watcher that every later trigger finds.
    var kept: [KeptEvents.Kept] { state.withLock { $0.kept.events } }

    /// Removes the stored events.
    func clearKept() {
        let gone = state.withLock { $0.kept.removeAll() }
        _ = consume gone
    }

    /// Keeps the slot on its bus while a topic remembers it; false if it has left.
    func pin() -> Bool {
        state.withLock { state in
            guard isOpen else { return false }
            state.pins += 1
            return true
        }
    }

    func unpin() {
        state.withLock { $0.pins -= 1 }
        bus?.retireIfUnused(self)
    }

    // MARK: Watching

    /// Adds the watcher that `make` returns for its number; nil if the slot has left its bus.
    ///
    /// If the topic stores events, the watcher receives those before this returns.
    func add<Payload: Sendable>(
        _ options: WatchOptions, _ payload: Payload.Type, _ make: (_ id: UInt64) -> Watcher
    ) -> Watch? {
        guard let bus else { return nil }
        var replaying: ReplayingWatcher<Payload>?
        var kept: [KeptEvents.Kept] = []
        var mustSweep = false
        let (watch, dropped): (Watch?, DroppedSnapshots) = state.withLock { state in
            guard isOpen else { return (nil, DroppedSnapshots()) }
            var watcher = make(bus.nextWatchID())
            if state.kept.limit > 0, let inner = watcher as? TypedWatcher<Payload> {
                let outer = ReplayingWatcher(options, inner: inner, bus: bus)
                kept = state.kept.events
                (watcher, replaying) = (outer, outer)
            }
            state.watchers.append(watcher)
            mustSweep = state.watchers.liveCount >= state.sweepAt
            if mustSweep { state.sweepAt = state.watchers.liveCount * 2 }
            raise(.watched)
            let watch = Watch(host: self, id: watcher.id, source: watcher.details?.sourceID)
            return (watch, dropSnapshots(&state))
        }
        dropped.release()
        if mustSweep { sweep() }
        if let watch { options.bag?.insert(watch) }
        replaying?.replay([KeptReplay(name: name, events: kept)])
        return watch
    }

    override func cancel(_ id: UInt64) -> Bool {
        // What is taken out is released at the end of this scope, without a lock.
        let (watcher, dropped, wasLive, isEmpty) = state.withLock { state in
            let watcher = state.watchers.remove(id)
            let wasLive = watcher?.cancel() ?? false
            let isEmpty = state.watchers.liveCount == 0
            return (watcher, watcher == nil ? DroppedSnapshots() : dropSnapshots(&state), wasLive, isEmpty)
        }
        dropped.release()
        watcher?.didCancel()
        if isEmpty { bus?.retireIfUnused(self) }
        return wasLive
    }

    /// Cancels the watches whose source or owner is gone.
    ///
    /// Looking at those takes and releases them, so no lock is held.
    private func sweep() {
        for watcher in watchers where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.sweepAt = max(64, $0.watchers.liveCount * 2) }
    }

    override func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.watchers[id] } }

    override func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    var watchers: [Watcher] { state.withLock { Array($0.watchers.live) } }

    /// Forgets the snapshot because watchers of everything or of patterns have changed.
    func invalidate(_ flags: SlotFlags) {
        let dropped = state.withLock { state in
            if isOpen { raise(flags) }
            return dropSnapshots(&state)
        }
        dropped.release()
    }

    /// Takes the slot off its bus if nobody watches or remembers it, or in any case; nil if it stays.
    ///
    /// What is returned is to be ended by the caller, once it has left all locks.
    func close(evenIfUsed: Bool = false) -> ClosedSlot? {
        state.withLock { state in
            let isUnused = state.watchers.liveCount == 0 && state.pins == 0 && state.kept.events.isEmpty
            guard evenIfUsed || isUnused else { return nil }
            word.store(0, ordering: .releasing)
            let kept = state.kept.removeAll()
            return ClosedSlot(watchers: state.watchers.removeAll(), kept: kept, snapshots: dropSnapshots(&state))
        }
    }

    // MARK: Snapshots

    /// Returns the watchers of now, with the trigger counted in; nil if there are none.
    ///
    /// A thread that is inside no other trigger and finds a reader has found another thread.
    @inline(__always)
    func pinSnapshot(thread: UInt32, isOutermost: Bool) -> Unmanaged<TopicSnapshot>? {
        var cell = single
        if let many = many.load(ordering: .acquiring) {
            cell = many + Int(thread) % Self.groups * Self.cellsInLine
        }
        if isOutermost, cell.pointee.hasReaders, cell == single { spread() }
        return cell.pointee.pin() ?? rebuild(for: cell)
    }

    /// Counts a trigger out of the snapshot that it has pinned.
    @inline(__always)
    func unpin(_ snapshot: Unmanaged<TopicSnapshot>) {
        snapshot._withUnsafeGuaranteedRef { $0.cell }.pointee.unpin()
    }

    /// Gives each group of threads a cell of its own.
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
        let bus = bus
        return state.withLock { state in
            guard isOpen else { return nil }
            // Another thread may have been faster.
            if let snapshot = cell.pointee.pin() { return snapshot }
            if state.lists == nil { state.lists = state.build(with: bus?.patterns.watchers(of: name) ?? []) }
            guard let lists = state.lists else {
                word.bitwiseAnd(~SlotFlags.watched.rawValue, ordering: .acquiringAndReleasing)
                return nil
            }
            return cell.pointee.install(TopicSnapshot(lists, cell: cell))
        }
    }

    /// Takes the snapshots out; the caller releases what is returned once it has left the lock.
    private func dropSnapshots(_ state: inout sending SlotState) -> DroppedSnapshots {
        guard let lists = state.lists else { return DroppedSnapshots() }
        state.lists = nil
        forEachCell { $0.pointee.retire() }
        return DroppedSnapshots(slot: self, lists: lists)
    }

    fileprivate func forEachCell(_ body: (UnsafeMutablePointer<Cell>) -> Void) {
        body(single)
        guard let many = many.load(ordering: .acquiring) else { return }
        for group in 0..<Self.groups { body(many + group * Self.cellsInLine) }
    }
}

/// What a slot held when it left its bus.
struct ClosedSlot {
    fileprivate let watchers: [Watcher]
    fileprivate let kept: [KeptEvents.Kept]
    fileprivate let snapshots: DroppedSnapshots

    /// Ends the watches.
    func end() {
        snapshots.release()
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
    }
}

/// Snapshots that are out of date, on their way out of a lock.
private struct DroppedSnapshots: Sendable {
    var slot: TopicSlot?
    var lists: WatcherLists?

    func release() { slot?.forEachCell { $0.pointee.releaseRetired() } }
}

/// The payload type of a topic, and the line that chose it.
struct TopicBinding: Sendable {
    let payload: Any.Type
    let location: EventLocation
}

/// What makes a slot worth a look, in the low bits of its word.
@usableFromInline
struct SlotFlags: Sendable {
    @usableFromInline let rawValue: UInt64

    /// There may be watchers.
    static let watched = Self(rawValue: 1)
    /// The bus has a tap or a hook for undelivered events.
    static let observed = Self(rawValue: 2)
    /// There are watchers of everything that comes from one object.
    static let sourced = Self(rawValue: 4)
    /// The bus has a tap.
    static let tapped = Self(rawValue: 8)
    /// Events take the long way: the topic keeps or orders them, or the bus queues them.
    static let diverted = Self(rawValue: 16)
    static let detours: UInt64 = 8 | 16
    @inlinable static var bits: UInt64 { 8 }
    /// `watched`, where code is inlined.
    @inlinable static var watchedBit: UInt64 { 1 }
    /// All but `observed` and `sourced`, which don't keep an event from the plain way.
    @inlinable static var notDiverting: UInt64 { ~6 }
}

private struct SlotState: Sendable {
    var watchers = WatcherRegistry()
    var binding: TopicBinding?
    var pins = 0
    /// The number of watchers at which dead ones are removed.
    var sweepAt = 64
    var kept = KeptEvents()
    var runner: SerialRunner?
    var lists: WatcherLists?

    /// Returns the watchers in calling order; nil if there are none.
    func build(with patterns: [Watcher]) -> WatcherLists? {
        var (open, scoped): ([Watcher], [Watcher]) = (patterns, [])
        open.reserveCapacity(patterns.count + watchers.liveCount)
        for watcher in watchers.live where watcher.isLive {
            if watcher.details?.sourceID == nil { open.append(watcher) } else { scoped.append(watcher) }
        }
        guard !open.isEmpty || !scoped.isEmpty else { return nil }
        if !patterns.isEmpty || open.contains(where: { $0.priority != 0 }) { open.sort { $0.precedes($1) } }
        scoped.sort { $0.precedes($1) }
        return WatcherLists(open: WatcherList(open), scoped: scoped.isEmpty ? nil : ScopedWatchers(scoped))
    }
}
