import Synchronization

/// The watchers of a bus that belong to no single topic: those of a pattern, and those of everything from one object.
///
/// Watchers of a pattern are merged into the snapshot of each topic that it meets. Watchers with a source stay here
/// and are looked up by it, because a bus may have as many of them as the app has objects.
final class WideWatchers: WatchHost, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State {
        var watchers = WatcherRegistry()
        var bySource: [ObjectIdentifier: WatcherList] = [:]
    }

    init(bus: EventBus) {
        super.init(watched: "**", bus: bus)
    }

    /// Adds the watcher that `make` returns for its number.
    func add(on bus: EventBus, _ make: (_ id: UInt64) -> Watcher) -> Watch {
        let (watcher, old) = state.withLock { state -> (Watcher, WatcherList?) in
            let watcher = make(bus.nextWatchID())
            state.watchers.append(watcher)
            let source = watcher.details?.sourceID
            return (watcher, source.flatMap { regroup($0, &state) })
        }
        _ = consume old
        if watcher.details?.sourceID != nil {
            bus.raise(.sourced)
        } else {
            bus.hasPatterns.store(true, ordering: .sequentiallyConsistent)
            announce(watcher, on: bus)
        }
        return Watch(host: self, id: watcher.id, source: watcher.details?.sourceID)
    }

    /// Has the topics that a pattern meets build their snapshots again.
    ///
    /// A topic that is being made at this moment asks for the patterns afterwards, so it misses none.
    private func announce(_ watcher: Watcher, on bus: EventBus) {
        guard watcher.details?.sourceID == nil, let pattern = watcher.details?.pattern else { return }
        for slot in bus.slots.all where pattern.matches(slot.name) { slot.invalidate(.watched) }
    }

    override func cancel(_ id: UInt64) -> Bool {
        let (watcher, old) = state.withLock { state -> (Watcher?, WatcherList?) in
            let watcher = state.watchers.remove(id)
            return (watcher, watcher?.details?.sourceID.flatMap { regroup($0, &state) })
        }
        _ = consume old
        guard let watcher else { return false }
        let wasLive = watcher.cancel()
        if let bus { announce(watcher, on: bus) }
        watcher.didCancel()
        return wasLive
    }

    override func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.watchers[id] } }

    override func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    /// Returns the watchers of everything from an object, dead ones of an earlier object at its address included.
    func group(of source: AnyObject) -> WatcherList? {
        state.withLock { $0.bySource[ObjectIdentifier(source)] }
    }

    /// Returns the watchers of every source whose pattern meets the name, in no particular order.
    func watchers(of name: String) -> [Watcher] {
        state.withLock { state in
            state.watchers.live.filter { watcher in
                guard let details = watcher.details, details.sourceID == nil, watcher.isLive else { return false }
                return details.pattern?.matches(name) ?? false
            }
        }
    }

    var watchers: [Watcher] { state.withLock { Array($0.watchers.live) } }

    func close() {
        let (watchers, lists) = state.withLock { state in
            defer { state.bySource = [:] }
            return (state.watchers.removeAll(), Array(state.bySource.values))
        }
        for watcher in watchers where watcher.cancel() { watcher.didCancel() }
        _ = consume lists
    }

    /// Builds the list of one source again; returns the old one for the caller to release.
    private func regroup(_ source: ObjectIdentifier, _ state: inout sending State) -> WatcherList? {
        let group = state.watchers.live.filter { $0.details?.sourceID == source }.sorted { $0.precedes($1) }
        let old = state.bySource[source]
        state.bySource[source] = group.isEmpty ? nil : WatcherList(group)
        return old
    }
}
