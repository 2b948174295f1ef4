extension EventBus {
    /// Triggers an event and waits until every watcher with a suspending buffer has room for it.
    ///
    /// Inline handlers run before the method waits. Waiting senders get room in the order of their arrival. If the bus
    /// or the topic queues the whole event, the method first waits for its delivery. If the task is cancelled while it
    /// waits, the event is dropped for the watchers without room and counted as dropped.
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
        // During the wait, a delivery on another thread can add more.
        while let wait = sending.next() {
            switch await wait() {
            case true?: queued += 1
            case false?: dropped += 1
            case nil: break
            }
        }
        return result.adding(queued: queued, dropped: dropped)
    }

    /// Sends an event whose type has a topic.
    @discardableResult
    public func send<E: Event>(
        _ event: E, from source: (any AnyObject & Sendable)? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) async -> DeliveryResult {
        await send(E.topic, event, from: source, isolation: isolation, fileID: fileID, line: line, column: column)
    }
}
