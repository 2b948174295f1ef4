internal import AshlarCore
import Synchronization

/// The watchers of a bus that belong to no single topic: those of a pattern, and those of everything from one object.
///
/// Watchers of a pattern are merged into the snapshot of each topic that it matches. Watchers with a source stay here
/// and are looked up by it, because a bus may have as many of them as the app has objects.
final class WideWatchers: WatchHost, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State: Sendable {
        /// The watchers of every source.
        var open = WatcherRegistry()
        /// The watchers of one source, in lists by it.
        var scoped = WatcherRegistry()
        var bySource: [ObjectIdentifier: SourceGroup] = [:]
        var patterns = PatternTrie()
        /// The number of watchers with a source at which dead ones are removed.
        var sweepAt = 64

        subscript(id: UInt64) -> Watcher? { open[id] ?? scoped[id] }
    }

    /// The watchers of one source, and their list once a trigger has asked for it.
    private struct SourceGroup: Sendable {
        var watchers = WatcherRegistry()
        var list: WatcherList?
    }

    init(bus: EventBus) { super.init(watched: "**", bus: bus) }

    /// Adds the watcher that `make` returns for its number.
    ///
    /// - Complexity: O(*n*) in the number of topics for a pattern; otherwise in the watches of the same source.
    ///
    /// The watcher receives the stored events of all matching topics before this returns.
    func add(_ options: WatchOptions, on bus: EventBus, _ make: (_ id: UInt64) -> Watcher) -> Watch {
        let mustReplay = bus.keepsEvents.load(ordering: .sequentiallyConsistent)
        let (watcher, old, mustSweep) = state.withLock { state -> (Watcher, WatcherList?, Bool) in
            var watcher = make(bus.nextWatchID())
            if mustReplay, let inner = watcher as? TypedWatcher<any Sendable> {
                watcher = ReplayingWatcher(options, inner: inner, bus: bus)
            }
            guard let source = watcher.details?.sourceID else {
                state.open.append(watcher)
                if let pattern = watcher.details?.pattern { state.patterns.insert(watcher, pattern) }
                return (watcher, nil, false)
            }
            state.scoped.append(watcher)
            let old = state.bySource[source]?.list
            state.bySource[source, default: SourceGroup()].watchers.append(watcher)
            state.bySource[source]?.list = nil
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

    /// Has the topics that a pattern matches build their snapshots again.
    ///
    /// A topic that is being made at the moment asks for the patterns afterwards, so it misses none.
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
            if let watcher = state.open.remove(id) {
                if let pattern = watcher.details?.pattern { state.patterns.remove(id, pattern) }
                return (watcher, nil)
            }
            guard let watcher = state.scoped.remove(id), let source = watcher.details?.sourceID else {
                return (nil, nil)
            }
            let old = state.bySource[source]?.list
            _ = state.bySource[source]?.watchers.remove(id)
            state.bySource[source]?.list = nil
            if state.bySource[source]?.watchers.liveCount == 0 { state.bySource[source] = nil }
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
        state.withLock { state in
            let source = ObjectIdentifier(source)
            guard let group = state.bySource[source] else { return nil }
            if let list = group.list { return list }
            let list = WatcherList(group.watchers.live.sorted { $0.precedes($1) })
            state.bySource[source]?.list = list
            return list
        }
    }

    /// Returns the watchers of every source whose pattern matches the name, in the order of registration.
    func watchers(of name: String) -> [Watcher] {
        state.withLock { $0.patterns.watchers(of: name) }.filter(\.isLive).sorted { $0.id < $1.id }
    }

    var watchers: [Watcher] { state.withLock { Array($0.open.live) + Array($0.scoped.live) } }

    func close() {
        let (watchers, lists) = state.withLock { state in
            defer { state.bySource = [:] }
            state.patterns = PatternTrie()
            return (state.open.removeAll() + state.scoped.removeAll(), state.bySource.values.map(\.list))
        }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
        _ = consume lists
    }
}
