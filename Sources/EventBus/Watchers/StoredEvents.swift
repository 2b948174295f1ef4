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

    /// Adds an event; returns the removed events, which must be released outside the lock.
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
