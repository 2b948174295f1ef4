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
    /// The result of the trigger.
    public let result: DeliveryResult
    /// The duration of the trigger, including its inline handlers.
    public let duration: Duration

    /// The trace in one line, indented by its depth.
    public var description: String {
        let indent = String(repeating: "  ", count: depth)
        var text = "\(indent)\(name) #\(result.sequence) (\(location)) delivered \(result.delivered)"
        if result.queued > 0 { text += ", queued \(result.queued)" }
        if result.dropped > 0 { text += ", dropped \(result.dropped)" }
        if !result.failures.isEmpty { text += ", failed \(result.failures.count)" }
        return text + " in \(duration)"
    }
}
