/// The part of a slot that its lock protects.
struct SlotState: Sendable {
    var watchers = WatcherRegistry()
    var binding: TopicBinding?
    /// The number of the watch that answers requests, which can have ended.
    var responderID: UInt64?
    var pins = 0
    /// The number of watchers at which ended watches are removed.
    var sweepAt = 64
    var stored = StoredEvents()
    var runner: SerialRunner?
    var interceptors: [InterceptorEntry] = []
    /// The watchers of matching patterns, in the order of registration.
    var patterns: [Watcher] = []
    var lists: WatcherLists?

    /// The watcher that answers requests.
    var responder: Watcher? { responderID.flatMap { watchers[$0] } }

    /// Returns the watchers in calling order; nil if there are none.
    func build() -> WatcherLists? {
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

/// The payload type of a topic, and the source location that bound it.
struct TopicBinding: Sendable {
    let payload: Any.Type
    let location: EventLocation
}
