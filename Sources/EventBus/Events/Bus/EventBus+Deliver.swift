internal import AshlarCore

// The way of an event: `begin` reads the state of the bus and delivers the event, or passes it through the stages that its topic
// and its bus have, which deliver it in the same way.
extension EventBus {
    /// Delivers an event, or passes it through the stages before its delivery.
    ///
    /// `payload` returns the payload for stages that don't know its type; `call` calls the handlers with it.
    func begin(
        _ name: String, _ core: TopicCore?, from source: AnyObject?, _ isolation: (any Actor)?, _ place: TriggerPlace,
        _ sending: PendingSends? = nil, payload: () -> any Sendable, call: (inout RunningDelivery) -> Void
    ) -> DeliveryResult {
        let isQueued = delivery == .queuedOnMain
        let thread = BusThread.current
        // A nested trigger can be refused even if nobody receives it.
        let canBeUnheard = !isQueued && thread.isIdle
        var reading = BusState.Reading()
        let isUnheard = state.withLock { state in
            if canBeUnheard, state.isUnheard(name, core) { return true }
            if let core { state.keep(core) }
            state.read(name, core, from: source, into: &reading, isPlain: !isQueued)
            return canBeUnheard && reading.watchers.isEmpty && reading.special == nil
        }
        if isUnheard { return DeliveryResult() }
        let depth = thread.depth(onBus: number)
        var delivery = RunningDelivery(
            of: TriggerCall(source: source, isolation: isolation, place: place, sending: sending), name, reading,
            depth: depth)
        if thread.isFull(depth: depth, limit: depthLimit) { return refuseTooDeep(name, delivery.call) }
        if let core, delivery.special?.isMismatch == true { return refuse(mismatch(core, delivery.call)) }
        if isQueued || delivery.special?.isStaged == true { return passStages(delivery, core, payload()) }
        deliver(&delivery, thread, payload: payload, call: call)
        return delivery.result
    }

    /// Calls the watchers of an event in order.
    func deliver(
        _ delivery: inout RunningDelivery, _ thread: BusThread, payload: () -> any Sendable,
        call: (inout RunningDelivery) -> Void
    ) {
        thread.run(ofBus: number, depth: delivery.depth + 1) {
            MetadataBox.deliver(delivery.call.metadata) { call(&delivery) }
        }
        if delivery.special?.isObserved == true, delivery.result.isEmpty, !delivery.call.isExported,
            let hook = state.withLock({ $0.undeliveredHook })
        {
            let signal = Signal(payload(), delivery.context)
            thread.runHook(.undeliveredHook, ofBus: number) { hook(signal) }
        }
    }

    /// Calls every handler of an event with its payload.
    ///
    /// It is a part of the caller, which knows the type of the payload: row "trigger to 100 watchers".
    @inlinable
    func callHandlers<Payload: Sendable>(_ delivery: inout RunningDelivery, _ payload: Payload) {
        let signal = Signal(payload, delivery.context)
        callEach(
            &delivery, payload: { payload },
            call: { handler in
                guard let body = (handler as? TypedHandler<Payload>)?.body else { return false }
                try body(signal)
                return true
            })
    }

    /// Calls the handlers of an event in order.
    ///
    /// `call` calls a handler, or returns false if it takes other payloads. Those, and handlers that need more than a call,
    /// get `payload`.
    @usableFromInline
    func callEach(
        _ delivery: inout RunningDelivery, payload: () -> any Sendable, call: (EventHandler) throws -> Bool
    ) {
        while let handler = delivery.next() {
            do {
                let isCalled: Bool
                if !handler.watcher.isPlain {
                    isCalled = false
                } else if let body = handler.untypedBody {
                    try body(Signal(payload(), delivery.context))
                    isCalled = true
                } else {
                    isCalled = try call(handler)
                }
                if isCalled {
                    delivery.didCall(handler)
                } else {
                    try offer(payload(), delivery.context, delivery.call, to: handler, &delivery.result)
                }
            } catch {
                delivery.didCall(handler)
                fail(error, handler.watcher, delivery.context, &delivery.result)
            }
        }
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
        let work: SerialRunner.Work = { [weak self] in
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
        if delivery == .queuedOnMain { mainQueue.run { runner.run(work) } } else { runner.run(work) }
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

/// The delivery of one event to its watchers, in their order.
@usableFromInline
struct RunningDelivery: ~Copyable {
    let name: String
    let depth: UInt32
    let call: TriggerCall
    let special: BusState.Special?
    var result: DeliveryResult
    private let watchers: WatcherList
    private var index = 0

    init(of call: consuming TriggerCall, _ name: String, _ reading: consuming BusState.Reading, depth: UInt32) {
        self.name = name
        self.depth = depth
        self.call = consume call
        result = DeliveryResult(sequence: reading.sequence)
        special = reading.special
        watchers = reading.watchers
    }

    /// The event without its payload.
    @usableFromInline var context: SignalContext { call.context(name, sequence: result.sequence, depth: depth) }

    /// Returns the next handler.
    mutating func next() -> EventHandler? {
        while index < watchers.entries.count {
            defer { index += 1 }
            if let handler = watchers.entries[index].handler { return handler }
        }
        return nil
    }

    mutating func didCall(_ handler: EventHandler) { result.count(.delivered, isObserver: handler.isObserver) }
}
