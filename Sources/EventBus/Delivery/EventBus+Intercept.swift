internal import AshlarCore
import Synchronization

extension EventBus {
    /// Registers an interceptor for the events of a topic, or of the topics that a pattern matches.
    ///
    /// Interceptors handle an event in the order of their registration; each sees the results of the later ones. Topics
    /// without an interceptor have no extra cost. Dropping the returned handle doesn't end the interception.
    ///
    /// - Returns: The handle that ends the interception.
    public func intercept(_ selector: some EventSelector, with interceptor: some EventInterceptor) -> Watch {
        let selection = selector.selection
        let entry = InterceptorEntry(selection.text, selection.pattern, interceptor, self)
        interceptors.withLock { $0.append(entry) }
        // Events of names that nobody watches get a slot too.
        raise(.patterned)
        outdateSlots()
        return Watch(host: entry, id: 0)
    }

    /// Hands an event to the interceptors of its topic and, if they pass it on, to `deliver`.
    func intercept<Payload: Sendable>(
        _ entries: [InterceptorEntry], _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        let interception = Interception<Payload>(
            bus: self, slot: slot, entries: entries, call: call, isTyped: isTyped, depth: depth, thread: thread.number)
        // A trigger inside an interceptor is nested, so that an endless one ends at the limit.
        let outer = thread.enter(bus: number, depth: depth + 1)
        defer {
            interception.end()
            thread.leave(to: outer, from: number)
        }
        let event = InterceptedEvent(
            name: slot.name, payload: payload, metadata: call.metadata?.metadata, location: call.location,
            sourceID: call.source.map { ObjectIdentifier($0) })
        return interception.pass(event, to: 0)
    }
}

/// One event on its way through the interceptors, which may pass it on later and on any thread.
private final class Interception<Payload: Sendable>: Sendable {
    private weak let bus: EventBus?
    private let slot: TopicSlot
    private let entries: [InterceptorEntry]
    private let call: TriggerCall
    private let isTyped: Bool
    private let depth: UInt32
    private let thread: UInt32
    /// Whether the trigger has returned.
    private let hasEnded = Atomic(false)

    init(
        bus: EventBus, slot: TopicSlot, entries: [InterceptorEntry], call: TriggerCall, isTyped: Bool, depth: UInt32,
        thread: UInt32
    ) {
        (self.bus, self.slot, self.entries, self.call) = (bus, slot, entries, call)
        (self.isTyped, self.depth, self.thread) = (isTyped, depth, thread)
    }

    func end() { hasEnded.store(true, ordering: .releasing) }

    func pass(_ event: InterceptedEvent, to index: Int) -> DeliveryResult {
        guard index < entries.count else { return deliver(event) }
        guard let interceptor = entries[index].interceptor else { return pass(event, to: index + 1) }
        return interceptor.intercept(event) { [self] in pass($0, to: index + 1) }
    }

    private func deliver(_ event: InterceptedEvent) -> DeliveryResult {
        guard let bus else { return DeliveryResult() }
        var call = call
        call.arrive(from: thread)
        if hasEnded.load(ordering: .acquiring) { (call.sending, call.isolation) = (nil, nil) }
        if event.metadata != call.metadata?.metadata { call.metadata = event.metadata.map { MetadataBox($0) } }
        let current = BusThread.current
        let outer = current.enter(bus: bus.number, depth: min(depth, current.depth(onBus: bus.number)))
        defer { current.leave(to: outer, from: bus.number) }
        // A postponed event may outlive the slot of its topic.
        let slot = slot.isOpen ? slot : bus.slot(self.slot.name, hash: self.slot.hash)
        defer { if slot !== self.slot { bus.retireIfUnused(slot) } }
        if let payload = event.payload as? Payload {
            return bus.queue(slot, payload, call, isTyped: isTyped && slot.isBound(to: Payload.self))
        }
        guard !isTyped else { return bus.refuse(bus.mismatch(slot, type(of: event.payload), at: call.location)) }
        // A bare name takes any payload.
        return deliver(opened: event.payload, bus, slot, call)
    }

    private func deliver<Changed: Sendable>(
        opened payload: Changed, _ bus: EventBus, _ slot: TopicSlot, _ call: TriggerCall
    ) -> DeliveryResult {
        bus.queue(slot, payload, call, isTyped: slot.isBound(to: Changed.self))
    }
}
