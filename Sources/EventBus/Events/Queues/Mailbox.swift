internal import AshlarCore

/// An event in a queue: one reference for any payload, so that the code of queues is compiled only once.
typealias QueuedEvent = any AnyObject & Sendable

/// The events that wait for one watcher, in the order of their triggers.
///
/// Continuations are resumed, and events are released, outside the lock.
final class Mailbox: Sendable {
    private let state: Mutex<State>
    private let isUnbounded: Bool

    init(_ buffer: EventBuffer) {
        state = Mutex(State(buffer: buffer))
        isUnbounded = buffer == .unbounded
    }

    private struct Consumer {
        let id: UInt64
        let continuation: CheckedContinuation<QueuedEvent?, Never>
    }

    private struct Sender {
        let id: UInt64
        let event: QueuedEvent
        /// The continuation, set when the sender waits.
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct State {
        let buffer: EventBuffer
        var items = Fifo<QueuedEvent>()
        var senders = Fifo<Sender>()
        /// The results, by number, for senders that don't wait yet.
        var decided: [UInt64: Bool] = [:]
        var consumers = Fifo<Consumer>()
        var cancelledConsumers: Set<UInt64> = []
        var lastID: UInt64 = 0
        /// Whether a drainer is running.
        var isDraining = false
        /// Whether new events are refused.
        var isFinished = false
        var counts = EventCounts()
    }

    // MARK: Adding

    /// Adds an event if there is room, or if the buffer drops an older event; returns whether to start a drainer.
    func put(_ event: QueuedEvent) -> (TakeOutcome, mustDrain: Bool) {
        // A dropped event is released outside the lock.
        let (put, consumer, displaced) = state.withLock { state -> ((TakeOutcome, Bool), Consumer?, QueuedEvent?) in
            guard !state.isFinished else { return ((.skipped, false), nil, nil) }
            state.counts.produced += 1
            if let consumer = state.consumers.popFirst() {
                state.counts.consumed += 1
                return ((.queued, false), consumer, nil)
            }
            var displaced: QueuedEvent?
            if state.items.count >= state.buffer.capacity {
                state.counts.dropped += 1
                guard state.buffer.overflow == .dropOldest else { return ((.dropped, false), nil, nil) }
                displaced = state.items.popFirst()
            }
            state.items.append(event)
            let mustDrain = !state.isDraining
            state.isDraining = true
            return ((displaced == nil ? .queued : .displaced, mustDrain), nil, displaced)
        }
        consumer?.continuation.resume(returning: event)
        _ = consume displaced
        return put
    }

    /// Adds an event to the senders that wait for room; returns the number of the sender, or nil if there is room.
    func enqueueSenderIfFull(_ event: QueuedEvent) -> UInt64? {
        state.withLock { state -> UInt64? in
            guard !state.isFinished, state.buffer.overflow == .suspend, state.consumers.isEmpty,
                state.items.count >= state.buffer.capacity || !state.senders.isEmpty
            else { return nil }
            state.lastID += 1
            state.counts.produced += 1
            state.senders.append(Sender(id: state.lastID, event: event))
            return state.lastID
        }
    }

    /// Waits until there is room for the event of a sender; returns false if the event was dropped.
    func waitForRoom(_ id: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let decided = state.withLock { state -> Bool? in
                    if let decided = state.decided.removeValue(forKey: id) { return decided }
                    _ = state.senders.update(where: { $0.id == id }) { $0.continuation = continuation }
                    return nil
                }
                if let decided { continuation.resume(returning: decided) }
            }
        } onCancel: {
            let sender = state.withLock { state -> Sender? in
                let sender = state.senders.removeFirst { $0.id == id }
                guard let sender else { return nil }
                state.counts.dropped += 1
                if sender.continuation == nil { state.decided[id] = false }
                return sender
            }
            sender?.continuation?.resume(returning: false)
        }
    }

    // MARK: Removing

    /// Returns the next event for the drainer; nil ends the drainer, and the next event starts a new one.
    ///
    /// An unbounded mailbox moves all waiting events to the drainer's `batch` at once, so that the drainer and triggers
    /// rarely contend for the lock. In other mailboxes, events remain in the mailbox, where they can be counted and
    /// replaced.
    func takeOrRest(_ batch: inout Fifo<QueuedEvent>) -> QueuedEvent? {
        if let event = batch.popFirst() { return event }
        let empty = isUnbounded ? batch : Fifo<QueuedEvent>()
        let (event, sender, waiting) = state.withLock { state -> (QueuedEvent?, Sender?, Fifo<QueuedEvent>?) in
            if isUnbounded {
                let waiting = state.items
                state.items = empty
                state.counts.consumed += waiting.count
                if waiting.isEmpty { state.isDraining = false }
                return (nil, nil, waiting)
            }
            let (event, sender) = Self.take(&state)
            if event == nil { state.isDraining = false }
            return (event, sender, nil)
        }
        if let waiting { batch = waiting }
        sender?.continuation?.resume(returning: true)
        return event ?? batch.popFirst()
    }

    private static func take(_ state: inout State) -> (QueuedEvent?, Sender?) {
        guard let event = state.items.popFirst() else { return (nil, nil) }
        state.counts.consumed += 1
        guard let sender = state.senders.popFirst() else { return (event, nil) }
        state.items.append(sender.event)
        if sender.continuation == nil { state.decided[sender.id] = true }
        return (event, sender)
    }

    /// Whether no event waits and no drainer is running.
    var isIdle: Bool { state.withLock { !$0.isDraining && $0.items.isEmpty } }

    /// Waits for the next event and returns it; returns nil at the end, or if the task is cancelled.
    func next(isolation: isolated (any Actor)? = #isolation) async -> QueuedEvent? {
        let (event, sender, isOver) = state.withLock { state -> (QueuedEvent?, Sender?, Bool) in
            let (event, sender) = Self.take(&state)
            if event == nil { state.isDraining = false }
            return (event, sender, event == nil && state.isFinished)
        }
        sender?.continuation?.resume(returning: true)
        if event != nil || isOver { return event }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelledConsumers.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An event may have arrived since the first check.
                let (event, sender, isWaiting) = state.withLock { state -> (QueuedEvent?, Sender?, Bool) in
                    let (event, sender) = Self.take(&state)
                    if event != nil { return (event, sender, false) }
                    if state.isFinished || state.cancelledConsumers.contains(id) { return (nil, nil, false) }
                    state.consumers.append(Consumer(id: id, continuation: continuation))
                    return (nil, nil, true)
                }
                sender?.continuation?.resume(returning: true)
                if !isWaiting { continuation.resume(returning: event) }
            }
        } onCancel: {
            let consumer = state.withLock { state in
                let consumer = state.consumers.removeFirst { $0.id == id }
                if consumer == nil { state.cancelledConsumers.insert(id) }
                return consumer
            }
            consumer?.continuation.resume(returning: nil)
        }
    }

    // MARK: The end

    /// Refuses new events; waiting events are still delivered unless they are dropped.
    func finish(throwingAway: Bool) {
        let (items, senders, consumers) = state.withLock { state in
            state.isFinished = true
            let items = throwingAway ? state.items.removeAll() : []
            let senders = state.senders.removeAll()
            state.counts.dropped += items.count + senders.count
            for sender in senders where sender.continuation == nil { state.decided[sender.id] = false }
            return (items, senders, state.consumers.removeAll())
        }
        for sender in senders { sender.continuation?.resume(returning: false) }
        for consumer in consumers { consumer.continuation.resume(returning: nil) }
        // Events are released outside the lock.
        _ = consume items
    }

    var counts: EventCounts {
        state.withLock { state in
            var counts = state.counts
            counts.buffered = state.items.count + state.senders.count
            return counts
        }
    }
}
