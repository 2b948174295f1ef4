/// A topic of a bus: its watchers and its properties.
struct TopicState: Sendable {
    let name: String
    /// The watchers of events from every source, those of matching patterns included.
    private(set) var watchers: WatcherList
    /// The watchers of events from one object that name the topic.
    private(set) var bySource: [ObjectIdentifier: SourceWatchers] = [:]
    /// The watchers of events from one object together with `watchers`, for the objects that have triggered an event since the last
    /// change: row "trigger to 100 watchers, half of the source, half of a pattern".
    private var merged: [ObjectIdentifier: WatcherList] = [:]
    var interceptors: [InterceptorEntry]
    var binding: TopicBinding?
    var isDeclared = false
    /// The watcher that answers requests.
    var responder: Watcher?
    var stored = StoredEvents()
    /// Runs the triggers of a topic that stores events one after the other.
    var runner: SerialRunner?
    /// The numbers of the watches that name the topic: all, those of events from every source, and of these the handlers.
    private var counts = (all: 0, open: 0, handlers: 0)

    init(name: String, watchers: WatcherList = WatcherList(), interceptors: [InterceptorEntry] = []) {
        self.name = name
        self.watchers = watchers
        self.interceptors = interceptors
    }

    mutating func insert(_ handler: EventHandler) {
        merged = [:]
        watchers.insert(handler)
    }

    mutating func insert(_ handler: EventHandler, _ source: AnyObject, _ addition: inout BusState.Addition) {
        merged = [:]
        bySource.add(handler, source, &addition)
    }

    mutating func remove(_ watcher: Watcher) -> EventHandler? {
        merged = [:]
        guard watcher.details?.pattern == nil, let source = watcher.details?.sourceID else {
            return watchers.remove(watcher)
        }
        return bySource.remove(watcher, source)
    }

    /// Returns the watchers of an event from an object.
    mutating func watchers(of source: AnyObject?) -> WatcherList {
        guard let source, !bySource.isEmpty else { return watchers }
        let id = ObjectIdentifier(source)
        // The group of an earlier object with the same address is not that of this one.
        guard let group = bySource[id], group.source.object === source else { return watchers }
        if let list = merged[id] { return list }
        let list = watchers.merged(with: group.list)
        merged[id] = list
        return list
    }

    /// Counts a watcher that names the topic and is added or removed.
    mutating func count(_ watcher: Watcher, _ change: Int) {
        counts.all += change
        guard watcher.details?.sourceID == nil, !watcher.isResponder else { return }
        counts.open += change
        if !watcher.isObserver { counts.handlers += change }
    }

    /// Returns what an event has besides its watchers; nil for most events.
    func special(_ core: TopicCore?, isObserved: Bool) -> BusState.Special? {
        var isMismatch = false
        if let payload = core?.payload, let bound = binding?.payload { isMismatch = bound != payload }
        guard isObserved || isMismatch || runner != nil || !interceptors.isEmpty else { return nil }
        return BusState.Special(
            interceptors: interceptors, runner: runner, isObserved: isObserved, isMismatch: isMismatch)
    }

    /// A topic whose events are being delivered is used, because its runner orders them.
    var isUnused: Bool {
        counts.all == 0 && !isDeclared && stored.events.isEmpty && (runner?.isIdle ?? true)
    }

    /// The kinds of watches without a source.
    var interest: Set<EventInterest.Kind> {
        var interest: Set<EventInterest.Kind> = []
        if counts.open > 0 { interest.insert(.events) }
        if counts.handlers > 0 { interest.insert(.handlers) }
        if responder != nil { interest.insert(.requests) }
        return interest
    }
}

/// The payload type of a topic, and the source location that bound it.
struct TopicBinding: Sendable {
    let payload: Any.Type
    let location: EventLocation

    func mismatch(_ name: String, _ found: Any.Type, _ location: EventLocation) -> EventBusError {
        EventBusError(
            .payloadMismatch, subject: name, expected: "payload \(payload)", found: "\(found)", location: location,
            otherLocation: self.location)
    }
}

/// The last events of a topic, for later watchers.
struct StoredEvents: Sendable {
    struct Stored: Sendable {
        let payload: any Sendable
        let sequence: UInt64
        let source: WeakObject
        let metadata: MetadataBox?
    }

    var limit = 0
    private(set) var events: [Stored] = []

    /// Adds an event; returns the removed events, which must be released outside the mutex.
    mutating func add(_ payload: any Sendable, _ call: TriggerCall, sequence: UInt64) -> [Stored] {
        events.append(
            Stored(payload: payload, sequence: sequence, source: WeakObject(call.source), metadata: call.metadata))
        guard events.count > limit else { return [] }
        defer { events.removeFirst(events.count - limit) }
        return Array(events.prefix(events.count - limit))
    }

    mutating func removeAll() -> [Stored] {
        defer { events = [] }
        return events
    }
}

extension [ObjectIdentifier: SourceWatchers] {
    /// Adds the handler of events from an object.
    mutating func add(_ handler: EventHandler, _ source: AnyObject, _ addition: inout BusState.Addition) {
        let id = ObjectIdentifier(source)
        if let group = self[id], group.source.object == nil {
            addition.ended += group.list.handlers
            self[id] = nil
        }
        self[id, default: SourceWatchers(source: WeakObject(source))].list.insert(handler)
    }

    mutating func remove(_ watcher: Watcher, _ source: ObjectIdentifier) -> EventHandler? {
        let handler = self[source]?.list.remove(watcher)
        if self[source]?.list.isEmpty == true { self[source] = nil }
        return handler
    }

    var handlers: [EventHandler] { values.flatMap { Array($0.list.handlers) } }
}
