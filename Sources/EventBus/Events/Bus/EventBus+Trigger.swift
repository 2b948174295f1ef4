public import Synchronization

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
        let place = TriggerPlace(fileID, line)
        // The bus retains every entry that a topic caches, so this method doesn't.
        if topic.core.cachedBus.load(ordering: .acquiring) == number,
            let entry = topic.core.cached.load(ordering: .relaxed)
        {
            return entry._withUnsafeGuaranteedRef {
                send(payload, to: $0, from: source, isolation: isolation, place: place)
            }
        }
        return resolveAndSend(payload, topic.core, from: source, isolation: isolation, place: place)
    }

    /// Triggers an event without data.
    @inlinable
    @discardableResult
    public func trigger(
        _ topic: Topic<Void>, from source: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        trigger(topic, (), from: source, isolation: isolation, fileID: fileID, line: line)
    }

    /// Triggers an event whose type has a topic.
    @inlinable
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
    @inlinable
    @discardableResult
    public func trigger<Payload: Sendable>(
        _ name: StaticString, _ payload: Payload = (), from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> DeliveryResult {
        let place = TriggerPlace(fileID, line)
        if let topic = topic(ifKnown: name) {
            return send(payload, to: topic, from: source, isolation: isolation, place: place)
        }
        if isUnheard(name) { return DeliveryResult() }
        return sendToUnknown(payload, name, from: source, isolation: isolation, place: place)
    }

    /// Triggers an event with a name known at run time, with or without data.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    @discardableResult
    public func trigger<Payload: Sendable>(
        named name: String, _ payload: Payload = (), from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line
    ) throws(EventBusError) -> DeliveryResult {
        let place = TriggerPlace(fileID, line)
        if let topic = topic(ifKnown: name) {
            return send(payload, to: topic, from: source, isolation: isolation, place: place)
        }
        return try sendToUnknown(payload, name: name, from: source, isolation: isolation, place: place)
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
        var call = TriggerCall(source: source, isolation: isolation, place: place)
        call.sending = sending
        return refusing { () throws(EventBusError) in
            passStages(payload, to: try declare(core, Payload.self, at: call.location), call)
        }
    }

    /// Returns a result, or that of a refused event.
    private func refusing(_ body: () throws(EventBusError) -> DeliveryResult) -> DeliveryResult {
        do throws(EventBusError) { return try body() } catch { return refuse(error) }
    }

    // MARK: From a name to its entry

    /// Sends an event of a topic that doesn't cache its entry on this bus.
    @usableFromInline
    @inline(never)
    func resolveAndSend<Payload: Sendable>(
        _ payload: Payload, _ core: TopicCore, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace
    ) -> DeliveryResult {
        refusing { () throws(EventBusError) in
            let topic = try declare(core, Payload.self, at: place.location)
            return send(payload, to: topic, from: source, isolation: isolation, place: place)
        }
    }

    /// Returns the entry of a literal name, if there is one.
    @usableFromInline
    func topic(ifKnown name: StaticString) -> TopicEntry? {
        name.withUTF8Buffer { topic(ifKnown: $0) }
    }

    /// Returns whether nobody receives events of a well-formed name without an entry.
    @usableFromInline
    func isUnheard(_ name: StaticString) -> Bool {
        features.load(ordering: .relaxed) == 0 && name.withUTF8Buffer { TopicName.isWellFormed($0) }
    }

    @usableFromInline
    @inline(never)
    func sendToUnknown<Payload: Sendable>(
        _ payload: Payload, _ name: StaticString, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace
    ) -> DeliveryResult {
        refusing { () throws(EventBusError) in
            try sendToUnknown(payload, name: name.description, from: source, isolation: isolation, place: place)
        }
    }

    /// Sends an event of a name without an entry, which only watchers of patterns or objects and hooks can receive.
    private func sendToUnknown<Payload: Sendable>(
        _ payload: Payload, name: String, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace
    ) throws(EventBusError) -> DeliveryResult {
        if let mistake = TopicName.mistake(in: name) { throw mistake }
        if features.load(ordering: .relaxed) == 0 { return DeliveryResult() }
        let topic = topic(name)
        defer { removeIfUnused(topic) }
        return send(payload, to: topic, from: source, isolation: isolation, place: place)
    }
}
