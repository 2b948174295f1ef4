internal import AshlarCore

/// The watchers of a bus that don't belong to a single topic: watchers of patterns, and of all events from one object.
///
/// A topic joins the patterns that match its name at its next trigger. Watchers with a source are stored here and found
/// by the source, because a bus can have as many of them as the app has objects.
final class PatternWatchers: WatchHost {
    private let state = Mutex(State())
    private let interest: InterestObservers

    init(_ interest: InterestObservers) { self.interest = interest }

    private struct State: Sendable {
        /// The watchers without a source, and their patterns.
        var open = WatcherRegistry()
        var patterns = PatternTrie()
        /// The topics that have joined each watcher of `open`.
        var joined: [UInt64: [ObjectIdentifier: TopicEntry]] = [:]
        /// The watchers with a source, and all of them by source.
        var scoped = WatcherRegistry()
        var bySource: [ObjectIdentifier: WatcherRegistry] = [:]

        /// Removes a watcher; returns it and the topics that have joined it.
        mutating func remove(_ id: UInt64) -> (watcher: Watcher?, topics: [TopicEntry]) {
            if let watcher = scoped.remove(id) {
                guard let source = watcher.details?.sourceID else { return (watcher, []) }
                _ = bySource[source]?.remove(id)
                if bySource[source]?.liveCount == 0 { bySource[source] = nil }
                return (watcher, [])
            }
            guard let watcher = open.remove(id) else { return (nil, []) }
            patterns.remove(id, watcher.details?.pattern)
            if patterns.isSparse {
                patterns = PatternTrie()
                for watcher in open.live { patterns.insert(watcher, watcher.details?.pattern) }
            }
            return (watcher, Array((joined.removeValue(forKey: id) ?? [:]).values))
        }
    }

    var watched: String { "**" }

    func belongs(to owner: AnyObject) -> Bool { (owner as? EventBus)?.patterns === self }

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
        if watcher.details?.sourceID == nil { bus.didChangePatterns() } else { bus.insert(.sourced) }
        let watch = Watch(watcher, of: self)
        options.bag?.insert(watch)
        let oldest = storing.map { (topic: $0, number: $0.oldestStored ?? .max) }
        for (topic, _) in oldest.sorted(by: { $0.number < $1.number }) { topic.deliverStored(to: watcher, on: bus) }
        if let pattern = options.details?.pattern { interest.check(pattern.description) }
        return watch
    }

    /// Adds a watcher; returns whether ended watches should be removed.
    private func insert(_ watcher: Watcher) -> Bool {
        state.withLock { state in
            guard let source = watcher.details?.sourceID else {
                _ = state.open.append(watcher)
                state.patterns.insert(watcher, watcher.details?.pattern)
                return false
            }
            _ = state.bySource[source, default: WatcherRegistry()].append(watcher)
            return state.scoped.append(watcher)
        }
    }

    /// Returns the watchers of patterns that match a topic, in the order of registration.
    ///
    /// A topic that joins a watcher is recorded, so that the cancelled watcher is removed from it.
    func watchers(of topic: TopicEntry, isJoining: Bool) -> [Watcher] {
        state.withLock { state in
            let watchers = state.patterns.watchers(of: topic.name).sorted { $0.id < $1.id }
            guard isJoining else { return watchers }
            for watcher in watchers { state.joined[watcher.id, default: [:]][ObjectIdentifier(topic)] = topic }
            return watchers
        }
    }

    /// Removes a topic that has left its bus from the watchers that it joined.
    func forget(_ topic: TopicEntry, _ watchers: [Watcher]) {
        state.withLock { state in
            for watcher in watchers { state.joined[watcher.id]?[ObjectIdentifier(topic)] = nil }
        }
    }

    /// Returns the watchers of events of a topic from an object.
    ///
    /// They can include ended watchers of an earlier object with the same address.
    func watchers(of source: AnyObject, topic: String) -> [Watcher] {
        let all = state.withLock { $0.bySource[ObjectIdentifier(source)] }
        return all?.live.filter { $0.details?.pattern?.matches(topic) ?? true } ?? []
    }

    /// Cancels a watch.
    ///
    /// - Complexity: O(*n*) in the number of topics that have joined it.
    func cancel(_ id: UInt64) -> Bool {
        let (watcher, topics) = state.withLock { $0.remove(id) }
        // Marked first, so that no trigger calls it while the topics remove it.
        let wasLive = watcher?.cancel() ?? false
        for topic in topics { topic.removePatternWatcher(id) }
        if let pattern = watcher?.details?.pattern { interest.check(pattern.description) }
        return wasLive
    }

    /// Returns whether a pattern has a watcher without a source.
    func isWatched(_ pattern: TopicPattern) -> Bool { state.withLock { $0.patterns.isWatched(pattern) } }

    /// Cancels the watches whose source or owner has been released.
    ///
    /// Checking an object retains and releases it, so no lock of this object is held.
    private func sweep() {
        let all = state.withLock { Array($0.scoped.live) }
        for watcher in all where watcher.isOrphan { _ = cancel(watcher.id) }
        state.withLock { $0.scoped.didSweep() }
    }

    var nodeCount: Int { state.withLock { $0.patterns.nodeCount } }

    var watchers: [Watcher] { state.withLock { Array($0.open.live) + Array($0.scoped.live) } }

    func close() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        for watcher in Array(old.open.live) + Array(old.scoped.live) { _ = watcher.cancel() }
    }
}
