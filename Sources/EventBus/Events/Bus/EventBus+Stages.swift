internal import AshlarCore
import Synchronization

/// An event on its way through the stages before its delivery.
struct StagedEvent: Sendable {
    let name: String
    /// The topic; nil for an event with a bare name, whose payload can have any type.
    let core: TopicCore?
    var payload: any Sendable
    var call: TriggerCall
}

// The stages before the delivery, in their order: interceptors, the queue of the main actor, the order of the topic, and the
// stored events. Each one hands the event to the next.
extension EventBus {
    /// Passes an event to the interceptors of its topic.
    func passStages(_ event: StagedEvent, _ reading: BusState.Reading) -> DeliveryResult {
        let interceptors = reading.interceptors
        if interceptors.allSatisfy({ $0.excludes(event.call.source) }) { return postponeIfQueued(event) }
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        let interception = Interception(bus: self, event, interceptors, depth: depth, thread: thread.number)
        defer { interception.end() }
        // A trigger inside an interceptor is nested, so that an endless one ends at the limit.
        return thread.run(ofBus: number, depth: depth + 1) {
            interception.pass(
                InterceptedEvent(
                    name: event.name, payload: event.payload, metadata: event.call.metadata?.metadata, call: event.call),
                to: 0)
        }
    }

    /// Queues an event for the main actor if the bus does so.
    fileprivate func postponeIfQueued(_ event: StagedEvent) -> DeliveryResult {
        guard delivery == .queuedOnMain else { return runInOrder(event) }
        let late = event.call.sending?.awaitDelivery()
        mainQueue.run { [weak self] in
            var event = event
            event.call.isolation = MainActor.shared
            let delivered = self?.runInOrder(event) ?? DeliveryResult()
            late?.complete(delivered)
        }
        return event.call.awaitsHandlers ? DeliveryResult() : .postponed
    }

    /// Delivers an event of a topic that stores events after the earlier ones.
    private func runInOrder(_ event: StagedEvent) -> DeliveryResult {
        let runner = state.withLock { state in
            if let core = event.core { state.keep(core) }
            return state.topic(event.name)?.runner
        }
        guard let runner else { return storeAndDeliver(event) }
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
            let delivered = current.run(ofBus: self.number, depth: max(depth, current.depth(onBus: self.number))) {
                self.storeAndDeliver(event)
            }
            result.withLock { $0 = delivered }
            late?.complete(delivered)
        }
        // A sender that waits for handlers receives the result with the wait.
        return event.call.awaitsHandlers ? DeliveryResult() : result.withLock { $0 }
    }

    /// Stores an event if its topic stores events, and delivers it.
    private func storeAndDeliver(_ event: StagedEvent) -> DeliveryResult {
        // Replaced events are released outside the mutex.
        let (reading, gone) = state.withLock { $0.store(event.payload, event.name, event.core, event.call) }
        defer { withExtendedLifetime(gone) {} }
        if reading.isMismatch, let core = event.core { return refuse(mismatch(core, event.call)) }
        return deliver(reading, event.name, event.call, payload: { event.payload })
    }
}

/// One event on its way through the interceptors, which may pass it on later and on any thread.
private final class Interception: Sendable {
    private weak let bus: EventBus?
    private let event: StagedEvent
    private let interceptors: [InterceptorEntry]
    private let depth: UInt32
    private let thread: UInt32
    /// Whether the trigger has returned.
    private let hasEnded = Atomic(false)

    init(bus: EventBus, _ event: StagedEvent, _ interceptors: [InterceptorEntry], depth: UInt32, thread: UInt32) {
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
        var event = event
        var call = changed.call
        call.arrive(from: thread)
        call.isExported = changed.isExported
        if hasEnded.load(ordering: .acquiring) {
            // The sender has stopped to wait, but an asynchronous interceptor can wait instead.
            if call.sending === event.call.sending { call.sending = nil }
            call.isolation = nil
        }
        if changed.metadata != call.metadata?.metadata { call.metadata = changed.metadata.map { MetadataBox($0) } }
        // A bare name takes any payload.
        if let core = event.core, !core.accepts(changed.payload) {
            return bus.refuse(
                EventBusError(
                    .payloadMismatch, subject: event.name, expected: core.payload.map { "payload \($0)" },
                    found: "\(type(of: changed.payload))", location: call.location))
        }
        event.payload = changed.payload
        event.call = call
        let current = BusThread.current
        return current.run(ofBus: bus.number, depth: min(depth, current.depth(onBus: bus.number))) {
            bus.postponeIfQueued(event)
        }
    }
}
