extension EventBus {
    /// Sets the hook called after each trigger's inline handlers: a trace of the bus.
    ///
    /// A bus without a tap has no extra cost. Triggers of the tap itself aren't traced. The tap replaces the one
    /// before it; nil removes it.
    public func tap(_ tap: (@Sendable (EventTrace) -> Void)?) {
        setTapHook(tap)
        if tap != nil { raise(.tapped) } else { lower(.tapped) }
    }
}

/// A trace of one trigger.
public struct EventTrace: Sendable, CustomStringConvertible {
    /// The name of the topic.
    public let name: String
    /// The source line of the trigger.
    public let location: EventLocation
    /// The depth of the trigger inside others on the bus.
    public let depth: Int
    /// Its number on the bus; 0 if nobody watched.
    public let sequence: UInt64
    /// The number of handlers that have run.
    public let delivered: Int
    /// The number of watchers that receive it later.
    public let queued: Int
    /// The number of events dropped for lack of room.
    public let dropped: Int
    /// The number of handlers that have thrown.
    public let failed: Int
    /// How long the trigger took, its inline handlers included.
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
