extension EventBus {
    /// Sets what is told of every trigger after its inline handlers have run: a trace of the bus.
    ///
    /// A bus without a tap pays nothing for it. What the tap itself triggers is not told. The tap replaces the one
    /// before it; nil takes it away.
    public func tap(_ tap: (@Sendable (EventTrace) -> Void)?) {
        setTapHook(tap)
        if tap != nil { raise(.tapped) } else { lower(.tapped) }
    }
}

/// What the tap of a bus is told of one trigger.
public struct EventTrace: Sendable, CustomStringConvertible {
    /// The name of the topic.
    public let name: String
    /// The source line of the trigger.
    public let location: EventLocation
    /// How many triggers it was inside of.
    public let depth: Int
    /// Its number on the bus; 0 if nobody watched.
    public let sequence: UInt64
    /// How many handlers have run.
    public let delivered: Int
    /// How many watchers get it later.
    public let queued: Int
    /// How many events were thrown away for want of room.
    public let dropped: Int
    /// How many handlers have thrown.
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
