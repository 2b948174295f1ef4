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

/// A watcher of a topic that keeps events: it gets those first, and live ones only afterwards.
final class ReplayingWatcher<Payload: Sendable>: TypedWatcher<Payload>, @unchecked Sendable {
    // Unchecked because the superclass is; the number is written before anyone else sees the watcher.
    private let inner: TypedWatcher<Payload>
    /// Closed until the kept events have been handed over.
    private let gate = SerialRunner(isClosed: true)
    private var lastReplayed: UInt64 = 0

    init(_ options: WatchOptions, inner: TypedWatcher<Payload>) {
        self.inner = inner
        let traits: WatcherState = inner.isUntyped ? [.indirect, .untyped] : .indirect
        super.init(options, id: inner.id, traits: traits) { _ in }
    }

    override var isQueued: Bool { inner.isQueued }

    /// Says up to which event the watcher is served from what was kept; called under the lock of the slot.
    func willReplay(through sequence: UInt64) { lastReplayed = sequence }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        // A trigger that was kept before this watch was made has been replayed, even if it is delivered only now.
        guard signal.sequence > lastReplayed else { return .skipped }
        let result = TakingBox()
        let isDone = gate.run { [inner] in result.value = Result { try inner.take(signal, call) } }
        return isDone ? try result.value.get() : .queued
    }

    /// Hands the kept events over, then those that have come meanwhile.
    func replay(_ kept: [KeptEvents.Kept], of name: String, once: Bool, on bus: EventBus) {
        let call = TriggerCall(source: nil, isolation: nil, fileID: #fileID, line: #line)
        for event in kept where isLive {
            guard let payload = event.payload as? Payload else { continue }
            let source = event.source
            if details?.sourceID != nil {
                guard let source, details?.isSource(source) ?? false else { continue }
            }
            if once, !claim() { break }
            let signal = Signal(
                name: name, payload: payload, sequence: event.sequence, depth: 0, object: source)
            do { _ = try inner.take(signal, call) } catch {
                bus.report(EventFailure(error: error, name: name, sequence: event.sequence, watcher: place))
            }
            if once {
                if !isQueued { bus.forget(self, topic: name) }
                break
            }
        }
        gate.open()
    }

    override func didCancel() {
        _ = inner.cancel()
        inner.didCancel()
    }
}

/// Where the one who runs work leaves its result for the one who has asked for it, on the same thread.
private final class TakingBox: @unchecked Sendable {
    // Unchecked because it is read by the thread that wrote it only.
    var value: Result<Taking, any Error> = .success(.skipped)
}

extension Watcher {
    final var isUntyped: Bool { state.load(ordering: .relaxed) & WatcherState.untyped.rawValue != 0 }
}
