internal import AshlarCore

extension EventBus {
    /// Delivers an event in all stages: the interceptors, the main actor's queue, the queue of nested triggers, the
    /// order of the topic, the stored events, and the tap.
    func divert<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        var call = call
        call.metadata = MetadataBox.ofTrigger
        let interceptors = slot.interceptors
        if !interceptors.isEmpty { return intercept(interceptors, slot, payload, call, isTyped: isTyped) }
        return queue(slot, payload, call, isTyped: isTyped)
    }

    /// Delivers an event that has passed the interceptors.
    func queue<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        if delivery == .queuedOnMain {
            let passage = call.sending?.awaitPassage()
            let trigger = QueuedTrigger { [weak self, name = slot.name, hash = slot.hash] in
                defer { passage?.isOver() }
                guard let self else { return }
                // The topic may have lost its slot, or have a new one.
                let slot = self.slot(name, hash: hash)
                defer { retireIfUnused(slot) }
                var call = call
                call.isolation = MainActor.shared
                _ = order(slot, payload, call, isTyped: isTyped && slot.isBound(to: Payload.self))
            }
            let mustDrain = mainQueue.put(trigger).mustDrain
            if mustDrain {
                Task.detached(priority: Task.currentPriority) { [mainQueue] in await Self.drain(mainQueue) }
            }
            return .postponed
        }
        guard nesting == .breadthFirst else { return order(slot, payload, call, isTyped: isTyped) }
        let thread = BusThread.current
        if let frame = thread.frame(.queue, ofBus: number) {
            frame.line.append { _ = self.order(slot, payload, call, isTyped: isTyped) }
            return .postponed
        }
        return thread.run(.queue, ofBus: number) { frame in
            let result = order(slot, payload, call, isTyped: isTyped)
            while let next = frame.line.popFirst() { next() }
            return result
        }
    }

    @MainActor
    private static func drain(_ queue: Mailbox) async {
        var (batch, done) = (Fifo<QueuedEvent>(), 0)
        while let event = queue.takeOrRest(&batch) {
            unsafeDowncast(event, to: QueuedTrigger.self).deliver()
            done += 1
            if done % 64 == 0 { await Task.yield() }
        }
    }

    private func order<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        guard let runner = slot.runner else { return store(slot, payload, call, isTyped: isTyped) }
        let result = Mutex(DeliveryResult.postponed)
        let passage = call.sending?.awaitPassage()
        let (thread, depth) = (BusThread.current.number, BusThread.current.depth(onBus: number))
        let hasRun = runner.run {
            var call = call
            call.arrive(from: thread)
            let current = BusThread.current
            // The depth is that of the trigger itself, so that a handler that always triggers its own topic ends at the
            // limit.
            let outer = current.enter(bus: self.number, depth: max(depth, current.depth(onBus: self.number)))
            defer { current.leave(to: outer, from: self.number) }
            let delivered = self.store(slot, payload, call, isTyped: isTyped)
            result.withLock { $0 = delivered }
            passage?.isOver()
        }
        return hasRun ? result.withLock { $0 } : .postponed
    }

    private func store<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        var call = call
        call.stage = slot.store(payload, call, sequence: { nextSequence() }) ?? .max
        guard let tap = tapHook else {
            return MetadataBox.deliver(call.metadata) { deliver(slot, payload, call, isTyped: isTyped) }
        }
        let depth = Int(BusThread.current.depth(onBus: number))
        let clock = ContinuousClock()
        let start = clock.now
        let result = MetadataBox.deliver(call.metadata) { deliver(slot, payload, call, isTyped: isTyped) }
        let record = EventTrace(
            name: slot.name, location: call.location, metadata: call.metadata?.metadata, depth: depth,
            result: result, duration: clock.now - start)
        _ = BusThread.current.run(.tap, ofBus: number) { tap(record) }
        return result
    }
}

/// A trigger in the queue of the main actor.
private final class QueuedTrigger: Sendable {
    let deliver: @Sendable () -> Void

    init(_ deliver: @escaping @Sendable () -> Void) { self.deliver = deliver }
}
