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
        let named = find(name, Payload.self)
        if named.isUnheard { return DeliveryResult() }
        if let slot = named.slot {
            if named.isPlain, let result = deliverPlainly(slot, payload, from: source, isolation: isolation) {
                return result
            }
            return deliver(
                slot, payload,
                TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column),
                isTyped: named.isTyped)
        }
        return triggerSlowly(
            name, payload,
            TriggerCall(source: source, isolation: isolation, fileID: fileID, line: line, column: column))
    }

    /// Returns the slot of a literal name, if there is one, and the delivery that events of a payload type need.
    @usableFromInline
    @inline(never)
    func find(_ name: StaticString, _ payload: Any.Type) -> NamedSlot {
        name.withUTF8Buffer { bytes in
            guard let slot = slots.find(bytes, hash: TopicName.hash(bytes)) else {
                return NamedSlot(slot: nil, isUnheard: !hearsUnknownNames && TopicName.isWellFormed(bytes))
            }
            let (found, word) = (slot.word.load(ordering: .acquiring), word.load(ordering: .acquiring))
            let isTyped = slot.isBound(to: payload)
            let isPlain = isTyped && found & SlotWord.notDiverting == word | SlotWord.watchedBit
            return NamedSlot(slot: slot, isUnheard: found == word, isPlain: isPlain, isTyped: isTyped)
        }
    }

    /// Whether events of a name without a slot have receivers: watchers of patterns or sources, or a hook.
    private var hearsUnknownNames: Bool {
        hasRaised(.patterned) || hasRaised(.observed) || hasRaised(.tapped) || hasRaised(.diverted)
            || hasRaised(.sourced)
    }

    @usableFromInline
    @inline(never)
    func triggerSlowly<Payload: Sendable>(
        _ name: StaticString, _ payload: Payload, _ call: TriggerCall
    ) -> DeliveryResult {
        name.withUTF8Buffer { bytes in
            do throws(EventBusError) { return try trigger(bytes, payload, call) } catch { return refuse(error) }
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
            Result { () throws(EventBusError) in
                try trigger(bytes, payload, call)
            }
        }
        return try result.get()
    }

    private func trigger<Payload: Sendable>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ payload: Payload, _ call: TriggerCall
    ) throws(EventBusError) -> DeliveryResult {
        let hash = TopicName.hash(bytes)
        if let slot = slots.find(bytes, hash: hash) {
            if slot.word.load(ordering: .acquiring) == word.load(ordering: .acquiring) { return DeliveryResult() }
            return deliver(slot, payload, call, isTyped: slot.isBound(to: Payload.self))
        }
        if let mistake = TopicName.mistake(in: bytes) { throw mistake }
        guard hearsUnknownNames else { return DeliveryResult() }
        let name = String(decoding: bytes, as: UTF8.self)
        let passing = self.slot(name, hash: hash)
        defer { retireIfUnused(passing) }
        return deliver(passing, payload, call, isTyped: false)
    }
}

/// The slot of a name, and the delivery that events of a payload type need.
@usableFromInline
struct NamedSlot {
    /// The slot; nil if there is none.
    @usableFromInline let slot: TopicSlot?
    /// Whether an event has no receiver.
    @usableFromInline let isUnheard: Bool
    /// Whether a plain delivery is sufficient.
    @usableFromInline var isPlain = false
    /// Whether the name is bound to the payload type.
    @usableFromInline var isTyped = false
}
