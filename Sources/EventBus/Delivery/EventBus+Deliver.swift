public import Synchronization

extension EventBus {
    /// Delivers an event to a topic whose slot on this bus isn't cached.
    @usableFromInline
    @inline(never)
    func resolveAndDeliver<Payload: Sendable>(
        _ core: TopicCore, _ payload: Payload, _ call: TriggerCall
    ) -> DeliveryResult {
        do throws(EventBusError) {
            return deliver(try declare(core, Payload.self, at: call.location), payload, call, isTyped: true)
        } catch {
            return refuse(error)
        }
    }

    /// Delivers an event to the watchers of every source; returns nil if the delivery isn't plain.
    ///
    /// Nearly every trigger is delivered here. The arguments of the trigger are separate parameters, because creating,
    /// copying and destroying a `TriggerCall` takes a seventh of the time of a trigger to one watcher.
    @inlinable
    @inline(never)
    func deliverPlainly<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, from source: AnyObject?, isolation: (any Actor)?
    ) -> DeliveryResult? {
        let pass = enter(slot, from: source)
        guard let snapshot = pass.snapshot else { return nil }
        let signal = Signal(
            name: slot.name, payload: payload, sequence: pass.sequence, depth: Int(pass.depth), object: source)
        // The tally of the other cases, which are rare, has its own variable, so that this one remains in a register.
        var (delivered, tally) = (0, DeliveryTally())
        for watcher in snapshot._withUnsafeGuaranteedRef({ $0.openWatchers }) {
            watcher._withUnsafeGuaranteedRef { watcher in
                guard watcher.state.load(ordering: .relaxed) == 0 else {
                    return offerSlowly(signal, to: watcher, isolation: isolation, slot, &tally)
                }
                delivered &+= 1
                do { try unsafeDowncast(watcher, to: TypedWatcher<Payload>.self).handler(signal) } catch {
                    fail(error, watcher, signal.name, signal.sequence, &tally)
                }
            }
        }
        leave(slot, pass)
        if tally.isEmpty, delivered > 0 { return DeliveryResult(sequence: pass.sequence, delivered: delivered) }
        tally.delivered &+= delivered
        if tally.isEmpty { reportUndelivered(signal) }
        return DeliveryResult(sequence: pass.sequence, tally)
    }

    /// Delivers an event to the current watchers.
    ///
    /// Unless `isTyped`, the topic is bound to another type than `Payload`, and only watchers of any payload receive
    /// the event.
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
            name: slot.name, payload: payload, sequence: pass.sequence, depth: Int(pass.depth), object: call.source,
            box: call.metadata)
        var tally = DeliveryTally()
        if pass.isMerged, let source = call.source {
            for watcher in watchers(of: source, pass, slot) {
                offer(signal, to: watcher, isTyped: isTyped, call, slot, &tally)
            }
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

    /// Offers an event to one watcher.
    ///
    /// In the plain case, the handler is called after one relaxed load. The snapshot retains the watcher, so there is
    /// no reference counting.
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

/// The state of a plain trigger during its delivery, small enough to be passed in registers.
@usableFromInline
struct PlainPass {
    /// The pinned snapshot; nil if the trigger isn't a plain one.
    @usableFromInline let snapshot: Unmanaged<TopicSnapshot>?
    @usableFromInline let sequence: UInt64
    let thread: BusThread
    @usableFromInline let depth: UInt32
}

/// The state of a trigger during its delivery.
@usableFromInline
struct DeliveryPass {
    /// The pinned snapshot; nil if the topic has no watcher or the trigger was refused.
    @usableFromInline var snapshot: Unmanaged<TopicSnapshot>?
    /// The number of the event, from 1; 0 if no watcher receives the event.
    @usableFromInline var sequence: UInt64 = 0
    @usableFromInline var depth: UInt32
    let outer: BusThread.Nesting
    /// The watchers of all events from the source, retained once.
    var wide: Unmanaged<WatcherList>?
    /// Whether there are other watchers than those without a source.
    @usableFromInline var isMerged = false
    /// The reason why the delivery ended early, except for a missing watcher.
    var failing: Failing?

    enum Failing {
        case tooDeep
        case diverted
    }
}
