internal import AshlarCore

// The way of an event: `begin` reads the state of the bus and delivers the event, or passes it through the stages that its topic
// and its bus have, which deliver it in the same way.
extension EventBus {
    /// Calls the closure of an inline handler with the payload of an event; returns false if the handler has another type.
    ///
    /// The payload isn't converted: row "trigger to 100 watchers".
    typealias DirectCall = (EventHandler, SignalContext) throws -> Bool

    /// Delivers an event, or passes it through the stages before its delivery.
    func begin(
        _ name: String, _ core: TopicCore?, _ call: @autoclosure () -> TriggerCall, from source: AnyObject?,
        payload: () -> any Sendable, direct: DirectCall = { _, _ in false }
    ) -> DeliveryResult {
        let isQueued = delivery == .queuedOnMain
        let thread = BusThread.current
        // A nested trigger can be refused even if nobody receives it.
        let canBeUnheard = !isQueued && thread.isIdle
        let reading = state.withLock { state -> BusState.Reading? in
            if let core {
                if canBeUnheard, state.isUnheard(name, core, from: source) { return nil }
                state.keep(core)
            }
            return state.read(name, core, from: source, isPlain: !isQueued)
        }
        guard let reading else { return DeliveryResult() }
        let isUnheard = reading.watchers.isEmpty && !reading.isStaged && !reading.isObserved && !reading.isMismatch
        if canBeUnheard, isUnheard { return DeliveryResult() }
        var call = call()
        if thread.isFull(bus: number, limit: depthLimit) { return refuseTooDeep(name, call) }
        if reading.isMismatch, let core { return refuse(mismatch(core, call)) }
        call.metadata = MetadataBox.ofTrigger
        if reading.isStaged || isQueued {
            return passStages(
                InterceptedEvent(name: name, core: core, payload: payload(), call: call), reading.interceptors)
        }
        return deliver(reading, name, call, payload: payload, direct: direct)
    }

    /// Calls the watchers of an event in order.
    func deliver(
        _ reading: BusState.Reading, _ name: String, _ call: TriggerCall, payload: () -> any Sendable,
        direct: DirectCall = { _, _ in false }
    ) -> DeliveryResult {
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        if thread.isFull(bus: number, limit: depthLimit) { return refuseTooDeep(name, call) }
        let context = call.context(name, sequence: reading.sequence, depth: depth)
        var result = DeliveryResult(sequence: reading.sequence)
        var untyped: Signal<any Sendable>?
        func callBody(_ handler: EventHandler) throws -> Bool {
            guard let body = handler.untypedBody else { return try direct(handler, context) }
            let signal = untyped ?? Signal(payload(), context)
            untyped = signal
            try body(signal)
            return true
        }
        thread.run(ofBus: number, depth: depth + 1) {
            MetadataBox.deliver(call.metadata) {
                for handler in reading.watchers.handlers {
                    do {
                        if handler.watcher.isPlain, try callBody(handler) {
                            result.count(.delivered, isObserver: handler.isObserver)
                        } else {
                            try offer(payload(), context, call, to: handler, &result)
                        }
                    } catch {
                        result.count(.delivered, isObserver: handler.isObserver)
                        fail(error, handler.watcher, context, &result)
                    }
                }
            }
        }
        if result.isEmpty, reading.isObserved, !call.isExported,
            let hook = state.withLock({ $0.undeliveredHook })
        {
            thread.runHook(.undeliveredHook, ofBus: number) { hook(Signal(payload(), context)) }
        }
        return result
    }

    /// Offers an event to a watcher that needs more than a call of its handler.
    private func offer(
        _ payload: any Sendable, _ context: SignalContext, _ call: TriggerCall, to handler: EventHandler,
        _ result: inout DeliveryResult
    ) throws {
        let watcher = handler.watcher
        guard watcher.isLive, !watcher.isJoining(context.name) else { return }
        if watcher.isOrphan {
            _ = cancel(watcher)
            if let error = watcher.ownerError { fail(error, watcher, context, &result) }
            return
        }
        if watcher.isOnce {
            guard handler.accepts(payload) else { return mismatch(payload, context, call, watcher, &result) }
            guard watcher.claim() else { return }
            if !handler.isQueued { _ = cancel(watcher) }
        }
        let outcome: TakeOutcome?
        do { outcome = try handler.take(payload, context, call) } catch {
            if watcher.isOnce || watcher.isOrphan { _ = cancel(watcher) }
            throw error
        }
        guard let outcome else { return mismatch(payload, context, call, watcher, &result) }
        result.count(outcome, isObserver: watcher.isObserver)
        // A watcher whose only event is queued is removed after its handler has run, so that it can be cancelled.
        if watcher.isOnce && outcome == .delivered || watcher.isOrphan { _ = cancel(watcher) }
    }

    /// Delivers the stored events of a topic to a new watcher, in the order of the topic.
    ///
    /// A topic that stores events is ordered, so no new event is delivered in between.
    func deliverStored(_ name: String, _ runner: SerialRunner, to handler: EventHandler) {
        runner.run { [weak self] in
            let watcher = handler.watcher
            watcher.endJoining(name)
            guard let self else { return }
            for event in state.withLock({ $0.topic(name)?.stored.events ?? [] }) where handler.accepts(event.payload) {
                let source = event.source.object
                if let wanted = watcher.details?.sourceID {
                    guard let source, ObjectIdentifier(source) == wanted, !watcher.isOrphan else { continue }
                }
                var call = TriggerCall(source: source, isolation: nil, place: TriggerPlace(#fileID, #line))
                call.metadata = event.metadata
                let context = call.context(name, sequence: event.sequence, depth: 0)
                var result = DeliveryResult()
                MetadataBox.deliver(event.metadata) {
                    do { try offer(event.payload, context, call, to: handler, &result) } catch {
                        fail(error, watcher, context, &result)
                    }
                }
            }
        }
    }

    /// The handler of the end of queued handlers, which doesn't retain the bus: reports the error, and ends a watch that has
    /// received its only event.
    var didHandle: @Sendable (Watcher, SignalContext, (any Error)?) -> Void {
        { [weak self] watcher, context, error in
            if let error { self?.report(error, context.name, sequence: context.sequence, at: watcher.location) }
            if watcher.isOnce { _ = watcher.cancel() }
        }
    }

    // MARK: Failures

    private func fail(
        _ error: any Error, _ watcher: Watcher, _ context: SignalContext, _ result: inout DeliveryResult
    ) {
        result.add(error, isObserver: watcher.isObserver)
        report(error, context.name, sequence: context.sequence, at: watcher.location)
    }

    /// Records that a payload has another type than that of the watcher's topic.
    private func mismatch(
        _ payload: any Sendable, _ context: SignalContext, _ call: TriggerCall, _ watcher: Watcher,
        _ result: inout DeliveryResult
    ) {
        let binding = state.withLock { $0.topic(context.name)?.binding }
        let error = binding?.mismatch(context.name, type(of: payload), call.location)
        fail(error ?? EventBusError(.payloadMismatch, subject: context.name), watcher, context, &result)
    }

    /// Returns the error of an event with another payload type than that of its topic.
    func mismatch(_ core: TopicCore, _ call: TriggerCall) -> EventBusError {
        let binding = state.withLock { $0.topic(core.name)?.binding }
        return binding?.mismatch(core.name, core.payload ?? Any.self, call.location)
            ?? EventBusError(.payloadMismatch, subject: core.name)
    }

    func refuseTooDeep(_ name: String, _ call: TriggerCall) -> DeliveryResult {
        refuse(
            EventBusError(
                .nestedTooDeep, subject: name, expected: "at most \(depthLimit) triggers inside of each other",
                location: call.location))
    }
}
