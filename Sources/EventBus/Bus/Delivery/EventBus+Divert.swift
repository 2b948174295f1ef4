extension EventBus {
    /// Delivers an event of a topic or bus that wants more than to call the watchers at once: the stations are the
    /// main actor's queue, the queue of nested triggers, the order of a topic, what is kept, and the tap.
    func divert<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        if delivery == .queuedOnMain {
            let passage = call.sending?.awaitPassage()
            let trigger = QueuedTrigger { [weak self, name = slot.name, hash = slot.hash] in
                defer { passage?.isOver() }
                guard let self else { return }
                // The topic may have lost its slot, or got one, since.
                let slot = self.slot(name, hash: hash)
                defer { retireIfUnused(slot) }
                var call = call
                call.isolation = MainActor.shared
                _ = order(slot, payload, call, isTyped: isTyped)
            }
            let mustDrain = mainQueue.put(trigger).mustDrain
            if mustDrain { Task.detached { [mainQueue] in await Self.drain(mainQueue) } }
            return .queued
        }
        guard nesting == .breadthFirst else { return order(slot, payload, call, isTyped: isTyped) }
        if let frame = NestingFrame.current(of: self) {
            frame.line.append { _ = self.order(slot, payload, call, isTyped: isTyped) }
            return .queued
        }
        let thread = BusThread.current
        let frame = NestingFrame(bus: self, outer: thread.frame)
        thread.frame = frame
        defer { thread.frame = frame.outer }
        let result = order(slot, payload, call, isTyped: isTyped)
        while let next = frame.line.popFirst() { next() }
        return result
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
        guard let runner = slot.runner else { return keep(slot, payload, call, isTyped: isTyped) }
        let result = ResultBox()
        let passage = call.sending?.awaitPassage()
        let thread = BusThread.current.number
        let isDone = runner.run {
            var call = call
            call.isInTurn = true
            call.arrive(from: thread)
            result.value = self.keep(slot, payload, call, isTyped: isTyped)
            passage?.isOver()
        }
        return isDone ? result.value : .queued
    }

    private func keep<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        var call = call
        call.stage = slot.keep(payload, from: call.source, sequence: { nextSequence() }) ?? .max
        guard let tap = tapHook else { return deliver(slot, payload, call, isTyped: isTyped) }
        let depth = Int(BusThread.current.nesting.depth(on: self))
        let clock = ContinuousClock()
        let start = clock.now
        let result = deliver(slot, payload, call, isTyped: isTyped)
        let record = EventTrace(
            name: slot.name, location: call.location, depth: depth, sequence: result.sequence,
            delivered: result.delivered, queued: result.queued, dropped: result.dropped,
            failed: result.failures.count, duration: clock.now - start)
        _ = BusThread.current.run(.tap, of: self) { tap(record) }
        return result
    }
}

/// Passes a result from a closure to its creator, on the same thread.
private final class ResultBox: @unchecked Sendable {
    // Unchecked because it is read by the thread that wrote it only.
    var value = DeliveryResult()
}
