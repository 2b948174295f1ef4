public import Synchronization

extension EventBus {
    @inlinable
    @inline(never)
    func deliver<Payload: Sendable>(_ core: TopicCore, _ payload: Payload, _ call: TriggerCall) -> TriggerReceipt {
        guard let slot = resolve(core, Payload.self, call) else { return refuseMismatch(core, Payload.self, call) }
        return deliver(slot, payload, call, isTyped: true)
    }

    /// Delivers an event to the watchers of now.
    ///
    /// Unless `isTyped`, `Payload` is not what the topic is bound to, and only watchers of any payload can take it.
    @inlinable
    func deliver<Payload: Sendable>(
        _ slot: TopicSlot, _ payload: Payload, _ call: TriggerCall, isTyped: Bool
    ) -> TriggerReceipt {
        let pass = begin(slot, call)
        guard let snapshot = pass.snapshot else {
            return finishUnwatched(slot, payload, pass, call)
        }
        let signal = Signal(
            name: slot.name, payload: payload, sequence: pass.sequence, depth: pass.depth, object: pass.source)
        var tally = DeliveryTally()
        if pass.isMerged {
            var walk = mergedWalk(pass)
            while let watcher = walk.next() {
                watcher._withUnsafeGuaranteedRef { offer(signal, to: $0, isTyped: isTyped, call, slot, &tally) }
            }
        } else {
            snapshot._withUnsafeGuaranteedRef { snapshot in
                let (start, count) = (snapshot.open.start, snapshot.open.count)
                for index in 0..<count {
                    start[index]._withUnsafeGuaranteedRef {
                        offer(signal, to: $0, isTyped: isTyped, call, slot, &tally)
                    }
                }
            }
        }
        let receipt = finish(pass, tally)
        if tally.isEmpty { tellUndelivered(signal) }
        return receipt
    }

    /// Offers an event to one watcher.
    ///
    /// The plain case is a call of the handler after one relaxed load; the snapshot
    /// keeps the watcher alive, so nothing is counted.
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

/// What a trigger holds while it delivers.
@usableFromInline
struct DeliveryPass {
    /// Counted up once; nil if nobody watches or the trigger was refused.
    @usableFromInline let snapshot: Unmanaged<TopicSnapshot>?
    /// The watchers of everything from the source.
    let wide: WatcherList?
    @usableFromInline let source: AnyObject?
    @usableFromInline let sequence: UInt64
    @usableFromInline let depth: Int
    /// Whether more than the watchers of every source take part.
    @usableFromInline let isMerged: Bool
    let isRefused: Bool
}

/// What has come of an event so far.
@usableFromInline
struct DeliveryTally {
    @usableFromInline var delivered = 0
    var queued = 0
    var dropped = 0
    var failures: [any Error] = []

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { delivered == 0 && queued == 0 && dropped == 0 && failures.isEmpty }
}
