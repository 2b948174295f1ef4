internal import AshlarCore
import Synchronization

// The stages before the delivery, in their order: interceptors, the queue of the main actor, the order of the topic, and the
// stored events. Each one hands the event to the next.
extension EventBus {
    /// Passes an event to the interceptors of its topic, and then to the next stage.
    func passStages(
        _ delivery: borrowing RunningDelivery, _ core: TopicCore?, _ payload: any Sendable
    ) -> DeliveryResult {
        let event = InterceptedEvent(name: delivery.name, core: core, payload: payload, call: delivery.call)
        let interceptors = delivery.special?.interceptors.filter { !$0.excludes(event.call.source) } ?? []
        if interceptors.isEmpty { return postponeIfQueued(event) }
        let depth = delivery.depth
        // A trigger inside an interceptor is nested, so that an endless one ends at the limit.
        return BusThread.current.run(ofBus: number, depth: depth + 1) { pass(event, to: interceptors[...], depth) }
    }

    private func pass(
        _ event: InterceptedEvent, to interceptors: ArraySlice<InterceptorEntry>, _ depth: UInt32
    ) -> DeliveryResult {
        if let entry = interceptors.first {
            let others = interceptors.dropFirst()
            guard let interceptor = entry.interceptor else { return pass(event, to: others, depth) }
            return interceptor.intercept(event) { pass($0, to: others, depth) }
        }
        if let core = event.core, !core.accepts(event.payload) {
            return refuse(
                EventBusError(
                    .payloadMismatch, subject: event.name, expected: core.payload.map { "payload \($0)" },
                    found: "\(type(of: event.payload))", location: event.call.location))
        }
        return BusThread.current.run(ofBus: number, depth: depth) { postponeIfQueued(event) }
    }

    /// Queues an event for the main actor if the bus does so.
    private func postponeIfQueued(_ event: InterceptedEvent) -> DeliveryResult {
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
    private func runInOrder(_ event: InterceptedEvent) -> DeliveryResult {
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
    private func storeAndDeliver(_ event: InterceptedEvent) -> DeliveryResult {
        // Replaced events are released outside the mutex.
        let (reading, gone) = state.withLock { $0.store(event.payload, event.name, event.core, event.call) }
        defer { withExtendedLifetime(gone) {} }
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        if thread.isFull(depth: depth, limit: depthLimit) { return refuseTooDeep(event.name, event.call) }
        if let core = event.core, reading.special?.isMismatch == true { return refuse(mismatch(core, event.call)) }
        var delivery = RunningDelivery(of: event.call, event.name, reading, depth: depth)
        deliver(&delivery, thread, payload: { event.payload }, call: { callHandlers(&$0, event.payload) })
        return delivery.result
    }
}
