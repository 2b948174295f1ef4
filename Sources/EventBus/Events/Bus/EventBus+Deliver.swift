internal import AshlarCore

// The way of an event: `begin` reads the state of the bus and delivers the event, or passes it through the stages that its topic
// and its bus have, which deliver it in the same way.
extension EventBus {
    /// Builds the signal of an event once, and gives `callEach` the call of a handler with it, which returns false for a handler of
    /// another payload type, and the payload.
    typealias TypedCall =
        (SignalContext, _ callEach: ((EventHandler) throws -> Bool, () -> any Sendable) -> Void) -> Void

    /// Delivers an event, or passes it through the stages before its delivery.
    func begin(
        _ name: String, _ core: TopicCore?, from source: AnyObject?, _ call: @autoclosure () -> TriggerCall,
        payload: () -> any Sendable, typed: TypedCall
    ) -> DeliveryResult {
        let isQueued = delivery == .queuedOnMain
        let thread = BusThread.current
        // A nested trigger can be refused even if nobody receives it.
        let canBeUnheard = !isQueued && thread.isIdle
        var reading = BusState.Reading()
        let isUnheard = state.withLock { state in
            if let core {
                if canBeUnheard, state.isUnheard(name, core) { return true }
                state.keep(core)
            }
            state.read(name, core, from: source, into: &reading, isPlain: !isQueued)
            return canBeUnheard && reading.watchers.isEmpty && reading.special == nil
        }
        if isUnheard { return DeliveryResult() }
        let depth = thread.depth(onBus: number)
        let call = call()
        if thread.isFull(depth: depth, limit: depthLimit) { return refuseTooDeep(name, call) }
        if let core, reading.special?.isMismatch == true { return refuse(mismatch(core, call)) }
        if isQueued || reading.special?.isStaged == true {
            return passStages(
                InterceptedEvent(name: name, core: core, payload: payload(), call: call),
                reading.special?.interceptors ?? [])
        }
        return deliver(reading, name, call, thread, depth, payload: payload, typed: typed)
    }

    /// Calls the watchers of an event in order.
    ///
    /// The closures refer to consumed arguments, and would copy others: row "trigger to 1 watchers".
    func deliver(
        _ reading: consuming BusState.Reading, _ name: String, _ call: consuming TriggerCall, _ thread: BusThread,
        _ depth: UInt32, payload: () -> any Sendable, typed: TypedCall
    ) -> DeliveryResult {
        let context = call.context(name, sequence: reading.sequence, depth: depth)
        var result = DeliveryResult(sequence: reading.sequence)
        let untyped = reading.watchers.hasUntyped ? Signal(payload(), context) : nil
        thread.run(ofBus: number, depth: depth + 1) {
            MetadataBox.deliver(context.metadata) {
                typed(context) { callTyped, payload in
                    for handler in reading.watchers.handlers {
                        do {
                            let isCalled: Bool
                            if !handler.watcher.isPlain {
                                isCalled = false
                            } else if let body = handler.untypedBody, let untyped {
                                try body(untyped)
                                isCalled = true
                            } else {
                                isCalled = try callTyped(handler)
                            }
                            if isCalled {
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
        }
        if let special = reading.special, special.isObserved, result.isEmpty, !call.isExported,
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
                let call = TriggerCall(
                    source: source, isolation: nil, place: TriggerPlace(#fileID, #line), metadata: event.metadata)
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
