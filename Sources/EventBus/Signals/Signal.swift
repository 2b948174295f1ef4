/// One triggered event, as a watcher receives it.
public struct Signal<Payload: Sendable>: Sendable {
    /// The name of the topic.
    public let name: String
    /// The data that the event was triggered with.
    public let payload: Payload
    /// The number of the trigger on its bus: it grows with every delivered trigger, so a gap shows missed events
    /// only to a watcher of everything.
    public let sequence: UInt64
    /// The depth of the trigger inside other triggers of the bus, on its thread.
    public let depth: Int
    @usableFromInline let eventSource: EventSource

    @inlinable
    init(name: String, payload: Payload, sequence: UInt64, depth: Int, object: AnyObject?) {
        (self.name, self.payload, self.sequence) = (name, payload, sequence)
        (self.depth, eventSource) = (depth, EventSource(object))
    }

    @usableFromInline var object: AnyObject? { eventSource.object }

    /// The identity of the object that the event comes from, if one was given.
    public var sourceID: ObjectIdentifier? { object.map { ObjectIdentifier($0) } }

    /// Returns whether the event comes from this object.
    public func isFrom(_ object: AnyObject) -> Bool { self.object === object }

    /// Returns the object that the event comes from, if it is of this type.
    ///
    /// The type must be `Sendable`, since a watcher may run on any thread.
    public func source<Source: AnyObject & Sendable>(as type: Source.Type = Source.self) -> Source? {
        object as? Source
    }

    /// The same event with its payload as any value, which is how watchers of patterns and bare names see it.
    @usableFromInline var erased: Signal<any Sendable> {
        Signal<any Sendable>(name: name, payload: payload, sequence: sequence, depth: depth, object: object)
    }
}
