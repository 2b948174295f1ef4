import Synchronization

/// The last events of a topic that keeps some, for watchers that come later.
struct KeptEvents: Sendable {
    struct Kept: @unchecked Sendable {
        // Unchecked because of the source, which is compared and handed on, never used.
        let payload: any Sendable
        let sequence: UInt64
        let hasSource: Bool
        private(set) weak var source: AnyObject?

        init(payload: any Sendable, sequence: UInt64, source: AnyObject?) {
            (self.payload, self.sequence, self.source) = (payload, sequence, source)
            hasSource = source != nil
        }
    }

    var limit = 0
    private(set) var events: [Kept] = []

    /// Adds an event; returns the ones that are pushed out, to be released outside the lock.
    mutating func add(_ event: Kept) -> [Kept] {
        events.append(event)
        guard events.count > limit else { return [] }
        defer { events.removeFirst(events.count - limit) }
        return Array(events.prefix(events.count - limit))
    }

    mutating func removeAll() -> [Kept] {
        defer { events = [] }
        return events
    }
}

/// The stored events of one topic, for a new watcher.
struct KeptReplay: Sendable {
    let name: String
    let events: [KeptEvents.Kept]
}

/// A watcher of topics that store events: it receives those first, and live events afterwards.
final class ReplayingWatcher<Payload: Sendable>: TypedWatcher<Payload>, @unchecked Sendable {
    // Unchecked because the superclass is; the numbers are written before the gate lets anybody pass and read
    // behind it.
    private let inner: TypedWatcher<Payload>
    private let isOnce: Bool
    private weak let bus: EventBus?
    private let gate = ReplayGate()
    /// By topic, the number of the last stored event that the watcher receives.
    private var lastReplayed: [ByteText: UInt64] = [:]
    private var lastOfAll: UInt64 = 0

    init(_ options: WatchOptions, inner: TypedWatcher<Payload>, bus: EventBus) {
        (self.inner, self.bus, isOnce) = (inner, bus, options.once)
        // Which event is the one that is wanted can only be told behind the gate.
        var options = options
        options.once = false
        super.init(options, id: inner.id, traits: inner.isUntyped ? [.indirect, .untyped] : .indirect) { _ in }
    }

    override var isQueued: Bool { inner.isQueued }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        if gate.isOpen { return try takeLive(signal, call) }
        let passage = call.sending?.awaitPassage()
        let thread = BusThread.current.number
        let producer: ReplayGate.Producer = call.isInTurn ? .orderedTopic(signal.name) : .thread(thread)
        let mustWait = gate.leave(producer) { [self] in
            takeLate(signal, call, from: thread)
            passage?.isOver()
        }
        if mustWait { return .queued }
        passage?.isOver()
        return try takeLive(signal, call)
    }

    /// Takes an event that was left at the gate by a thread, on this or another one.
    private func takeLate(_ signal: Signal<Payload>, _ call: TriggerCall, from thread: UInt32) {
        var call = call
        call.arrive(from: thread)
        // As deep as it would have been handled at once: a handler that triggers its own topic ends at the limit.
        let thread = BusThread.current
        let outer = thread.nesting
        if let bus {
            let depth = max(outer.depth(on: bus), UInt32(clamping: signal.depth + 1))
            thread.nesting = BusThread.Nesting(bus, depth: depth)
        }
        defer { thread.nesting = outer }
        do { _ = try takeLive(signal, call) } catch {
            bus?.report(EventFailure(error: error, name: signal.name, sequence: signal.sequence, watcher: location))
        }
    }

    private func takeLive(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        // A trigger that was kept before this watch was made has been replayed, even if it is delivered only now.
        if signal.sequence <= lastOfAll, signal.sequence <= lastReplayed[ByteText(signal.name)] ?? 0 { return .skipped }
        return try hand(signal, call)
    }

    private func hand(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        guard isLive, !isOnce || claim() else { return .skipped }
        // One that handles its event later is forgotten after that, so that it can still be cancelled.
        if isOnce, !isQueued { bus?.forget(self, topic: signal.name) }
        return try inner.take(signal, call)
    }

    /// Delivers the stored events in the order of their triggers, then the events that have arrived meanwhile.
    func replay(_ replays: [KeptReplay]) {
        for replay in replays { lastReplayed[ByteText(replay.name)] = replay.events.last?.sequence }
        lastOfAll = lastReplayed.values.max() ?? 0
        let call = TriggerCall(source: nil, isolation: nil, fileID: #fileID, line: #line, column: #column)
        let kept = replays.flatMap { replay in replay.events.map { (replay.name, $0) } }
        for (name, event) in kept.sorted(by: { $0.1.sequence < $1.1.sequence }) {
            guard let payload = event.payload as? Payload else { continue }
            let source = event.source
            if let details, details.sourceID != nil {
                guard let source, details.isSource(source) else { continue }
            }
            let signal = Signal(name: name, payload: payload, sequence: event.sequence, depth: 0, object: source)
            do { _ = try hand(signal, call) } catch {
                bus?.report(EventFailure(error: error, name: name, sequence: event.sequence, watcher: location))
            }
        }
        gate.open()
    }

    override func didCancel() {
        _ = inner.cancel()
        inner.didCancel()
    }
}

extension Watcher {
    final var isUntyped: Bool { state.load(ordering: .relaxed) & WatcherState.untyped.rawValue != 0 }
}
