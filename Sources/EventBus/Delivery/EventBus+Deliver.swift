public import Synchronization

extension EventBus {
    /// Delivers an event to a topic that has not found its slot on this bus.
    @usableFromInline
    @inline(never)
    func resolveAndDeliver<Payload: Sendable>(
        _ core: TopicCore, _ payload: Payload, _ call: TriggerCall
    ) -> DeliveryResult {
        guard let slot = resolve(core, Payload.self, call) else { return refuseMismatch(core, Payload.self, call) }
        return deliver(slot, payload, call, isTyped: true)
    }

    /// Delivers an event to the watchers of every source; returns nil if the delivery isn't plain.
    ///
    /// This is `deliver` for nearly every trigger. The arguments of the trigger are passed as parameters of their
    /// own, because making, copying and destroying a `TriggerCall` costs a seventh of a trigger to one watcher.
    @inlinable
    @inline(never)
    func deliverPlainly<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, from source: AnyObject?, isolation: (any Actor)?
    ) -> DeliveryResult? {
        let pass = enter(slot, from: source)
        guard let snapshot = pass.snapshot else { return nil }
        let signal = Signal(
            name: slot.name, payload: payload, sequence: pass.sequence, depth: Int(pass.depth), object: source)
        var tally = DeliveryTally()
        for watcher in snapshot._withUnsafeGuaranteedRef({ $0.openWatchers }) {
            watcher._withUnsafeGuaranteedRef { watcher in
                guard watcher.state.load(ordering: .relaxed) == 0 else {
                    return offerSlowly(signal, to: watcher, isolation: isolation, slot, &tally)
                }
                tally.delivered += 1
                do { try unsafeDowncast(watcher, to: TypedWatcher<Payload>.self).handler(signal) } catch {
                    fail(error, watcher, signal.name, signal.sequence, &tally)
                }
            }
        }
        leave(slot, pass)
        if tally.isEmpty { reportUndelivered(signal) }
        return DeliveryResult(sequence: pass.sequence, tally)
    }

    /// Delivers an event to the watchers of now.
    ///
    /// Unless `isTyped`, `Payload` isn't what the topic is bound to, and only watchers of any payload can take it.
    @inlinable
    @inline(never)
    func deliver<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> DeliveryResult {
        let pass = begin(slot, call.source, stage: call.stage)
        guard pass.sequence != 0 else {
            return finishUnwatched(slot, payload, pass, call, isTyped: isTyped)
        }
        let signal = Signal(
            name: slot.name, payload: payload, sequence: pass.sequence, depth: Int(pass.depth), object: call.source)
        var tally = DeliveryTally()
        if pass.isMerged {
            deliverMerged(signal, pass, isTyped: isTyped, call, slot, &tally)
        } else if let snapshot = pass.snapshot {
            let watchers = snapshot._withUnsafeGuaranteedRef { $0.openWatchers }
            for watcher in watchers {
                watcher._withUnsafeGuaranteedRef { offer(signal, to: $0, isTyped: isTyped, call, slot, &tally) }
            }
        }
        finish(slot, pass)
        if tally.isEmpty { reportUndelivered(signal) }
        return DeliveryResult(sequence: pass.sequence, tally)
    }

    /// Delivers an event that comes from an object to the watchers of every source and of that one, in one order.
    @inlinable
    @inline(never)
    func deliverMerged<Payload: Sendable>(
        _ signal: Signal<Payload>, _ pass: DeliveryPass, isTyped: Bool, _ call: TriggerCall, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        var walk = mergedWalk(pass, call, slot)
        while let watcher = walk.next() {
            watcher._withUnsafeGuaranteedRef { offer(signal, to: $0, isTyped: isTyped, call, slot, &tally) }
        }
    }

    /// Offers an event to one watcher.
    ///
    /// The plain case is a call of the handler after one relaxed load; the snapshot keeps the watcher alive, so
    /// there is no reference counting.
    @inlinable
    @inline(__always)
    func offer<Payload: Sendable>(
        _ signal: Signal<Payload>, to watcher: Watcher, isTyped: Bool, _ call: TriggerCall, _ slot: TopicSlot,
        _ tally: inout DeliveryTally
    ) {
        if watcher.state.load(ordering: .relaxed) == 0, isTyped {
            do {
                tally.delivered += 1
                try unsafeDowncast(watcher, to: TypedWatcher<Payload>.self).handler(signal)
            } catch {
                fail(error, watcher, signal.name, signal.sequence, &tally)
            }
        } else {
            offerSlowly(signal, to: watcher, isTyped: isTyped, call, slot, &tally)
        }
    }
}

/// The state of a plain trigger while it delivers, small enough to be passed in registers.
@usableFromInline
struct PlainPass {
    /// Pinned; nil if the trigger isn't a plain one.
    @usableFromInline let snapshot: Unmanaged<TopicSnapshot>?
    @usableFromInline let sequence: UInt64
    let thread: BusThread?
    @usableFromInline let depth: UInt32
    let outer: BusThread.Nesting
}

/// The state of a trigger while it delivers.
@usableFromInline
struct DeliveryPass {
    /// Pinned; nil if the topic has no watcher or the trigger was refused.
    @usableFromInline var snapshot: Unmanaged<TopicSnapshot>?
    /// From 1; 0 if no watcher takes the event.
    @usableFromInline var sequence: UInt64 = 0
    @usableFromInline var depth: UInt32
    let outer: BusThread.Nesting
    /// The watchers of everything from the source, retained once.
    var wide: Unmanaged<WatcherList>?
    /// Whether more than the watchers of every source take part.
    @usableFromInline var isMerged = false
    /// Why the delivery ended early, unless there is no watcher.
    var failing: Failing?

    enum Failing {
        case tooDeep
        case diverted
    }
}
