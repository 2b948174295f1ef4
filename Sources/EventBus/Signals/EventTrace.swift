/// A trace of one trigger.
public struct EventTrace: Sendable, CustomStringConvertible {
    /// The name of the topic.
    public let name: String
    /// The source line of the trigger.
    public let location: EventLocation
    /// The origin of the event.
    public let metadata: EventMetadata?
    /// The nesting depth of the trigger on the bus.
    public let depth: Int
    /// The number of the event on the bus; 0 if there was no watcher.
    public let sequence: UInt64
    /// The number of handlers that ran.
    public let delivered: Int
    /// The number of watchers that receive the event later.
    public let queued: Int
    /// The number of events that were dropped because a mailbox was full.
    public let dropped: Int
    /// The number of handlers that threw.
    public let failed: Int
    /// The duration of the trigger, including its inline handlers.
    public let duration: Duration

    /// The trace in one line, indented by its depth.
    public var description: String {
        let indent = String(repeating: "  ", count: depth)
        var text = "\(indent)\(name) #\(sequence) (\(location)) delivered \(delivered)"
        if queued > 0 { text += ", queued \(queued)" }
        if dropped > 0 { text += ", dropped \(dropped)" }
        if failed > 0 { text += ", failed \(failed)" }
        return text + " in \(duration)"
    }
}
