extension EventBus {
    /// Triggers an event and waits until every watcher with a buffer that suspends has room for it.
    ///
    /// Inline handlers run before anything is waited for. Waiting senders are let in in order of arrival.
    /// Where the bus or the topic queues the event as a whole, its delivery is waited for first.
    /// If the task is cancelled while it waits, the event is dropped where there was no room yet, and counted as
    /// dropped.
    @discardableResult
    public func send<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: (any AnyObject & Sendable)? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) async -> DeliveryResult {
        let sending = PendingSends()
        var call = TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column)
        call.sending = sending
        let result = resolveAndDeliver(topic.core, payload, call)
        var (queued, dropped) = (0, 0)
        // While one is waited for, a delivery under way elsewhere may add more.
        while let wait = sending.next() {
            switch await wait() {
            case true?: queued += 1
            case false?: dropped += 1
            case nil: break
            }
        }
        return result.adding(queued: queued, dropped: dropped)
    }

    /// Sends an event whose type is its topic.
    @discardableResult
    public func send<E: Event>(
        _ event: E, from source: (any AnyObject & Sendable)? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) async -> DeliveryResult {
        await send(E.topic, event, from: source, isolation: isolation, fileID: fileID, line: line, column: column)
    }
}
