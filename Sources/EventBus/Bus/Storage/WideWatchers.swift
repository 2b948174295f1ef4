internal import AshlarCore
import Synchronization

/// The watchers of a bus that belong to no single topic: those of a pattern, and those of everything from one object.
///
/// Watchers of a pattern are merged into the snapshot of each topic that it meets. Watchers with a source stay here
/// and are looked up by it, because a bus may have as many of them as the app has objects.
final class WideWatchers: WatchHost, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State: Sendable {
        /// The watchers of every source.
        var open = WatcherRegistry()
        /// The watchers of one source, in lists by it.
        var scoped = WatcherRegistry()
        var bySource: [ObjectIdentifier: WatcherList] = [:]
        /// The number of watchers with a source at which the dead ones are looked for.
        var sweepAt = 64

        subscript(id: UInt64) -> Watcher? { open[id] ?? scoped[id] }
    }

    init(bus: EventBus) { super.init(watched: "**", bus: bus) }

    /// Adds the watcher that `make` returns for its number.
    ///
    /// - Complexity: O(*n*) in the number of topics for a pattern; otherwise in the watches of the same source.
    ///
    /// If some topics keep events, the watcher gets those of all that it meets before this returns.
    func add(_ options: WatchOptions, on bus: EventBus, _ make: (_ id: UInt64) -> Watcher) -> Watch {
        let mustReplay = bus.keepsEvents.load(ordering: .sequentiallyConsistent)
        let (watcher, old, mustSweep) = state.withLock { state -> (Watcher, WatcherList?, Bool) in
            var watcher = make(bus.nextWatchID())
            if mustReplay, let inner = watcher as? TypedWatcher<any Sendable> {
                watcher = ReplayingWatcher(options, inner: inner, bus: bus)
            }
            guard let source = watcher.details?.sourceID else {
                state.open.append(watcher)
                return (watcher, nil, false)
            }
            state.scoped.append(watcher)
            let old = state.bySource[source]
            state.bySource[source] = WatcherList(((old?.watchers ?? []) + [watcher]).sorted { $0.precedes($1) })
            let mustSweep = state.scoped.liveCount >= state.sweepAt
            if mustSweep { state.sweepAt = state.scoped.liveCount * 2 }
            return (watcher, old, mustSweep)
        }
        _ = consume old
        if mustSweep { sweep() }
        if watcher.details?.sourceID != nil {
            bus.raise(.sourced)
        } else {
            bus.hasPatterns.store(true, ordering: .sequentiallyConsistent)
            announce(watcher, on: bus)
        }
        let watch = Watch(host: self, id: watcher.id, source: watcher.details?.sourceID)
        options.bag?.insert(watch)
        // Every trigger finds the watcher by now; what it gets twice is told apart by its number.
        (watcher as? ReplayingWatcher<any Sendable>)?.replay(kept(for: watcher, on: bus))
        return watch
    }

    /// Has the topics that a pattern meets build their snapshots again.
    ///
    /// A topic that is being made at this moment asks for the patterns afterwards, so it misses none.
    private func announce(_ watcher: Watcher, on bus: EventBus) {
        guard let details = watcher.details, details.sourceID == nil, let pattern = details.pattern else { return }
        for slot in bus.slots.all where pattern.matches(slot.name) { slot.invalidate(.watched) }
    }

    private func kept(for watcher: Watcher, on bus: EventBus) -> [KeptReplay] {
        bus.slots.all.compactMap { slot in
            guard watcher.details?.pattern?.matches(slot.name) ?? true else { return nil }
            let events = slot.kept
            return events.isEmpty ? nil : KeptReplay(name: slot.name, events: events)
        }
    }

    override func cancel(_ id: UInt64) -> Bool {
        let (watcher, old) = state.withLock { state -> (Watcher?, WatcherList?) in
            if let watcher = state.open.remove(id) { return (watcher, nil) }
            guard let watcher = state.scoped.remove(id), let source = watcher.details?.sourceID else {
                return (nil, nil)
            }
            let old = state.bySource[source]
            let rest = (old?.watchers ?? []).filter { $0.id != id }
            state.bySource[source] = rest.isEmpty ? nil : WatcherList(rest)
            return (watcher, old)
        }
        _ = consume old
        guard let watcher else { return false }
        let wasLive = watcher.cancel()
        if let bus { announce(watcher, on: bus) }
        watcher.didCancel()
        return wasLive
    }

    /// Cancels the watches whose source or owner is gone.
    ///
    /// Looking at those takes and releases them, so no lock is held.
    private func sweep() {
        let all = state.withLock { Array($0.scoped.live) }
        for watcher in all where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.sweepAt = max(64, $0.scoped.liveCount * 2) }
    }

    override func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0[id] } }

    override func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    /// Returns the watchers of everything from an object, dead ones of an earlier object at its address included.
    func group(of source: AnyObject) -> WatcherList? {
        state.withLock { $0.bySource[ObjectIdentifier(source)] }
    }

    /// Returns the watchers of every source whose pattern meets the name, in the order of registration.
    func watchers(of name: String) -> [Watcher] {
        state.withLock { state in
            state.open.live.filter { $0.isLive && $0.details?.pattern?.matches(name) ?? false }
        }
    }

    var watchers: [Watcher] { state.withLock { Array($0.open.live) + Array($0.scoped.live) } }

    func close() {
        let (watchers, lists) = state.withLock { state in
            defer { state.bySource = [:] }
            return (state.open.removeAll() + state.scoped.removeAll(), Array(state.bySource.values))
        }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
        _ = consume lists
    }
}
