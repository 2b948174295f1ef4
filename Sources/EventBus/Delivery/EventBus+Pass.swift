import Synchronization

extension EventBus {
    /// Returns the place of a topic on this bus; nil if its name is bound to another payload type here.
    @usableFromInline
    func resolve(_ core: TopicCore, _ payload: Any.Type, _ call: TriggerCall) -> TopicSlot? {
        let slot = slot(core.name, hash: core.hash)
        guard slot.bind(payload, at: call.place).payload == payload else { return nil }
        slot.adopt(core)
        core.remember(slot)
        return slot
    }

    /// The receipt of an event whose payload is of another type than its name is bound to.
    @usableFromInline
    func refuseMismatch(_ core: TopicCore, _ payload: Any.Type, _ call: TriggerCall) -> TriggerReceipt {
        let error = mismatch(slot(core.name, hash: core.hash), payload, at: call.place)
        report(EventFailure(error: error, name: core.name, sequence: 0, watcher: nil))
        return TriggerReceipt(failure: error)
    }

    func mismatch(_ slot: TopicSlot, _ payload: Any.Type, at place: EventPlace?) -> EventBusError {
        let binding = slot.binding
        return EventBusError(
            .payloadMismatch, subject: slot.name, expected: binding.map { "payload \($0.payload)" },
            found: "\(payload)", place: place, otherPlace: binding?.place)
    }

    /// Takes what a delivery needs: the watchers of now, a number, and one more step of depth.
    @usableFromInline
    @inline(never)
    func begin(_ slot: TopicSlot, _ source: AnyObject?, stage: UInt64) -> DeliveryPass {
        let thread = BusThread.current
        let depth = thread.depth
        guard depth < depthLimit else { return DeliveryPass(depth: depth, failing: .tooDeep) }
        let flags = slot.word.load(ordering: .acquiring)
        if flags & SlotFlags.detours != 0, stage == 0 { return DeliveryPass(depth: depth, failing: .diverted) }
        let pinned = flags & SlotFlags.watched.rawValue != 0 ? slot.pinSnapshot(thread: thread.number) : nil
        if source != nil || stage != 0 { return begin(slot, pinned, source, stage: stage) }
        guard let pinned else { return DeliveryPass(depth: depth) }
        thread.depth = depth + 1
        return DeliveryPass(snapshot: pinned, sequence: nextSequence(), depth: depth)
    }

    /// Takes what a plain delivery needs; the pass has no snapshot if there is more to do, or less.
    @usableFromInline
    @inline(never)
    func enter(_ slot: TopicSlot, from source: AnyObject?) -> PlainPass {
        let thread = BusThread.current
        let depth = thread.depth
        guard depth < depthLimit, let snapshot = slot.pinSnapshot(thread: thread.number) else {
            return PlainPass(snapshot: nil, sequence: 0, thread: nil, depth: 0)
        }
        if source != nil, hasRaised(.sourced) || snapshot._withUnsafeGuaranteedRef({ $0.scoped }) != nil {
            slot.unpin(snapshot)
            return PlainPass(snapshot: nil, sequence: 0, thread: nil, depth: 0)
        }
        thread.depth = depth + 1
        return PlainPass(snapshot: snapshot, sequence: nextSequence(), thread: thread, depth: depth)
    }

    /// Gives back what `enter` took, on the same thread.
    @usableFromInline
    @inline(never)
    func leave(_ slot: TopicSlot, _ pass: PlainPass) {
        pass.thread?.depth = pass.depth
        if let snapshot = pass.snapshot { slot.unpin(snapshot) }
    }

    /// Offers a plain event to a watcher that is cancelled or wants more than a plain call.
    @usableFromInline
    @inline(never)
    func offerSlowly<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isolation: (any Actor)?, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        // The place is asked for only where the payload can be of a wrong type.
        let call = TriggerCall(source: signal.object, isolation: isolation, fileID: #fileID, line: #line)
        offerSlowly(signal, to: watcher, isTyped: true, call, slot, &tally)
    }

    @inline(never)
    private func begin(
        _ slot: TopicSlot, _ pinned: Unmanaged<TopicSnapshot>?, _ source: AnyObject?, stage: UInt64
    ) -> DeliveryPass {
        let thread = BusThread.current
        let wide = wideWatchers(of: source)
        guard pinned != nil || wide != nil else { return DeliveryPass(depth: thread.depth) }
        let isScoped = source != nil && pinned?._withUnsafeGuaranteedRef { $0.scoped } != nil
        let sequence = stage == 0 || stage == .max ? nextSequence() : stage
        defer { thread.depth += 1 }
        return DeliveryPass(
            snapshot: pinned, sequence: sequence, depth: thread.depth, wide: wide, isMerged: wide != nil || isScoped)
    }

    /// Returns the watchers of everything from an object, counted up once.
    private func wideWatchers(of source: AnyObject?) -> Unmanaged<WatcherList>? {
        guard hasRaised(.sourced), let source, let group = patterns.group(of: source) else { return nil }
        return Unmanaged.passRetained(group)
    }

    @usableFromInline
    func mergedWalk(_ pass: DeliveryPass, _ call: TriggerCall, _ slot: TopicSlot) -> MergedWatchers {
        let snapshot = pass.snapshot?.takeUnretainedValue()
        let scoped = call.source.flatMap { snapshot?.scoped?.group(of: $0) }
        return MergedWatchers(
            snapshot?.open, scoped, pass.wide?.takeUnretainedValue(), source: call.source, name: slot.name)
    }

    /// Gives back what `begin` took.
    @usableFromInline
    @inline(never)
    func finish(_ slot: TopicSlot, _ pass: DeliveryPass) {
        BusThread.current.depth = pass.depth
        if let snapshot = pass.snapshot { slot.unpin(snapshot) }
        pass.wide?.release()
    }

    /// The receipt of an event that found no watcher, or that was refused.
    @usableFromInline
    func finishUnwatched<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ pass: DeliveryPass, _ call: TriggerCall, isTyped: Bool
    ) -> TriggerReceipt {
        if pass.failing == .diverted { return divert(slot, payload, call, isTyped: isTyped) }
        guard pass.failing == .tooDeep else {
            tellUndelivered(
                Signal(name: slot.name, payload: payload, sequence: 0, depth: Int(pass.depth), object: call.source))
            return TriggerReceipt()
        }
        let error = EventBusError(
            .nestedTooDeep, subject: slot.name, expected: "at most \(depthLimit) triggers inside of each other",
            place: call.place)
        countRefused()
        report(EventFailure(error: error, name: slot.name, sequence: 0, watcher: nil))
        return TriggerReceipt(failure: error)
    }

    /// Tells the hook of an event that nobody got.
    @usableFromInline
    func tellUndelivered<Payload: Sendable>(_ signal: Signal<Payload>) {
        guard hasRaised(.observed), let hook = undeliveredHook else { return }
        _ = BusThread.current.run(.undelivered, of: self) { hook(signal.erased) }
    }

    /// Offers an event to a watcher that is cancelled or wants more than a plain call.
    @usableFromInline
    @inline(never)
    func offerSlowly<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isTyped: Bool, _ call: TriggerCall, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        let state = WatcherState(rawValue: watcher.state.load(ordering: .acquiring))
        guard !state.contains(.cancelled) else { return }
        guard isTyped || state.contains(.untyped) else {
            let error = mismatch(slot, Payload.self, at: call.place)
            return fail(error, watcher, signal.name, signal.sequence, &tally)
        }
        if state.contains(.once) {
            guard watcher.claim() else { return }
            // One that handles its event later is forgotten after that, so that it can still be cancelled.
            if !watcher.isQueued { forget(watcher, slot) }
        }
        take(signal, watcher, state, call, &tally)
        if watcher.isOrphan { forget(watcher, slot) }
    }

    private func take<Payload: Sendable>(
        _ signal: Signal<Payload>, _ watcher: Watcher, _ state: WatcherState, _ call: TriggerCall,
        _ tally: inout DeliveryTally
    ) {
        do {
            let taking: Taking
            if state.contains(.untyped) {
                taking = try unsafeDowncast(watcher, to: TypedWatcher<any Sendable>.self).take(signal.erased, call)
            } else {
                taking = try unsafeDowncast(watcher, to: TypedWatcher<Payload>.self).take(signal, call)
            }
            tally.count(taking)
        } catch {
            tally.delivered += 1
            fail(error, watcher, signal.name, signal.sequence, &tally)
        }
    }

    /// Takes a watcher that is done out of the lists.
    private func forget(_ watcher: Watcher, _ slot: TopicSlot) {
        if slot.watcher(watcher.id) != nil { _ = slot.cancel(watcher.id) } else { _ = patterns.cancel(watcher.id) }
    }

    /// Takes a watcher that is done out of the lists, wherever it is.
    func forget(_ watcher: Watcher, topic name: String) {
        var name = name
        let slot = name.withUTF8 { slots.find($0, hash: TopicName.hash($0)) }
        if let slot { forget(watcher, slot) } else { _ = patterns.cancel(watcher.id) }
    }

    /// Notes the error of a handler and reports it.
    @usableFromInline
    @inline(never)
    func fail(
        _ error: any Error, _ watcher: Watcher, _ name: String, _ sequence: UInt64, _ tally: inout DeliveryTally
    ) {
        tally.failures = (tally.failures ?? []) + [error]
        report(EventFailure(error: error, name: name, sequence: sequence, watcher: watcher.place))
    }
}

extension DeliveryTally {
    mutating func count(_ taking: Taking) {
        switch taking {
        case .delivered: delivered += 1
        case .queued: queued += 1
        case .displaced: (queued, dropped) = (queued + 1, dropped + 1)
        case .dropped: dropped += 1
        case .skipped: break
        }
    }
}
