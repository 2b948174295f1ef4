internal import AshlarCore
public import Synchronization

// The delivery of an event to the watchers of its topic: the last step of every trigger.
extension EventBus {
    /// Delivers an event to the current watchers, or passes it through the stages that its topic and its bus have.
    @inlinable
    func send<Payload: Sendable>(
        _ payload: Payload, to topic: TopicEntry, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace
    ) -> DeliveryResult {
        guard let snapshot = snapshot(of: topic, from: source) else { return DeliveryResult() }
        if isPlain(snapshot, Payload.self) {
            return deliver(payload, to: snapshot, of: topic, from: source, isolation: isolation, place: place)
        }
        return passStages(payload, to: topic, from: source, isolation: isolation, place: place)
    }

    /// Delivers an event to the watchers of a snapshot.
    ///
    /// Inlined into the caller's module, because handlers are called several times slower through unspecialized code.
    @inlinable
    @inline(never)
    func deliver<Payload: Sendable>(
        _ payload: Payload, to snapshot: TopicSnapshot, of topic: TopicEntry, from source: AnyObject?,
        isolation: (any Actor)?, place: TriggerPlace, staged: StagedCall? = nil
    ) -> DeliveryResult {
        guard let pass = enter(staged, isWatched: !snapshot.unretained.isEmpty) else {
            return refuseTooDeep(topic, place)
        }
        let signal = Signal(
            name: topic.name, payload: payload, sequence: pass.sequence, depth: Int(pass.depth), object: source,
            box: staged?.metadata)
        var result = DeliveryResult(sequence: pass.sequence)
        let isTyped = snapshot.payload == ObjectIdentifier(Payload.self)
        for watcher in snapshot.unretained {
            watcher._withUnsafeGuaranteedRef { watcher in
                guard isTyped, watcher.flags.load(ordering: .relaxed) == 0 else {
                    return offer(
                        signal, to: watcher, isTyped: isTyped, of: topic, isolation: isolation, place: place,
                        staged: staged, result: &result)
                }
                result.counts.delivered &+= 1
                do { try unsafeDowncast(watcher, to: TypedWatcher<Payload>.self).handler(signal) } catch {
                    fail(error, watcher, name: signal.name, sequence: signal.sequence, result: &result)
                }
            }
        }
        leave(pass)
        if result.isEmpty { reportUndelivered(signal, staged) }
        return result
    }

    // MARK: Before the handlers

    /// Returns the current watchers and properties of a topic; nil if nobody receives the event.
    @usableFromInline
    func snapshot(of topic: TopicEntry, from source: AnyObject?) -> TopicSnapshot? {
        let features = BusFeatures(rawValue: features.load(ordering: .relaxed))
        // A nested trigger of an unwatched topic may be refused.
        let isHeard =
            !features.isDisjoint(with: source == nil ? .observing : [.observing, .sourced])
            || !BusThread.current.nesting.isOutermost
        guard let snapshot = topic.snapshot(on: self, ifWatched: !isHeard) else { return nil }
        return source.map { merge(snapshot, from: $0, topic) } ?? snapshot
    }

    /// Returns whether events have no stages before their delivery, and the topic isn't bound to another type.
    @usableFromInline
    func isPlain(_ snapshot: TopicSnapshot, _ payload: Any.Type) -> Bool {
        !snapshot.isStaged && !has(.queueing) && MetadataBox.ofTrigger == nil
            && (snapshot.payload == ObjectIdentifier(payload) || snapshot.payload == nil)
    }

    @usableFromInline
    @inline(never)
    func passStages<Payload: Sendable>(
        _ payload: Payload, to topic: TopicEntry, from source: AnyObject?, isolation: (any Actor)?, place: TriggerPlace
    ) -> DeliveryResult {
        passStages(payload, to: topic, TriggerCall(source: source, isolation: isolation, place: place))
    }

    /// Begins a delivery on this thread; returns nil if triggers are nested too deeply.
    @usableFromInline
    func enter(_ staged: StagedCall?, isWatched: Bool) -> DeliveryPass? {
        let thread = BusThread.current
        let depth = thread.depth(onBus: number)
        guard depth < depthLimit, !thread.isStackLow else { return nil }
        let sequence = isWatched ? staged?.call.sequence ?? nextSequence() : 0
        return DeliveryPass(sequence: sequence, depth: depth, outer: thread.enter(bus: number, depth: depth + 1))
    }

    /// Ends a delivery, on the thread that began it.
    @usableFromInline
    func leave(_ pass: DeliveryPass) { BusThread.current.leave(to: pass.outer, from: number) }

    /// Returns a snapshot together with the watchers of events from an object.
    func merge(_ snapshot: TopicSnapshot, from source: AnyObject, _ topic: TopicEntry) -> TopicSnapshot {
        var sourced = snapshot.scoped[ObjectIdentifier(source)] ?? []
        if has(.sourced) { sourced += patterns.watchers(of: source, topic: topic.name) }
        if sourced.isEmpty { return snapshot }
        // The lists can include ended watchers of an earlier object with the same address.
        sourced.removeAll { $0.details?.isSource(source) != true }
        return TopicSnapshot(snapshot, watchers: (snapshot.watchers + sourced).sorted { $0.precedes($1) })
    }

    // MARK: One watcher

    /// Offers an event to a watcher that is cancelled or needs more than a call of its handler.
    @usableFromInline
    @inline(never)
    func offer<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isTyped: Bool, of topic: TopicEntry, isolation: (any Actor)?,
        place: TriggerPlace, staged: StagedCall?, result: inout DeliveryResult
    ) {
        let call = staged?.call ?? TriggerCall(source: signal.object, isolation: isolation, place: place)
        let flags = WatcherFlags(rawValue: watcher.flags.load(ordering: .acquiring))
        guard !flags.contains(.cancelled) else { return }
        guard isTyped || flags.contains(.untyped) else {
            let error = mismatch(topic, Payload.self, at: call.location)
            return fail(error, watcher, name: signal.name, sequence: signal.sequence, result: &result)
        }
        if flags.contains(.joining), watcher.isJoining(topic) { return }
        if flags.contains(.untyped) {
            let watcher = unsafeDowncast(watcher, to: TypedWatcher<any Sendable>.self)
            hand(signal.erased, to: watcher, of: topic, call: call, result: &result)
        } else {
            let watcher = unsafeDowncast(watcher, to: TypedWatcher<Payload>.self)
            hand(signal, to: watcher, of: topic, call: call, result: &result)
        }
    }

    /// Hands an event to a watcher that isn't cancelled: calls its handler or queues the event.
    private func hand<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: TypedWatcher<Payload>, of topic: TopicEntry, call: TriggerCall,
        result: inout DeliveryResult
    ) {
        if watcher.isOrphan {
            remove(watcher, topic)
            if let error = watcher.ownerError { fail(error, watcher, name: signal.name, sequence: 0, result: &result) }
            return
        }
        if watcher.isOnce {
            guard watcher.claim() else { return }
            if !watcher.isQueued { remove(watcher, topic) }
        }
        var hasRun = true
        do {
            let outcome = try watcher.take(signal, call)
            result.count(outcome, isObserver: watcher.isObserver)
            hasRun = outcome == .delivered
        } catch {
            result.count(.delivered, isObserver: watcher.isObserver)
            fail(error, watcher, name: signal.name, sequence: signal.sequence, result: &result)
        }
        // A watcher whose only event is queued is removed after its handler has run, so that it can be cancelled.
        if watcher.isOrphan || watcher.isOnce && watcher.isQueued && hasRun { remove(watcher, topic) }
    }

    /// Delivers a stored event to a new watcher.
    func replay<Payload: Sendable>(
        _ event: StoredEvents.Stored, to watcher: TypedWatcher<Payload>, of topic: TopicEntry
    ) {
        guard watcher.isLive, let payload = event.payload as? Payload else { return }
        let source = event.source.object
        if let details = watcher.details, details.sourceID != nil {
            guard let source, details.isSource(source) else { return }
        }
        let signal = Signal(
            name: topic.name, payload: payload, sequence: event.sequence, depth: 0, object: source, box: event.metadata)
        let call = TriggerCall(source: nil, isolation: nil, place: TriggerPlace(#fileID, #line))
        MetadataBox.deliver(event.metadata) {
            var result = DeliveryResult()
            hand(signal, to: watcher, of: topic, call: call, result: &result)
        }
    }

    /// Removes an ended watcher from the lists.
    private func remove(_ watcher: Watcher, _ topic: TopicEntry) {
        if topic.watcher(watcher.id) != nil { _ = topic.cancel(watcher.id) } else { _ = patterns.cancel(watcher.id) }
    }

    /// Handles the end of a queued handler: reports its error, and removes a watcher that has received its only event.
    func finishQueued(_ watcher: Watcher, name: String, sequence: UInt64, error: (any Error)?) {
        if let error {
            report(EventFailure(error: error, name: name, sequence: sequence, location: watcher.location))
        }
        guard watcher.isOnce else { return }
        if let topic = topic(ifKnown: name) { remove(watcher, topic) } else { _ = patterns.cancel(watcher.id) }
    }

    // MARK: Failures

    /// Records and reports the error of a handler.
    @usableFromInline
    @inline(never)
    func fail(
        _ error: any Error, _ watcher: Watcher, name: String, sequence: UInt64, result: inout DeliveryResult
    ) {
        result.add(error, isObserver: watcher.isObserver)
        report(EventFailure(error: error, name: name, sequence: sequence, location: watcher.location))
    }

    /// Reports the error of an event that isn't delivered, and returns its result.
    func refuse(_ error: EventBusError) -> DeliveryResult {
        report(EventFailure(error: error, name: error.subject, sequence: 0, location: nil))
        return DeliveryResult().adding(failures: [error])
    }

    @usableFromInline
    func refuseTooDeep(_ topic: TopicEntry, _ place: TriggerPlace) -> DeliveryResult {
        refuse(
            EventBusError(
                .nestedTooDeep, subject: topic.name, expected: "at most \(depthLimit) triggers inside of each other",
                location: place.location))
    }

    func mismatch(_ topic: TopicEntry, _ payload: Any.Type, at location: EventLocation?) -> EventBusError {
        let binding = topic.binding
        return EventBusError(
            .payloadMismatch, subject: topic.name, expected: binding.map { "payload \($0.payload)" },
            found: "\(payload)", location: location, otherLocation: binding?.location)
    }

    /// Calls the hook for an undelivered event.
    @usableFromInline
    func reportUndelivered<Payload: Sendable>(_ signal: Signal<Payload>, _ staged: StagedCall?) {
        guard has(.observed), staged?.call.isExported != true, let hook = undeliveredHook else { return }
        _ = BusThread.current.run(.undeliveredHook, ofBus: number) { hook(signal.erased) }
    }
}

/// The state of a trigger during its delivery, small enough for registers.
@usableFromInline
struct DeliveryPass {
    /// The number of the event, from 1; 0 if no watcher receives the event.
    @usableFromInline let sequence: UInt64
    @usableFromInline let depth: UInt32
    let outer: BusThread.Nesting
}
