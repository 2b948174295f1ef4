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
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) -> DeliveryResult {
        // The topic retains every slot that it caches, so this method doesn't.
        if let slot = topic.core.cached.load(ordering: .acquiring) {
            let word = word.load(ordering: .acquiring)
            let found = slot._withUnsafeGuaranteedRef { $0.word.load(ordering: .acquiring) }
            if found == word { return DeliveryResult() }
            if found & SlotWord.notDiverting == word | SlotWord.watchedBit {
                let result = slot._withUnsafeGuaranteedRef {
                    deliverPlainly($0, payload, from: source, isolation: isolation)
                }
                if let result { return result }
            }
            if (found ^ word) & SlotWord.bus == 0 {
                // The call is created inside the closure, because capturing it would copy it.
                return slot._withUnsafeGuaranteedRef {
                    deliver(
                        $0, payload,
                        TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column),
                        isTyped: true)
                }
            }
        }
        return resolveAndDeliver(
            topic.core, payload,
            TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column))
    }

    /// Triggers an event without data.
    @inlinable
    @discardableResult
    public func trigger(
        _ topic: Topic<Void>, from source: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) -> DeliveryResult {
        trigger(topic, (), from: source, isolation: isolation, fileID: fileID, line: line, column: column)
    }

    /// Triggers an event whose type has a topic.
    @inlinable
    @discardableResult
    public func trigger<E: Event>(
        _ event: E, from source: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) -> DeliveryResult {
        trigger(E.topic, event, from: source, isolation: isolation, fileID: fileID, line: line, column: column)
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
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) -> DeliveryResult {
        // Inlined like the trigger of a topic: row "trigger by bare name to 1 watcher".
        if let slot = plainSlot(name, Payload.self) {
            let result = deliverPlainly(slot, payload, from: source, isolation: isolation)
            if let result { return result }
        }
        return triggerSlowly(
            name, payload,
            TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column))
    }

    /// Returns the slot of a name if its events of a payload type need a plain delivery only.
    @usableFromInline
    @inline(never)
    func plainSlot(_ name: StaticString, _ payload: Any.Type) -> TopicSlot? {
        name.withUTF8Buffer { bytes in
            guard let slot = slots.find(bytes, hash: TopicName.hash(bytes)), slot.isBound(to: payload) else {
                return nil
            }
            let found = slot.word.load(ordering: .acquiring) & SlotWord.notDiverting
            return found == word.load(ordering: .acquiring) | SlotWord.watchedBit ? slot : nil
        }
    }

    @usableFromInline
    @inline(never)
    func triggerSlowly<Payload: Sendable>(
        _ name: StaticString, _ payload: Payload, _ call: TriggerCall
    ) -> DeliveryResult {
        name.withUTF8Buffer { bytes in
            do throws(EventBusError) { return try trigger(bytes: bytes, payload, call) } catch { return refuse(error) }
        }
    }

    /// Triggers an event with a name known at run time, with or without data.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    @discardableResult
    public func trigger<Payload: Sendable>(
        named name: String, _ payload: Payload = (), from source: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) throws(EventBusError) -> DeliveryResult {
        let call = TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column)
        var name = name
        let result = name.withUTF8 { bytes in
            Result { () throws(EventBusError) in try trigger(bytes: bytes, payload, call) }
        }
        return try result.get()
    }

    private func trigger<Payload: Sendable>(
        bytes: UnsafeBufferPointer<UInt8>, _ payload: Payload, _ call: TriggerCall
    ) throws(EventBusError) -> DeliveryResult {
        let hash = TopicName.hash(bytes)
        if let slot = slots.find(bytes, hash: hash) {
            if slot.word.load(ordering: .acquiring) == word.load(ordering: .acquiring) { return DeliveryResult() }
            return deliver(slot, payload, call, isTyped: slot.isBound(to: Payload.self))
        }
        if let mistake = TopicName.mistake(in: bytes) { throw mistake }
        // If a name has no slot, only watchers of patterns and of sources can receive the event.
        guard
            hasRaised(.patterned) || hasRaised(.observed) || hasRaised(.tapped) || hasRaised(.diverted)
                || hasRaised(.sourced) && call.source != nil
        else { return DeliveryResult() }
        let name = String(decoding: bytes, as: UTF8.self)
        let passing = slot(name, hash: hash)
        defer { retireIfUnused(passing) }
        return deliver(passing, payload, call, isTyped: false)
    }
}
