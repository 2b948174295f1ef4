/// An event, as a watcher receives it.
public struct Signal<Payload: Sendable>: Sendable {
    /// The data of the event.
    public let payload: Payload
    @usableFromInline let context: SignalContext

    @inlinable
    init(_ payload: Payload, _ context: SignalContext) {
        self.payload = payload
        self.context = context
    }

    /// The name of the topic.
    public var name: String { context.name }

    /// The number of the trigger on its bus.
    ///
    /// The number increases with every delivered trigger. A gap indicates missed events only for a watcher of all
    /// events.
    public var sequence: UInt64 { context.sequence }

    /// The nesting depth of the trigger on the bus and its thread.
    package var depth: Int { Int(context.depth) }

    /// The origin of the event: time, part of the system, and the work that it belongs to; nil without metadata.
    public var metadata: EventMetadata? { context.metadata?.metadata }

    /// Returns whether the event comes from an object.
    public func isFrom(_ object: AnyObject) -> Bool { context.source.object === object }

    /// Returns the object from which the event comes, if it has this type.
    ///
    /// The type must be `Sendable`, because a watcher can run on any thread.
    public func source<Source: AnyObject & Sendable>(as type: Source.Type = Source.self) -> Source? {
        context.source.object as? Source
    }
}

/// An event without its payload.
@usableFromInline
struct SignalContext: Sendable {
    let name: String
    let sequence: UInt64
    let depth: UInt32
    let source: EventSource
    let metadata: MetadataBox?
}

/// The object from which an event comes.
struct EventSource: Sendable {
    // Safe because the object is only retained and compared, and returned only as a Sendable type.
    nonisolated(unsafe) let object: AnyObject?

    init(_ object: AnyObject?) { self.object = object }
}

/// An object that isn't retained, such as the owner or the source of a watch.
struct WeakObject: Sendable {
    // Safe because the object is only compared, and returned only as an EventSource.
    nonisolated(unsafe) weak let object: AnyObject?

    init(_ object: AnyObject?) { self.object = object }
}

/// A failure during the delivery of an event.
public struct EventFailure: Sendable {
    /// The error of the handler, or an ``EventBusError`` of the bus.
    public let error: any Error
    /// The name of the topic.
    public let name: String
    /// The number of the trigger; 0 if it was refused.
    package let sequence: UInt64
    /// The location of the watch whose handler threw.
    package let location: EventLocation?

    /// The location of the watch whose handler threw, such as `App/Login.swift:12`; nil if the bus refused the event.
    public var watcher: String? { location?.description }
}
