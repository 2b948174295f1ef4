import Synchronization

extension EventBus {
    /// Reports the error of an event that isn't delivered, and returns its result.
    func refuse(_ error: EventBusError) -> DeliveryResult {
        report(EventFailure(error: error, name: error.subject, sequence: 0, watcher: nil))
        return DeliveryResult(failure: error)
    }

    func mismatch(_ slot: TopicSlot, _ payload: Any.Type, at location: EventLocation?) -> EventBusError {
        let binding = slot.binding
        return EventBusError(
            .payloadMismatch, subject: slot.name, expected: binding.map { "payload \($0.payload)" },
            found: "\(payload)", location: location, otherLocation: binding?.location)
    }

    /// Acquires the resources of a delivery: the watchers, a number, and a level of nesting.
    @usableFromInline
    @inline(never)
    func begin(_ slot: TopicSlot, _ source: AnyObject?, stage: UInt64) -> DeliveryPass {
        let thread = BusThread.current
        let outer = thread.nesting
        let depth = thread.depth(onBus: number)
        guard depth < depthLimit, !thread.isStackLow else {
            return DeliveryPass(depth: depth, outer: outer, failing: .tooDeep)
        }
        var flags = slot.word.load(ordering: .acquiring)
        if !SlotWord.areSameAge(flags, word.load(ordering: .acquiring)) {
            slot.update(from: self)
            flags = slot.word.load(ordering: .acquiring)
        }
        if stage == 0, flags & SlotWord.detours != 0 || MetadataBox.ofTrigger != nil {
            return DeliveryPass(depth: depth, outer: outer, failing: .diverted)
        }
        let pinned =
            flags & SlotWord.watched.rawValue != 0
            ? slot.pinSnapshot(thread: thread.number, isOutermost: outer.isOutermost) : nil
        let wide = source == nil ? nil : wideWatchers(of: source)
        guard pinned != nil || wide != nil else { return DeliveryPass(depth: depth, outer: outer) }
        let isScoped = source != nil && pinned?._withUnsafeGuaranteedRef { $0.scoped } != nil
        let sequence = stage == 0 || stage == .max ? nextSequence() : stage
        _ = thread.enter(bus: number, depth: depth + 1)
        return DeliveryPass(
            snapshot: pinned, sequence: sequence, depth: depth, outer: outer, wide: wide,
            isMerged: wide != nil || isScoped)
    }

    /// Acquires the resources of a plain delivery; if the delivery isn't plain, the pass has no snapshot.
    @usableFromInline
    @inline(never)
    func enter(_ slot: TopicSlot, from source: AnyObject?) -> PlainPass {
        let thread = BusThread.current
        let outer = thread.nesting
        let depth = outer.depth
        let none = PlainPass(snapshot: nil, sequence: 0, thread: thread, depth: 0)
        // Inside a trigger of another bus, the delivery isn't plain, so that leaving it needs no other state.
        guard outer.isOutermost || outer.bus == number, depth < depthLimit, !thread.isStackLow,
            MetadataBox.ofTrigger == nil,
            let snapshot = slot.pinSnapshot(thread: thread.number, isOutermost: outer.isOutermost)
        else { return none }
        if source != nil, hasRaised(.sourced) || snapshot._withUnsafeGuaranteedRef({ $0.scoped }) != nil {
            slot.unpin(snapshot)
            return none
        }
        thread.nesting = BusThread.Nesting(bus: number, depth: depth &+ 1)
        return PlainPass(snapshot: snapshot, sequence: nextSequence(), thread: thread, depth: depth)
    }

    /// Releases the resources that `enter` acquired, on the same thread.
    @usableFromInline
    @inline(never)
    func leave(_ slot: TopicSlot, _ pass: PlainPass) {
        pass.thread.nesting = BusThread.Nesting(bus: number, depth: pass.depth)
        if let snapshot = pass.snapshot { slot.unpin(snapshot) }
    }

    /// Offers a plain event to a watcher that is cancelled or needs more than a plain call.
    @usableFromInline
    @inline(never)
    func offerSlowly<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isolation: (any Actor)?, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        // The location is used only if the payload can have a wrong type.
        let call = TriggerCall(
            source: signal.object, isolation: isolation, fileID: #fileID, line: #line, column: #column)
        offerSlowly(signal, to: watcher, isTyped: true, call, slot, &tally)
    }

    /// Returns the watchers of all events from an object, retained.
    private func wideWatchers(of source: AnyObject?) -> Unmanaged<WatcherList>? {
        guard hasRaised(.sourced), let source, let group = wide.group(of: source) else { return nil }
        return Unmanaged.passRetained(group)
    }

    /// Returns the watchers of events from an object, with and without a source, in calling order.
    @usableFromInline
    func watchers(of source: AnyObject, _ pass: DeliveryPass, _ slot: TopicSlot) -> [Watcher] {
        let snapshot = pass.snapshot?.takeUnretainedValue()
        let scoped = snapshot?.scoped?.group(of: source)?.watchers ?? []
        let wide = (pass.wide?.takeUnretainedValue().watchers ?? []).filter {
            $0.details?.pattern?.matches(slot.name) ?? true
        }
        // A group can contain ended watchers of an earlier object with the same address.
        let sourced = (scoped + wide).filter { $0.details?.isSource(source) ?? false }
        return ((snapshot?.open.watchers ?? []) + sourced).sorted { $0.precedes($1) }
    }

    /// Releases the resources that `begin` acquired.
    @usableFromInline
    @inline(never)
    func finish(_ slot: TopicSlot, _ pass: DeliveryPass) {
        BusThread.current.leave(to: pass.outer, from: number)
        if let snapshot = pass.snapshot { slot.unpin(snapshot) }
        pass.wide?.release()
    }

    /// Returns the result of an event that had no watcher or was refused.
    @usableFromInline
    func finishUnwatched<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ pass: DeliveryPass, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        if pass.failing == .diverted { return divert(slot, payload, call, isTyped: isTyped) }
        guard pass.failing == .tooDeep else {
            reportUndelivered(
                Signal(
                    name: slot.name, payload: payload, sequence: 0, depth: Int(pass.depth), object: call.source,
                    box: call.metadata))
            return DeliveryResult()
        }
        let error = EventBusError(
            .nestedTooDeep, subject: slot.name, expected: "at most \(depthLimit) triggers inside of each other",
            location: call.location)
        countRefused()
        return refuse(error)
    }

    /// Calls the hook for an undelivered event.
    @usableFromInline
    func reportUndelivered<Payload: Sendable>(_ signal: Signal<Payload>) {
        guard hasRaised(.observed), let hook = undeliveredHook else { return }
        _ = BusThread.current.run(.undeliveredHook, ofBus: number) { hook(signal.erased) }
    }

    /// Offers an event to a watcher that is cancelled or needs more than a plain call.
    @usableFromInline
    @inline(never)
    func offerSlowly<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isTyped: Bool, _ call: TriggerCall, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        let state = WatcherState(rawValue: watcher.state.load(ordering: .acquiring))
        guard !state.contains(.cancelled) else { return }
        guard isTyped || state.contains(.untyped) else {
            let error = mismatch(slot, Payload.self, at: call.location)
            return fail(error, watcher, signal.name, signal.sequence, &tally)
        }
        if state.contains(.joining), watcher.isJoining(slot) { return }
        if state.contains(.untyped) {
            offer(signal.erased, to: unsafeDowncast(watcher, to: TypedWatcher<any Sendable>.self), call, slot, &tally)
        } else {
            offer(signal, to: unsafeDowncast(watcher, to: TypedWatcher<Payload>.self), call, slot, &tally)
        }
    }

    /// Passes an event to a watcher that isn't cancelled.
    private func offer<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: TypedWatcher<Payload>, _ call: TriggerCall, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        if watcher.isOrphan { return forget(watcher, slot) }
        let isOnce = watcher.state.load(ordering: .relaxed) & WatcherState.once.rawValue != 0
        if isOnce {
            guard watcher.claim() else { return }
            if !watcher.isQueued { forget(watcher, slot) }
        }
        var hasRun = true
        do {
            let taking = try watcher.take(signal, call)
            tally.count(taking)
            hasRun = taking == .delivered
        } catch {
            tally.delivered += 1
            fail(error, watcher, signal.name, signal.sequence, &tally)
        }
        // A watcher whose only event is queued is removed after its handler has run, so that it can be cancelled.
        if watcher.isOrphan || isOnce && watcher.isQueued && hasRun { forget(watcher, slot) }
    }

    /// Delivers a stored event to a new watcher.
    func replay<Payload: Sendable>(
        _ event: StoredEvents.Stored, to watcher: TypedWatcher<Payload>, of slot: TopicSlot
    ) {
        guard watcher.isLive, let payload = event.payload as? Payload else { return }
        let source = event.source.object
        if let details = watcher.details, details.sourceID != nil {
            guard let source, details.isSource(source) else { return }
        }
        let signal = Signal(
            name: slot.name, payload: payload, sequence: event.sequence, depth: 0, object: source, box: event.metadata)
        let call = TriggerCall(source: nil, isolation: nil, fileID: #fileID, line: #line, column: #column)
        MetadataBox.deliver(event.metadata) {
            var tally = DeliveryTally()
            offer(signal, to: watcher, call, slot, &tally)
        }
    }

    /// Removes an ended watcher from the lists.
    private func forget(_ watcher: Watcher, _ slot: TopicSlot) {
        if slot.watcher(watcher.id) != nil { _ = slot.cancel(watcher.id) } else { _ = wide.cancel(watcher.id) }
    }

    /// Removes an ended watcher from all lists that contain it.
    func forget(_ watcher: Watcher, topic name: String) {
        if let slot = slot(ifKnown: name) { forget(watcher, slot) } else { _ = wide.cancel(watcher.id) }
    }

    /// Records and reports the error of a handler.
    @usableFromInline
    @inline(never)
    func fail(
        _ error: any Error, _ watcher: Watcher, _ name: String, _ sequence: UInt64, _ tally: inout DeliveryTally
    ) {
        tally.failures = (tally.failures ?? []) + [error]
        report(EventFailure(error: error, name: name, sequence: sequence, watcher: watcher.location))
    }
}
