internal import AshlarCore

extension EventBus {
    /// Triggers an event: runs the inline handlers, and queues the event for the other watchers.
    ///
    /// The source is the object from which the event comes, for watchers of that object. The result contains the number
    /// of deliveries and the errors of handlers. If the name is bound to another payload type, the result contains an
    /// error with the code `payloadMismatch`.
    ///
    /// - Complexity: O(*n*) in the number of watchers of the topic, without watchers of other sources.
    @inlinable
    @discardableResult
    public func trigger<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        send(
            topic, from: source, isolation: isolation, fileID, line, payload: { payload },
            call: { callHandlers(&$0, payload) })
    }

    /// Triggers an event without data.
    @discardableResult
    public func trigger(
        _ topic: Topic<Void>, from source: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        trigger(topic, (), from: source, isolation: isolation, fileID: fileID, line: line)
    }

    /// Triggers an event whose type has a topic.
    @discardableResult
    public func trigger<E: Event>(
        _ event: E, from source: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        trigger(E.topic, event, from: source, isolation: isolation, fileID: fileID, line: line)
    }

    /// Triggers an event with a literal name, with or without data.
    ///
    /// A name without a topic is untyped: every watcher of the name receives the event if its payload type matches. For
    /// watchers with another type, the result contains an error with the code `payloadMismatch`. A malformed name is
    /// also an error in the result.
    @discardableResult
    public func trigger<Payload: Sendable>(
        _ name: StaticString, _ payload: Payload = (), from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        let name = name.description
        if let mistake = TopicName.mistake(in: name) { return refuse(mistake) }
        return trigger(checked: name, payload, from: source, isolation, TriggerPlace(fileID, line))
    }

    /// Triggers an event with a name known at run time, with or without data.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    @discardableResult
    public func trigger<Payload: Sendable>(
        named name: String, _ payload: Payload = (), from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) throws(EventBusError) -> DeliveryResult {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        return trigger(checked: name, payload, from: source, isolation, TriggerPlace(fileID, line))
    }

    private func trigger<Payload: Sendable>(
        checked name: String, _ payload: Payload, from source: AnyObject?, _ isolation: (any Actor)?,
        _ place: TriggerPlace
    ) -> DeliveryResult {
        begin(
            name, nil, from: source, isolation, place, payload: { payload },
            call: { callHandlers(&$0, payload) })
    }

    /// Triggers an event of a topic.
    @usableFromInline
    func send<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject?, isolation: (any Actor)?, _ fileID: StaticString,
        _ line: UInt32,
        payload: () -> any Sendable, call: (inout RunningDelivery) -> Void
    ) -> DeliveryResult {
        begin(
            topic.core.name, topic.core, from: source, isolation, TriggerPlace(fileID, line), payload: payload,
            call: call)
    }

    /// Triggers an event and waits until every watcher with a suspending buffer has room for it.
    ///
    /// Inline handlers run before the method waits. Waiting senders get room in the order of their arrival. If the bus
    /// or the topic queues the whole event, the method first waits for its delivery. If the task is cancelled while it
    /// waits, the event is dropped for the watchers without room and counted as dropped.
    ///
    /// With `awaitingHandlers`, the method also waits for the handlers that run later, on an actor or in a task. The
    /// result then contains them as delivered, with their errors; the reader of a stream has handled an event when it
    /// receives it. A bridge acknowledges a message after that. A handler that waits for the same queue deadlocks.
    @discardableResult
    public func send<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: (any AnyObject & Sendable)? = nil,
        awaitingHandlers: Bool = false, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt32 = #line
    ) async -> DeliveryResult {
        let sending = PendingSends(awaitsHandlers: awaitingHandlers)
        let place = TriggerPlace(fileID, line)
        let result = beginSend(payload, topic.core, from: source, isolation: isolation, place: place, sending)
        return await sending.complete(result)
    }

    /// Triggers an event for a sender that waits.
    func beginSend<Payload: Sendable>(
        _ payload: Payload, _ core: TopicCore, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace,
        _ sending: PendingSends
    ) -> DeliveryResult {
        precondition(core.pattern == nil, "the pattern \(core.name) isn't a topic")
        return begin(
            core.name, core, from: source, isolation, place, sending, payload: { payload },
            call: { callHandlers(&$0, payload) })
    }
}
