public import Synchronization

/// The place of one topic on one bus: its watchers, and the snapshot of them that triggers read.
///
/// A change only drops the snapshot; the next trigger builds it once, so that *n* registrations cost O(*n*).
@usableFromInline
final class TopicSlot: WatchHost, @unchecked Sendable {
    /// The number of the bus, above the `SlotFlags`; 0 once the slot has left its bus.
    ///
    /// The word of a slot with nothing to do equals the bus's own.
    @usableFromInline let word: Atomic<UInt64>
    private let single = Stripe()
    private let many = Atomic<UnsafeMutablePointer<Stripe>?>(nil)
    private let state = Mutex(SlotState())
    let hash: UInt64

    static let stripeCount = 8

    init(name: String, hash: UInt64, bus: EventBus) {
        self.hash = hash
        word = Atomic(bus.word)
        super.init(watched: name, bus: bus)
    }

    deinit {
        if let many = many.load(ordering: .acquiring) {
            many.deinitialize(count: Self.stripeCount)
            many.deallocate()
        }
    }

    @usableFromInline var name: String { watched }

    /// Whether the slot is still the topic's place on a living bus.
    var isOpen: Bool { word.load(ordering: .acquiring) != 0 }

    var isWatched: Bool { word.load(ordering: .acquiring) & SlotFlags.watched.rawValue != 0 }

    func raise(_ flags: SlotFlags) { word.bitwiseOr(flags.rawValue, ordering: .acquiringAndReleasing) }

    // MARK: Binding

    /// Binds the topic to a payload type, if it is not bound; returns what it is bound to.
    func bind(_ payload: Any.Type, at place: @autoclosure () -> EventPlace) -> TopicBinding {
        state.withLock { state in
            if let binding = state.binding { return binding }
            let binding = TopicBinding(payload: payload, place: place())
            state.binding = binding
            return binding
        }
    }

    var binding: TopicBinding? { state.withLock { $0.binding } }

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
    func add(_ make: (_ id: UInt64) -> Watcher) -> Watch? {
        guard let bus else { return nil }
        let (watch, dropped): (Watch?, [Unmanaged<TopicSnapshot>]) = state.withLock { state in
            guard isOpen else { return (nil, []) }
            let watcher = make(bus.nextWatchID())
            state.watchers.append(watcher)
            raise(.watched)
            return (Watch(host: self, id: watcher.id, source: watcher.details?.sourceID), dropSnapshot(&state))
        }
        for snapshot in dropped { snapshot.release() }
        return watch
    }

    override func cancel(_ id: UInt64) -> Bool {
        // What is taken out is released at the end of this scope, without a lock.
        let (watcher, dropped, wasLive, isEmpty) = state.withLock { state in
            let watcher = state.watchers.remove(id)
            let wasLive = watcher?.cancel() ?? false
            let isEmpty = state.watchers.liveCount == 0
            return (watcher, watcher == nil ? [] : dropSnapshot(&state), wasLive, isEmpty)
        }
        for snapshot in dropped { snapshot.release() }
        watcher?.didCancel()
        if isEmpty { bus?.retireIfUnused(self) }
        return wasLive
    }

    override func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.watchers[id] } }

    override func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    var watchers: [Watcher] { state.withLock { Array($0.watchers.live) } }

    /// Forgets the snapshot because watchers of everything or of patterns have changed.
    func invalidate(_ flags: SlotFlags) {
        let dropped = state.withLock { state in
            if isOpen { raise(flags) }
            return dropSnapshot(&state)
        }
        for snapshot in dropped { snapshot.release() }
    }

    /// Takes the slot off its bus if nobody watches or remembers it, or in any case.
    func close(evenIfUsed: Bool = false) -> Bool {
        let (watchers, dropped, closed): ([Watcher], [Unmanaged<TopicSnapshot>], Bool) = state.withLock { state in
            guard evenIfUsed || state.watchers.liveCount == 0 && state.pins == 0 else { return ([], [], false) }
            word.store(0, ordering: .releasing)
            return (state.watchers.removeAll(), dropSnapshot(&state), true)
        }
        for snapshot in dropped { snapshot.release() }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
        return closed
    }

    // MARK: Snapshots

    /// Returns the watchers of now, counted up once for the caller; nil if there are none.
    func pinSnapshot(thread: UInt32) -> Unmanaged<TopicSnapshot>? {
        guard let many = many.load(ordering: .acquiring) else {
            guard let found = single.tryPin() else {
                spread()
                return pinSnapshot(thread: thread)
            }
            return found ?? rebuild(for: single)
        }
        let stripe = many + Int(thread) % Self.stripeCount
        return stripe.pointee.pin() ?? rebuild(for: stripe.pointee)
    }

    /// Gives each thread a stripe of its own, after two have met at the single one.
    private func spread() {
        state.withLock { _ in
            guard many.load(ordering: .relaxed) == nil else { return }
            let stripes = UnsafeMutablePointer<Stripe>.allocate(capacity: Self.stripeCount)
            for index in 0..<Self.stripeCount { (stripes + index).initialize(to: Stripe()) }
            many.store(stripes, ordering: .releasing)
        }
    }

    private func rebuild(for stripe: borrowing Stripe) -> Unmanaged<TopicSnapshot>? {
        let bus = bus
        return state.withLock { state in
            guard isOpen else { return nil }
            if state.snapshot == nil {
                state.snapshot = state.build(with: bus?.patterns.watchers(of: name) ?? [])
                if state.snapshot == nil {
                    word.bitwiseAnd(~SlotFlags.watched.rawValue, ordering: .acquiringAndReleasing)
                }
            }
            guard let snapshot = state.snapshot else { return nil }
            return stripe.install(snapshot.copy())
        }
    }

    /// Takes the snapshot out of all stripes; the caller releases what is returned once it has left the lock.
    private func dropSnapshot(_ state: inout sending SlotState) -> [Unmanaged<TopicSnapshot>] {
        guard let snapshot = state.snapshot else { return [] }
        var dropped = [Unmanaged.passRetained(snapshot)]
        state.snapshot = nil
        if let mine = single.clear() { dropped.append(mine) }
        if let many = many.load(ordering: .acquiring) {
            for index in 0..<Self.stripeCount {
                if let mine = many[index].clear() { dropped.append(mine) }
            }
        }
        return dropped
    }
}

/// The payload type of a topic, and the line that chose it.
struct TopicBinding {
    let payload: Any.Type
    let place: EventPlace
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
    static let bits: UInt64 = 8
}

private struct SlotState {
    var watchers = WatcherRegistry()
    var binding: TopicBinding?
    var pins = 0
    var snapshot: TopicSnapshot?

    /// Returns the watchers in calling order; nil if there are none.
    func build(with patterns: [Watcher]) -> TopicSnapshot? {
        var (open, scoped): ([Watcher], [Watcher]) = (patterns, [])
        open.reserveCapacity(patterns.count + watchers.liveCount)
        for watcher in watchers.live where watcher.isLive {
            if watcher.details?.sourceID == nil { open.append(watcher) } else { scoped.append(watcher) }
        }
        guard !open.isEmpty || !scoped.isEmpty else { return nil }
        if !patterns.isEmpty || open.contains(where: { $0.priority != 0 }) { open.sort { $0.precedes($1) } }
        scoped.sort { $0.precedes($1) }
        return TopicSnapshot(open: WatcherList(open), scoped: scoped.isEmpty ? nil : ScopedWatchers(scoped))
    }
}

/// A snapshot behind a lock that is held for a few instructions, alone in its cache line.
private struct Stripe: ~Copyable {
    private let snapshot = Mutex<Unmanaged<TopicSnapshot>?>(nil)
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    deinit { snapshot.withLock { $0 }?.release() }

    /// Returns the snapshot counted up once, or nil if none is built.
    func pin() -> Unmanaged<TopicSnapshot>? { snapshot.withLock { $0?.retain() } }

    /// Returns what `pin` returns, or nil if another thread is here.
    func tryPin() -> Unmanaged<TopicSnapshot>?? { snapshot.withLockIfAvailable { $0?.retain() } }

    /// Puts a snapshot here and returns it counted up once; what was here comes from a race and is kept instead.
    func install(_ new: TopicSnapshot) -> Unmanaged<TopicSnapshot> {
        snapshot.withLock { current in
            if let current { return current.retain() }
            let mine = Unmanaged.passRetained(new)
            current = mine
            return mine.retain()
        }
    }

    /// Takes the snapshot out, for the caller to release.
    func clear() -> Unmanaged<TopicSnapshot>? {
        snapshot.withLock { current in
            defer { current = nil }
            return current
        }
    }
}
