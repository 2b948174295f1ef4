internal import AshlarCore
import Synchronization

/// An event on its way through the stages before its delivery.
private struct StagedEvent<Payload: Sendable>: Sendable {
    let payload: Payload
    let topic: TopicEntry
    var call: TriggerCall
}

// The stages before the delivery, in their order: interceptors, the queue of the main actor, the order of the topic, and the
// stored events. Each one hands the event to the next.
extension EventBus {
    func passStages<Payload: Sendable>(
        _ payload: Payload, to topic: TopicEntry, _ call: TriggerCall
    ) -> DeliveryResult {
        let thread = BusThread.current
        guard thread.depth(onBus: number) < depthLimit, !thread.isStackLow else {
            return refuseTooDeep(topic, call.place)
        }
        var call = call
        call.metadata = MetadataBox.ofTrigger
        return intercept(StagedEvent(payload: payload, topic: topic, call: call))
    }

    /// Passes an event to the interceptors of its topic.
    private func intercept<Payload>(_ event: StagedEvent<Payload>) -> DeliveryResult {
        let interceptors = event.topic.snapshot(on: self).interceptors
        if interceptors.allSatisfy({ $0.excludes(event.call.source) }) { return postponeIfQueued(event) }
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        let interception = Interception(bus: self, event, interceptors, depth: depth, thread: thread.number)
        // A trigger inside an interceptor is nested, so that an endless one ends at the limit.
        let outer = thread.enter(bus: number, depth: depth + 1)
        defer {
            interception.end()
            thread.leave(to: outer, from: number)
        }
        return interception.pass(
            InterceptedEvent(
                name: event.topic.name, payload: event.payload, metadata: event.call.metadata?.metadata,
                call: event.call),
            to: 0)
    }

    /// Queues an event for the main actor if the bus does so.
    fileprivate func postponeIfQueued<Payload>(_ event: StagedEvent<Payload>) -> DeliveryResult {
        guard delivery == .queuedOnMain else { return runInOrder(event) }
        let late = event.call.sending?.awaitDelivery()
        mainQueue.run { [weak self] in
            var event = event
            event.call.isolation = MainActor.shared
            // Not as an argument: without a sender that waits, it wouldn't be evaluated.
            let delivered = self?.runInOrder(event) ?? DeliveryResult()
            late?.complete(delivered)
        }
        return event.call.awaitsHandlers ? DeliveryResult() : .postponed
    }

    /// Delivers an event of a topic that stores events after the earlier ones.
    private func runInOrder<Payload>(_ staged: StagedEvent<Payload>) -> DeliveryResult {
        // A postponed event may outlive the entry of its topic.
        let topic = staged.topic.isOpen ? staged.topic : self.topic(staged.topic.name)
        defer { if topic !== staged.topic { removeIfUnused(topic) } }
        let event = StagedEvent(payload: staged.payload, topic: topic, call: staged.call)
        guard let runner = topic.snapshot(on: self).runner else { return storeAndDeliver(event) }
        let result = Mutex(DeliveryResult.postponed)
        let late = event.call.sending?.awaitDelivery()
        let thread = BusThread.current.number
        let depth = BusThread.current.depth(onBus: number)
        runner.run {
            var event = event
            event.call.arrive(from: thread)
            let current = BusThread.current
            // The depth is that of the trigger itself, so that a handler that always triggers its own topic ends at the
            // limit.
            let outer = current.enter(bus: self.number, depth: max(depth, current.depth(onBus: self.number)))
            defer { current.leave(to: outer, from: self.number) }
            let delivered = self.storeAndDeliver(event)
            result.withLock { $0 = delivered }
            late?.complete(delivered)
        }
        // A sender that waits for handlers receives the result with the wait.
        return event.call.awaitsHandlers ? DeliveryResult() : result.withLock { $0 }
    }

    /// Stores an event if its topic stores events, and delivers it.
    private func storeAndDeliver<Payload>(_ event: StagedEvent<Payload>) -> DeliveryResult {
        let topic = event.topic
        var call = event.call
        call.sequence = topic.store(event.payload, call, sequence: { nextSequence() })
        let current = topic.snapshot(on: self)
        let snapshot = call.source.map { merge(current, from: $0, topic) } ?? current
        return MetadataBox.deliver(call.metadata) {
            deliver(
                event.payload, to: snapshot, of: topic, from: call.source, isolation: call.isolation,
                place: call.place, staged: StagedCall(call))
        }
    }
}

/// One event on its way through the interceptors, which may pass it on later and on any thread.
private final class Interception<Payload: Sendable>: Sendable {
    private weak let bus: EventBus?
    private let event: StagedEvent<Payload>
    private let interceptors: [InterceptorEntry]
    private let depth: UInt32
    private let thread: UInt32
    /// Whether the trigger has returned.
    private let hasEnded = Atomic(false)

    init(
        bus: EventBus, _ event: StagedEvent<Payload>, _ interceptors: [InterceptorEntry], depth: UInt32, thread: UInt32
    ) {
        self.bus = bus
        self.event = event
        self.interceptors = interceptors
        self.depth = depth
        self.thread = thread
    }

    func end() { hasEnded.store(true, ordering: .releasing) }

    func pass(_ event: InterceptedEvent, to index: Int) -> DeliveryResult {
        guard index < interceptors.count else { return passOn(event) }
        let entry = interceptors[index]
        guard !entry.excludes(self.event.call.source), let interceptor = entry.interceptor else {
            return pass(event, to: index + 1)
        }
        return interceptor.intercept(event) { [self] in pass($0, to: index + 1) }
    }

    /// Passes an event on to the next stage.
    private func passOn(_ changed: InterceptedEvent) -> DeliveryResult {
        guard let bus else { return DeliveryResult() }
        var call = changed.call
        call.arrive(from: thread)
        call.isExported = changed.isExported
        if hasEnded.load(ordering: .acquiring) {
            // The sender has stopped to wait, but an asynchronous interceptor can wait instead.
            if call.sending === event.call.sending { call.sending = nil }
            call.isolation = nil
        }
        if changed.metadata != call.metadata?.metadata { call.metadata = changed.metadata.map { MetadataBox($0) } }
        let current = BusThread.current
        let outer = current.enter(bus: bus.number, depth: min(depth, current.depth(onBus: bus.number)))
        defer { current.leave(to: outer, from: bus.number) }
        func pass(_ payload: some Sendable) -> DeliveryResult {
            bus.postponeIfQueued(StagedEvent(payload: payload, topic: event.topic, call: call))
        }
        if let payload = changed.payload as? Payload { return pass(payload) }
        // A bare name takes any payload.
        guard event.topic.binding?.payload != Payload.self else {
            return bus.refuse(bus.mismatch(event.topic, type(of: changed.payload), at: call.location))
        }
        return pass(changed.payload)
    }
}
