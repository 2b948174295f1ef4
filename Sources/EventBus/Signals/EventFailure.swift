/// A failure during the delivery of an event.
public struct EventFailure: Sendable {
    /// The error of the handler, or an ``EventBusError`` of the bus.
    public let error: any Error
    /// The name of the topic.
    public let name: String
    /// The number of the trigger; 0 if it was refused.
    public let sequence: UInt64
    /// The location of the watch whose handler threw; nil if the bus refused the event.
    public let watcher: EventLocation?
}
