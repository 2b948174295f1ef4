internal import AshlarCore

/// What waits for one watcher, in the order in which it was triggered.
///
/// The state is a plain value that says what is to be done; the mailbox does it once it has left the lock. No
/// continuation is resumed, and nothing of a user's is released, under the lock.
final class Mailbox: Sendable {
    private let state: Mutex<State>
    private let isUnbounded: Bool

    init(_ buffer: EventBuffer) {
        state = Mutex(State(buffer: buffer))
        isUnbounded = buffer == .unbounded
    }

    private struct Consumer {
        let ticket: UInt64
        let continuation: CheckedContinuation<QueuedEvent?, Never>
    }

    private struct Sender {
        let ticket: UInt64
        let event: QueuedEvent
        /// Set once the sender waits.
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct State {
        let buffer: EventBuffer
        var items = Fifo<QueuedEvent>()
        var senders = Fifo<Sender>()
        /// Tickets of senders whose fate was decided before they waited.
        var decided: [UInt64: Bool] = [:]
        var consumers = Fifo<Consumer>()
        var cancelledConsumers: Set<UInt64> = []
        var lastTicket: UInt64 = 0
        /// Whether a drainer is under way.
        var isDraining = false
        /// Whether nothing more is taken in.
        var isFinished = false
        var counts = EventCounts()
    }

    // MARK: Putting in

    /// Puts an event in, if there is room or can be made; says whether a drainer must be started.
    func put(_ event: QueuedEvent) -> (Taking, mustDrain: Bool) {
        // What is dropped leaves the lock before it is released.
        let (put, consumer, displaced) = state.withLock { state -> ((Taking, Bool), Consumer?, QueuedEvent?) in
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

    /// Puts an event into the queue of those that wait for room; returns its ticket, or nil if there is room.
    func ticketIfFull(_ event: QueuedEvent) -> UInt64? {
        state.withLock { state -> UInt64? in
            guard !state.isFinished, state.buffer.overflow == .suspend, state.consumers.isEmpty,
                state.items.count >= state.buffer.capacity || !state.senders.isEmpty
            else { return nil }
            state.lastTicket += 1
            state.counts.produced += 1
            state.senders.append(Sender(ticket: state.lastTicket, event: event))
            return state.lastTicket
        }
    }

    /// Waits until the event with a ticket has found room; false if it never will.
    func waitForRoom(_ ticket: UInt64) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let decided = state.withLock { state -> Bool? in
                    if let decided = state.decided.removeValue(forKey: ticket) { return decided }
                    _ = state.senders.update(where: { $0.ticket == ticket }) { $0.continuation = continuation }
                    return nil
                }
                if let decided { continuation.resume(returning: decided) }
            }
        } onCancel: {
            let sender = state.withLock { state -> Sender? in
                let sender = state.senders.removeFirst { $0.ticket == ticket }
                guard let sender else { return nil }
                state.counts.dropped += 1
                if sender.continuation == nil { state.decided[ticket] = false }
                return sender
            }
            sender?.continuation?.resume(returning: false)
        }
    }

    // MARK: Taking out

    /// Takes the next event out for the drainer; nil ends the drainer, and the next event starts another.
    ///
    /// Where nothing is ever dropped, all that waits moves to the drainer's `batch` at once, so that drainer and
    /// triggers seldom want the lock at the same time; elsewhere it stays here, to be counted and replaced.
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
        if sender.continuation == nil { state.decided[sender.ticket] = true }
        return (event, sender)
    }

    /// Whether nothing waits and no drainer is under way.
    var isIdle: Bool { state.withLock { !$0.isDraining && $0.items.isEmpty } }

    /// Takes the next event out, waiting for it; nil at the end, or if the task is cancelled.
    func next(isolation: isolated (any Actor)? = #isolation) async -> QueuedEvent? {
        let (event, sender, isOver) = state.withLock { state -> (QueuedEvent?, Sender?, Bool) in
            let (event, sender) = Self.take(&state)
            if event == nil { state.isDraining = false }
            return (event, sender, event == nil && state.isFinished)
        }
        sender?.continuation?.resume(returning: true)
        if event != nil || isOver { return event }
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        defer { state.withLock { _ = $0.cancelledConsumers.remove(ticket) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Something may have come since.
                let (event, sender, isWaiting) = state.withLock { state -> (QueuedEvent?, Sender?, Bool) in
                    let (event, sender) = Self.take(&state)
                    if event != nil { return (event, sender, false) }
                    if state.isFinished || state.cancelledConsumers.contains(ticket) { return (nil, nil, false) }
                    state.consumers.append(Consumer(ticket: ticket, continuation: continuation))
                    return (nil, nil, true)
                }
                sender?.continuation?.resume(returning: true)
                if !isWaiting { continuation.resume(returning: event) }
            }
        } onCancel: {
            let consumer = state.withLock { state in
                let consumer = state.consumers.removeFirst { $0.ticket == ticket }
                if consumer == nil { state.cancelledConsumers.insert(ticket) }
                return consumer
            }
            consumer?.continuation.resume(returning: nil)
        }
    }

    // MARK: The end

    /// Takes nothing more in; what is here is still delivered unless it is dropped.
    func finish(throwingAway: Bool) {
        let (items, senders, consumers) = state.withLock { state in
            state.isFinished = true
            let items = throwingAway ? state.items.removeAll() : []
            let senders = state.senders.removeAll()
            state.counts.dropped += items.count + senders.count
            for sender in senders where sender.continuation == nil { state.decided[sender.ticket] = false }
            return (items, senders, state.consumers.removeAll())
        }
        for sender in senders { sender.continuation?.resume(returning: false) }
        for consumer in consumers { consumer.continuation.resume(returning: nil) }
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

/// What has become of the events of a watcher that takes them later.
///
/// At any moment `produced == consumed + dropped + buffered`.
public struct EventCounts: Hashable, Sendable {
    /// The events that were triggered while it watched.
    public internal(set) var produced = 0
    /// The events that it has received.
    public internal(set) var consumed = 0
    /// The events that were dropped because there was no room, or at the end.
    public internal(set) var dropped = 0
    /// The events that wait, those of suspended senders included.
    public internal(set) var buffered = 0
}
