internal import AshlarCore

/// The watchers of a bus that don't belong to a single topic: watchers of patterns, and of all events from one object.
///
/// A topic joins the patterns that match its name at its next trigger. Watchers with a source are stored here and found
/// by the source, because a bus can have as many of them as the app has objects.
final class WideWatchers: WatchHost {
    private let state = Mutex(State())
    private let known: DepartingWatchers

    init(departing: DepartingWatchers) { known = departing }

    var departing: DepartingWatchers? { known }

    private struct State: Sendable {
        /// The watchers without a source.
        var open = WatcherRegistry()
        /// The watchers with a source, in lists by source.
        var scoped = WatcherRegistry()
        var bySource: [ObjectIdentifier: SourceGroup] = [:]
        var patterns = PatternTrie()
        /// The topics that have joined each watcher of `open`.
        var joined: [UInt64: [ObjectIdentifier: TopicSlot]] = [:]
        /// The number of watchers with a source at which ended watches are removed.
        var sweepAt = 64

        subscript(id: UInt64) -> Watcher? { open[id] ?? scoped[id] }
    }

    /// The watchers of one source, and their list after a trigger requested it.
    private struct SourceGroup: Sendable {
        var watchers = WatcherRegistry()
        var list: WatcherList?
    }

    var watched: String { "**" }

    func belongs(to owner: AnyObject) -> Bool { (owner as? EventBus)?.wide === self }

    /// Adds the watcher that `make` returns for its number.
    ///
    /// - Complexity: O(*n*) in the number of topics that store events.
    func add(
        _ options: WatchOptions, on bus: EventBus, _ make: (_ id: UInt64) -> TypedWatcher<any Sendable>
    ) -> Watch {
        // During this time, no topic starts to store events.
        let (watcher, storing, mustSweep) = bus.storing.withLock { storing in
            let watcher = make(bus.nextWatchID())
            let topics = storing.values.filter { watcher.details?.pattern?.matches($0.name) ?? true }
            for topic in topics { watcher.beginJoining(topic) }
            return (watcher, topics, insert(watcher))
        }
        if mustSweep { sweep() }
        if watcher.details?.sourceID == nil {
            bus.raise(.patterned)
            bus.outdateSlots()
        } else {
            bus.raise(.sourced)
        }
        let watch = Watch(host: self, id: watcher.id, source: watcher.details?.sourceID)
        options.bag?.insert(watch)
        let turns = storing.map { (topic: $0, oldest: $0.oldestStored ?? .max) }
        for (topic, _) in turns.sorted(by: { $0.oldest < $1.oldest }) { topic.join(watcher, on: bus) }
        return watch
    }

    /// Adds a watcher; returns whether ended watches should be removed.
    private func insert(_ watcher: Watcher) -> Bool {
        let (mustSweep, old) = state.withLock { state -> (Bool, WatcherList?) in
            guard let source = watcher.details?.sourceID else {
                state.open.append(watcher)
                state.patterns.insert(watcher, watcher.details?.pattern)
                return (false, nil)
            }
            state.scoped.append(watcher)
            let old = state.bySource[source]?.list
            state.bySource[source, default: SourceGroup()].watchers.append(watcher)
            state.bySource[source]?.list = nil
            let mustSweep = state.scoped.liveCount >= state.sweepAt
            if mustSweep { state.sweepAt = state.scoped.liveCount * 2 }
            return (mustSweep, old)
        }
        _ = consume old
        return mustSweep
    }

    /// Returns the watchers of patterns that match a topic, in the order of registration, and records the topic for
    /// them.
    func join(_ topic: TopicSlot) -> [Watcher] {
        state.withLock { state in
            let watchers = state.patterns.watchers(of: topic.name).sorted { $0.id < $1.id }
            for watcher in watchers { state.joined[watcher.id, default: [:]][ObjectIdentifier(topic)] = topic }
            return watchers
        }
    }

    /// Removes a topic that has left its bus from the watchers that it joined.
    func leave(_ topic: TopicSlot, _ watchers: [Watcher]) {
        state.withLock { state in
            for watcher in watchers { state.joined[watcher.id]?[ObjectIdentifier(topic)] = nil }
        }
    }

    /// Cancels a watch.
    ///
    /// - Complexity: O(*n*) in the number of topics that have joined it.
    func cancel(_ id: UInt64) -> Bool {
        // One value, so that no constant retains the watcher below.
        var gone = state.withLock { state -> (watcher: Watcher?, topics: [TopicSlot], list: WatcherList?) in
            if let watcher = state.open.remove(id) {
                state.patterns.remove(id, watcher.details?.pattern)
                if state.patterns.isSparse {
                    state.patterns = PatternTrie()
                    for watcher in state.open.live { state.patterns.insert(watcher, watcher.details?.pattern) }
                }
                return (watcher, Array((state.joined.removeValue(forKey: id) ?? [:]).values), nil)
            }
            guard let watcher = state.scoped.remove(id), let source = watcher.details?.sourceID else {
                return (nil, [], nil)
            }
            let old = state.bySource[source]?.list
            _ = state.bySource[source]?.watchers.remove(id)
            state.bySource[source]?.list = nil
            if state.bySource[source]?.watchers.liveCount == 0 { state.bySource[source] = nil }
            return (watcher, [], old)
        }
        gone.list = nil
        guard let wasLive = gone.watcher?.cancel() else { return false }
        for topic in gone.topics { topic.leave(id) }
        gone.watcher?.didCancel()
        if !isKnownUniquelyReferenced(&gone.watcher), let watcher = gone.watcher { known.note(watcher) }
        return wasLive
    }

    /// Cancels the watches whose source or owner has been released.
    ///
    /// Checking an object retains and releases it, so no lock of this object is held.
    private func sweep() {
        let all = state.withLock { Array($0.scoped.live) }
        for watcher in all where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.sweepAt = max(64, $0.scoped.liveCount * 2) }
    }

    func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0[id] } }

    func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    /// Returns the watchers of all events from an object, including ended ones of an earlier object at its address.
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

    var patternNodeCount: Int { state.withLock { $0.patterns.nodeCount } }

    var watchers: [Watcher] { state.withLock { Array($0.open.live) + Array($0.scoped.live) } }

    func close() {
        let (watchers, lists) = state.withLock { state in
            defer { (state.bySource, state.joined) = ([:], [:]) }
            state.patterns = PatternTrie()
            return (state.open.removeAll() + state.scoped.removeAll(), state.bySource.values.map(\.list))
        }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
        _ = consume lists
    }
}
