internal import AshlarCore
import Synchronization

/// One topic on one bus: its watchers and properties, and the snapshot of them that triggers read.
///
/// A change only discards the snapshot. The next trigger creates a new one, so that *n* registrations take O(*n*).
@usableFromInline
final class TopicEntry: WatchHost, Sendable {
    @usableFromInline let name: String
    let hash: UInt64
    /// The number of the bus, by which a topic recognizes a cached entry.
    @usableFromInline let busNumber: UInt32
    weak let bus: EventBus?
    private let state = Mutex(State())

    struct State: Sendable {
        /// Whether the entry has left its bus.
        var isClosed = false
        var watchers = WatcherRegistry()
        /// The watchers of matching patterns, in the order of registration.
        var patterns: [Watcher] = []
        var interceptors: [InterceptorEntry] = []
        /// The generation of the bus from which the patterns and interceptors are.
        var generation: UInt64 = 0
        var binding: TopicBinding?
        /// The number of the watch that answers requests, which can have ended.
        var responderID: UInt64?
        /// The number of topics that cache the entry.
        var pins = 0
        var stored = StoredEvents()
        /// Runs the triggers of a topic that stores events one after the other.
        var runner: SerialRunner?
        var snapshot: TopicSnapshot?

        /// The watcher that answers requests.
        var responder: Watcher? { responderID.flatMap { watchers[$0] } }
    }

    init(name: String, hash: UInt64, bus: EventBus) {
        self.name = name
        self.hash = hash
        self.bus = bus
        busNumber = bus.number
    }

    var watched: String { name }

    func hasName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var name = name
        return name.withUTF8 { Span(_unsafeElements: $0).bytes.hasSameBytes(as: Span(_unsafeElements: bytes).bytes) }
    }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }

    /// Whether the entry belongs to an existing bus.
    var isOpen: Bool { state.withLock { !$0.isClosed } }

    // MARK: Triggers

    /// Returns the current watchers and properties.
    func snapshot(on bus: EventBus) -> TopicSnapshot {
        snapshot(on: bus, ifWatched: false) ?? makeSnapshot(on: bus)
    }

    /// Returns the current watchers and properties; with `ifWatched`, nil if the topic has no watcher and no stage.
    func snapshot(on bus: EventBus, ifWatched: Bool) -> TopicSnapshot? {
        let generation = bus.generation.load(ordering: .acquiring)
        let (current, isUnwatched) = state.withLock { state -> (TopicSnapshot?, Bool) in
            guard state.generation == generation, let snapshot = state.snapshot else { return (nil, false) }
            return ifWatched && snapshot.isUnwatched ? (nil, true) : (snapshot, false)
        }
        if let current { return current }
        if isUnwatched { return nil }
        let snapshot = makeSnapshot(on: bus)
        return ifWatched && snapshot.isUnwatched ? nil : snapshot
    }

    @inline(never)
    private func makeSnapshot(on bus: EventBus) -> TopicSnapshot {
        // The replaced objects are released outside the lock.
        let (snapshot, old) = state.withLock { state -> (TopicSnapshot, State) in
            let old = state
            // Read first, because a later pattern changes the generation again.
            let generation = bus.generation.load(ordering: .acquiring)
            if state.generation != generation {
                state.patterns = bus.patterns.watchers(of: self, isJoining: !state.isClosed)
                state.interceptors = bus.interceptors.withLock { $0.filter { $0.concerns(name) } }
                state.generation = generation
                state.snapshot = nil
            }
            let snapshot = state.snapshot ?? TopicSnapshot(state)
            if !state.isClosed { state.snapshot = snapshot }
            return (snapshot, old)
        }
        withExtendedLifetime(old) {}
        return snapshot
    }

    /// Removes the cancelled watcher of a pattern.
    func removePatternWatcher(_ id: UInt64) {
        // The removed objects are released outside the lock.
        _ = state.withLock { state in
            defer { state.patterns.removeAll { $0.id == id } }
            return (state.patterns, state.snapshot.take())
        }
    }

    // MARK: Properties

    /// Binds the topic to a payload type, unless it is already bound; returns the binding.
    func bind(_ payload: Any.Type, at location: @autoclosure () -> EventLocation) -> TopicBinding {
        let (binding, old) = state.withLock { state -> (TopicBinding, TopicSnapshot?) in
            if let binding = state.binding { return (binding, nil) }
            let binding = TopicBinding(payload: payload, location: location())
            state.binding = binding
            return (binding, state.snapshot.take())
        }
        _ = consume old
        return binding
    }

    var binding: TopicBinding? { state.withLock { $0.binding } }

    /// Adopts the properties that a topic declares for its name.
    func adopt(_ core: TopicCore) {
        guard core.keeping > 0 else { return }
        // Registered first, so that a new watch of a pattern doesn't miss a stored event.
        bus?.storing.withLock { $0[ObjectIdentifier(self)] = self }
        _ = state.withLock { state in
            state.stored.limit = max(state.stored.limit, core.keeping)
            guard state.runner == nil else { return nil as TopicSnapshot? }
            state.runner = SerialRunner()
            return state.snapshot.take()
        }
    }

    /// Retains the entry on its bus while a topic caches it; returns false if the entry has left the bus.
    func pin() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.pins += 1
            return true
        }
    }

    func unpin() {
        state.withLock { $0.pins -= 1 }
        bus?.removeIfUnused(self)
    }

    // MARK: Stored events

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
    func clearStored() { _ = state.withLock { $0.stored.removeAll() } }

    /// The number of the oldest stored event; nil if there is none.
    var oldestStored: UInt64? { state.withLock { $0.stored.events.first?.sequence } }

    /// The payloads of the stored events, the oldest first.
    var storedPayloads: [any Sendable] { state.withLock { $0.stored.events.map(\.payload) } }

    /// Delivers the stored events to a new watcher, in the order of the topic.
    ///
    /// A topic that stores events is ordered, so no new event is delivered in between.
    func deliverStored<Payload: Sendable>(to watcher: TypedWatcher<Payload>, on bus: EventBus) {
        state.withLock({ $0.runner })?.run { [weak bus] in
            watcher.endJoining(self)
            for event in self.state.withLock({ $0.stored.events }) { bus?.replay(event, to: watcher, of: self) }
        }
    }

    // MARK: Watching

    /// Adds the watcher that `make` returns for its number; returns nil if the entry has left its bus.
    ///
    /// - Throws: ``EventBusError`` with the code `duplicateResponder`.
    func add<Payload: Sendable>(
        _ options: WatchOptions, _ make: (_ id: UInt64) -> TypedWatcher<Payload>
    ) throws(EventBusError) -> Watch? {
        guard let bus else { return nil }
        let (watcher, old, isStoring, mustSweep) = try state.withLock {
            state throws(EventBusError) -> (TypedWatcher<Payload>?, TopicSnapshot?, Bool, Bool) in
            guard !state.isClosed else { return (nil, nil, false, false) }
            if options.isResponder, let other = state.responder {
                throw EventBusError(
                    .duplicateResponder, subject: name, expected: "one responder", location: options.location,
                    otherLocation: other.location)
            }
            let watcher = make(bus.nextWatchID())
            if options.isResponder { state.responderID = watcher.id }
            let isStoring = state.stored.limit > 0
            if isStoring { watcher.beginJoining(self) }
            let mustSweep = state.watchers.append(watcher)
            return (watcher, state.snapshot.take(), isStoring, mustSweep)
        }
        _ = consume old
        guard let watcher else { return nil }
        if mustSweep { sweep() }
        let watch = Watch(watcher, of: self)
        options.bag?.insert(watch)
        bus.interest.check(name)
        if isStoring { deliverStored(to: watcher, on: bus) }
        return watch
    }

    func cancel(_ id: UInt64) -> Bool {
        // Removed objects are released at the end of this scope, outside the lock.
        let gone = state.withLock { state -> (watcher: Watcher?, snapshot: TopicSnapshot?, isEmpty: Bool) in
            let watcher = state.watchers.remove(id)
            return (watcher, watcher == nil ? nil : state.snapshot.take(), state.watchers.liveCount == 0)
        }
        let wasLive = gone.watcher?.cancel() ?? false
        if gone.isEmpty { bus?.removeIfUnused(self) }
        if gone.watcher != nil { bus?.interest.check(name) }
        return wasLive
    }

    /// Cancels the watches whose source or owner has been released.
    ///
    /// Checking an object retains and releases it, so no lock is held.
    private func sweep() {
        for watcher in watchers where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.watchers.didSweep() }
    }

    /// Whether a watch answers requests.
    var hasResponder: Bool { state.withLock { $0.responder != nil } }

    /// The kinds of watches without a source.
    var interest: Set<EventInterest.Kind> {
        state.withLock { state in
            var interest: Set<EventInterest.Kind> = []
            for watcher in state.watchers.live
            where watcher.details?.sourceID == nil && watcher.id != state.responderID {
                interest.insert(.events)
                if !watcher.isObserver { interest.insert(.handlers) }
            }
            if state.responder != nil { interest.insert(.requests) }
            return interest
        }
    }

    func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.watchers[id] } }

    var watchers: [Watcher] { state.withLock { Array($0.watchers.live) } }

    /// Closes the entry if it isn't watched or cached, or in any case; returns its contents, or nil if it remains open.
    ///
    /// The caller removes the entry from the bus and passes the contents to `end` outside all locks.
    func close(evenIfUsed: Bool = false) -> State? {
        state.withLock { state in
            let isUnused = state.watchers.liveCount == 0 && state.pins == 0 && state.stored.events.isEmpty
            guard !state.isClosed, evenIfUsed || isUnused else { return nil }
            let contents = state
            state = State()
            state.isClosed = true
            state.binding = contents.binding
            return contents
        }
    }

    /// Ends the watches of a closed entry.
    func end(_ contents: consuming State) {
        if let bus {
            if contents.stored.limit > 0 { bus.storing.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
            bus.patterns.forget(self, contents.patterns)
        }
        for watcher in contents.watchers.live { _ = watcher.cancel() }
    }
}
