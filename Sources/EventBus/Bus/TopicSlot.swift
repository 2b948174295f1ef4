internal import AshlarCore
public import Synchronization

/// One topic on one bus: its watchers, and the snapshot that triggers read.
///
/// A change only discards the snapshot. The next trigger builds a new one, so that *n* registrations take O(*n*).
@usableFromInline
final class TopicSlot: WatchHost, @unchecked Sendable {
    // Unchecked because of the pointers to cells, which are atomic and valid for the lifetime of the slot.
    @usableFromInline let name: String
    /// The word that triggers compare; 0 after the slot left its bus.
    ///
    /// It changes only under the lock of `state`.
    @usableFromInline let word: Atomic<UInt64>
    weak let bus: EventBus?
    typealias Cell = SnapshotCell<TopicSnapshot>
    let single: UnsafeMutablePointer<Cell>
    /// One cell for each group of threads, in separate cache lines, after two threads used the single cell
    /// concurrently.
    let many = Atomic<UnsafeMutablePointer<Cell>?>(nil)
    let state = Mutex(SlotState())
    let hash: UInt64
    /// The identity of the bound payload type, which triggers by bare names read without the lock; 0 if there is none.
    private let boundType = Atomic<UInt>(0)

    static let groups = 8
    static let cellsInLine = 128 / MemoryLayout<Cell>.stride

    init(name: String, hash: UInt64, bus: EventBus) {
        (self.name, self.hash, self.bus) = (name, hash, bus)
        // The first trigger updates the slot.
        word = Atomic(SlotWord.make(generation: 0, bus: bus.number))
        single = .allocate(capacity: 1)
        single.initialize(to: Cell())
    }

    deinit {
        single.deinitialize(count: 1)
        single.deallocate()
        if let many = many.load(ordering: .acquiring) {
            many.deinitialize(count: Self.groups * Self.cellsInLine)
            many.deallocate()
        }
    }

    var watched: String { name }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }

    /// Whether the slot belongs to an existing bus.
    var isOpen: Bool { word.load(ordering: .acquiring) != 0 }

    private func raise(_ flag: SlotWord) { word.bitwiseOr(flag.rawValue, ordering: .acquiringAndReleasing) }

    func lower(_ flag: SlotWord) { word.bitwiseAnd(~flag.rawValue, ordering: .acquiringAndReleasing) }

    /// Adopts the patterns and flags of the bus.
    func update(from bus: EventBus) {
        let (dropped, gone) = state.withLock { state -> (DroppedSnapshots, [InterceptorEntry]) in
            guard isOpen else { return (DroppedSnapshots(), []) }
            // Read first, because a later pattern changes the word of the bus again.
            var word = bus.word.load(ordering: .sequentiallyConsistent) | bus.raised
            let patterns = bus.wide.join(self)
            let gone = state.interceptors
            let isSame = patterns.elementsEqual(state.patterns) { $0 === $1 }
            state.interceptors = bus.interceptors.withLock { $0.filter { $0.concerns(name) } }
            if state.runner != nil || !state.interceptors.isEmpty { word |= SlotWord.diverted.rawValue }
            if state.watchers.liveCount > 0 || !patterns.isEmpty { word |= SlotWord.watched.rawValue }
            state.patterns = patterns
            self.word.store(word, ordering: .releasing)
            return (isSame ? DroppedSnapshots() : dropSnapshots(&state), gone)
        }
        dropped.release()
        _ = consume gone
    }

    /// Removes the cancelled watcher of a pattern.
    func leave(_ id: UInt64) {
        let (gone, dropped) = state.withLock { state in
            let gone = state.patterns.filter { $0.id == id }
            state.patterns.removeAll { $0.id == id }
            return (gone, dropSnapshots(&state))
        }
        dropped.release()
        _ = consume gone
    }

    // MARK: Binding

    /// Binds the topic to a payload type, unless it is already bound; returns the binding.
    func bind(_ payload: Any.Type, at location: @autoclosure () -> EventLocation) -> TopicBinding {
        state.withLock { state in
            if let binding = state.binding { return binding }
            let binding = TopicBinding(payload: payload, location: location())
            state.binding = binding
            boundType.store(UInt(bitPattern: ObjectIdentifier(payload)), ordering: .releasing)
            return binding
        }
    }

    var binding: TopicBinding? { state.withLock { $0.binding } }

    func isBound(to payload: Any.Type) -> Bool {
        boundType.load(ordering: .acquiring) == UInt(bitPattern: ObjectIdentifier(payload))
    }

    /// Adopts the properties that a topic declares for its name.
    func adopt(_ core: TopicCore) {
        guard core.keeping > 0 || core.isOrdered else { return }
        // Registered first, so that a new watch of a pattern doesn't miss a stored event.
        if core.keeping > 0 { bus?.storing.withLock { $0[ObjectIdentifier(self)] = self } }
        state.withLock { state in
            state.stored.limit = max(state.stored.limit, core.keeping)
            if state.runner == nil { state.runner = SerialRunner() }
            if isOpen { raise(.diverted) }
        }
    }

    /// The interceptors of the topic, in order.
    var interceptors: [InterceptorEntry] { state.withLock { $0.interceptors } }

    /// The runner for the triggers of an ordered topic.
    var runner: SerialRunner? { state.withLock { $0.runner } }

    /// Stores an event if the topic stores events; returns the number of the event.
    func store(_ payload: any Sendable, _ call: TriggerCall, sequence: () -> UInt64) -> UInt64? {
        let (number, gone) = state.withLock { state -> (UInt64?, [StoredEvents.Stored]) in
            guard state.stored.limit > 0 else { return (nil, []) }
            let number = sequence()
            return (number, state.stored.add(payload, call, sequence: number))
        }
        _ = consume gone
        return number
    }

    /// Removes the stored events.
    func clearStored() {
        let gone = state.withLock { $0.stored.removeAll() }
        _ = consume gone
    }

    /// The number of the oldest stored event; nil if there is none.
    var oldestStored: UInt64? { state.withLock { $0.stored.events.first?.sequence } }

    /// Delivers the stored events to a new watcher, in the order of the topic.
    ///
    /// A topic that stores events is ordered, so no new event is delivered in between.
    func join<Payload: Sendable>(_ watcher: TypedWatcher<Payload>, on bus: EventBus) {
        _ = runner?.run { [weak bus] in
            watcher.endJoining(self)
            for event in self.state.withLock({ $0.stored.events }) { bus?.replay(event, to: watcher, of: self) }
        }
    }

    /// Retains the slot on its bus while a topic caches it; returns false if the slot has left the bus.
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

    /// Adds the watcher that `make` returns for its number; returns nil if the slot has left its bus.
    ///
    /// - Throws: ``EventBusError`` with the code `duplicateResponder`.
    func add<Payload: Sendable>(
        _ options: WatchOptions, _ make: (_ id: UInt64) -> TypedWatcher<Payload>
    ) throws(EventBusError) -> Watch? {
        guard let bus else { return nil }
        let (watcher, dropped, isStoring, mustSweep) = try state.withLock {
            state throws(EventBusError) -> (TypedWatcher<Payload>?, DroppedSnapshots, Bool, Bool) in
            guard isOpen else { return (nil, DroppedSnapshots(), false, false) }
            if options.isResponder, let other = state.responder {
                throw EventBusError(
                    .duplicateResponder, subject: name, expected: "one responder", location: options.location,
                    otherLocation: other.location)
            }
            let watcher = make(bus.nextWatchID())
            if options.isResponder { state.responderID = watcher.id }
            let isStoring = state.stored.limit > 0
            if isStoring { watcher.beginJoining(self) }
            state.watchers.append(watcher)
            let mustSweep = state.watchers.liveCount >= state.sweepAt
            if mustSweep { state.sweepAt = state.watchers.liveCount * 2 }
            raise(.watched)
            return (watcher, dropSnapshots(&state), isStoring, mustSweep)
        }
        dropped.release()
        guard let watcher else { return nil }
        if mustSweep { sweep() }
        let watch = Watch(host: self, id: watcher.id, source: watcher.details?.sourceID)
        options.bag?.insert(watch)
        if isStoring { join(watcher, on: bus) }
        return watch
    }

    var departing: DepartingWatchers? { bus?.departing }

    func cancel(_ id: UInt64) -> Bool {
        // Removed objects are released at the end of this scope, outside the lock.
        var gone = state.withLock { state -> (watcher: Watcher?, snapshots: DroppedSnapshots, isEmpty: Bool) in
            let watcher = state.watchers.remove(id)
            let isEmpty = state.watchers.liveCount == 0
            return (watcher, watcher == nil ? DroppedSnapshots() : dropSnapshots(&state), isEmpty)
        }
        let wasLive = gone.watcher?.cancel() ?? false
        gone.snapshots.release()
        gone.snapshots = DroppedSnapshots()
        gone.watcher?.didCancel()
        if !isKnownUniquelyReferenced(&gone.watcher), let watcher = gone.watcher { departing?.note(watcher) }
        if gone.isEmpty { bus?.retireIfUnused(self) }
        return wasLive
    }

    /// Cancels the watches whose source or owner has been released.
    ///
    /// Checking an object retains and releases it, so no lock is held.
    private func sweep() {
        for watcher in watchers where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.sweepAt = max(64, $0.watchers.liveCount * 2) }
    }

    /// Whether a watch answers requests.
    var hasResponder: Bool { state.withLock { $0.responder != nil } }

    func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.watchers[id] } }

    func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    var watchers: [Watcher] { state.withLock { Array($0.watchers.live) } }

    /// Removes the slot from its bus if it isn't watched or cached, or in any case; returns nil if it remains.
    ///
    /// The caller ends the closed slot outside all locks.
    func close(evenIfUsed: Bool = false) -> ClosedSlot? {
        state.withLock { state in
            let isUnused = state.watchers.liveCount == 0 && state.pins == 0 && state.stored.events.isEmpty
            guard evenIfUsed || isUnused else { return nil }
            word.store(0, ordering: .releasing)
            defer { state.patterns = [] }
            return ClosedSlot(
                slot: self, watchers: state.watchers.removeAll(), patterns: state.patterns,
                isStoring: state.stored.limit > 0, stored: state.stored.removeAll(), snapshots: dropSnapshots(&state))
        }
    }
}

/// The contents of a slot that has left its bus.
struct ClosedSlot {
    fileprivate let slot: TopicSlot
    fileprivate let watchers: [Watcher]
    fileprivate let patterns: [Watcher]
    fileprivate let isStoring: Bool
    fileprivate let stored: [StoredEvents.Stored]
    fileprivate let snapshots: DroppedSnapshots

    /// Ends the watches.
    func end() {
        snapshots.release()
        if let bus = slot.bus {
            if isStoring { bus.storing.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(slot)) } }
            if !patterns.isEmpty { bus.wide.leave(slot, patterns) }
        }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
    }
}
