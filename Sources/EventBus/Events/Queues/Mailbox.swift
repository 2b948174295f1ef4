internal import AshlarCore

/// The events that wait for one watcher, in the order of their triggers.
///
/// Continuations are resumed, and events are released, outside the lock.
final class Mailbox<Element: Sendable>: Sendable {
    private let state: Mutex<State>

    init(_ buffer: EventBuffer) { state = Mutex(State(buffer: buffer)) }

    /// A sender that waits for room for its event; the result is whether there was room.
    private struct Sender {
        let event: Element
        let room: PendingResult<Bool>
    }

    private struct State {
        let buffer: EventBuffer
        var items = Fifo<Element>()
        var senders = Fifo<Sender>()
        /// The readers that wait for an event, in the order of their arrival.
        var readers = Fifo<PendingResult<Element?>>()
        /// Whether a drainer is running.
        var isDraining = false
        /// Whether new events are refused.
        var isFinished = false
        /// The number of events that were dropped because there was no room, or at the end.
        var dropped = 0

        /// Removes the next event; its place belongs to the first sender, whose wait the caller ends.
        mutating func take() -> (Element?, Sender?) {
            guard let event = items.popFirst() else { return (nil, nil) }
            let sender = senders.popFirst()
            if let sender { items.append(sender.event) }
            return (event, sender)
        }
    }

    // MARK: Adding

    /// The result of adding an event.
    struct Put {
        var outcome: TakeOutcome
        /// Whether to start a drainer.
        var mustDrain = false
        /// The wait of the sender; nil if it needn't wait.
        var room: PendingResult<Bool>?
    }

    /// Adds an event if there is room, or if the buffer drops an older event.
    ///
    /// If the buffer suspends and the caller can wait, the event is added to the senders that wait for room.
    func put(_ event: Element, canWait: Bool = false) -> Put {
        // A dropped event is released outside the lock.
        let (put, reader, displaced) = state.withLock { state -> (Put, PendingResult<Element?>?, Element?) in
            guard !state.isFinished else { return (Put(outcome: .skipped), nil, nil) }
            if let reader = state.readers.popFirst() { return (Put(outcome: .queued), reader, nil) }
            var displaced: Element?
            if state.items.count >= state.buffer.capacity {
                if canWait, state.buffer.overflow == .suspend {
                    let room = PendingResult<Bool>()
                    state.senders.append(Sender(event: event, room: room))
                    return (Put(outcome: .skipped, room: room), nil, nil)
                }
                state.dropped += 1
                guard state.buffer.overflow == .dropOldest else { return (Put(outcome: .dropped), nil, nil) }
                displaced = state.items.popFirst()
            }
            state.items.append(event)
            let mustDrain = !state.isDraining
            state.isDraining = true
            return (Put(outcome: displaced == nil ? .queued : .displaced, mustDrain: mustDrain), nil, displaced)
        }
        if let reader, !reader.finish(.success(event)) {
            // The reader was cancelled, so the event goes to the next one or waits.
            return self.put(event, canWait: canWait)
        }
        _ = consume displaced
        return put
    }

    /// Waits until there is room for the event of a sender; returns whether it was queued or dropped.
    func waitForRoom(_ room: PendingResult<Bool>) async -> DeliveryResult {
        let isQueued: Bool
        do { isQueued = try await room.wait() } catch {
            let (sender, isFinished) = state.withLock { state in
                let sender = state.senders.removeFirst { $0.room === room }
                if sender != nil { state.dropped += 1 }
                return (sender, state.isFinished)
            }
            // A reader may have taken the event before the cancellation.
            isQueued = sender == nil && !isFinished
        }
        return DeliveryResult().adding(queued: isQueued ? 1 : 0, dropped: isQueued ? 0 : 1)
    }

    // MARK: Removing

    /// Returns the next event for the drainer; nil ends the drainer, and the next event starts a new one.
    func takeOrRest() -> Element? {
        let (event, sender) = state.withLock { state in
            let (event, sender) = state.take()
            if event == nil { state.isDraining = false }
            return (event, sender)
        }
        sender?.room.finish(.success(true))
        return event
    }

    /// Whether no event waits and no drainer is running.
    var isIdle: Bool { state.withLock { !$0.isDraining && $0.items.isEmpty } }

    /// Waits for the next event and returns it; returns nil at the end, or if the task is cancelled.
    func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
        let (event, sender, reader) = state.withLock { state in
            let (event, sender) = state.take()
            guard event == nil, !state.isFinished else { return (event, sender, nil as PendingResult<Element?>?) }
            let reader = PendingResult<Element?>()
            state.readers.append(reader)
            return (nil, nil, reader)
        }
        sender?.room.finish(.success(true))
        guard let reader else { return event }
        do { return try await reader.wait() } catch {
            state.withLock { _ = $0.readers.removeFirst { $0 === reader } }
            return nil
        }
    }

    // MARK: The end

    /// Refuses new events; waiting events are still delivered unless they are dropped.
    func finish(throwingAway: Bool) {
        let (items, senders, readers) = state.withLock { state in
            state.isFinished = true
            let items = throwingAway ? state.items.removeAll() : []
            let senders = state.senders.removeAll()
            state.dropped += items.count + senders.count
            return (items, senders, state.readers.removeAll())
        }
        for sender in senders { sender.room.finish(.success(false)) }
        for reader in readers { reader.finish(.success(nil)) }
        // Events are released outside the lock.
        _ = consume items
    }

    /// The waiting events.
    var unread: [Element] { state.withLock { $0.items.all } }

    var dropped: Int { state.withLock { $0.dropped } }

    /// The number of waiting events, including those of suspended senders.
    var waiting: Int { state.withLock { $0.items.count + $0.senders.count } }
}

/// The capacity of a watcher's queue, and the event that is dropped when the queue is full.
///
/// Every dropped event is counted, in the result of the trigger and by the stream.
public struct EventBuffer: Sendable, Hashable {
    enum Overflow: Hashable {
        case dropOldest
        case dropNewest
        case suspend
    }
    let capacity: Int
    let overflow: Overflow

    private init(_ capacity: Int, _ overflow: Overflow) {
        precondition(capacity > 0, "an EventBuffer needs a capacity of at least 1, not \(capacity)")
        self.capacity = capacity
        self.overflow = overflow
    }

    /// Stores the newest events; a new one replaces the oldest.
    ///
    /// - Precondition: `0 < capacity`.
    public static func newest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropOldest) }

    /// Stores the oldest events; a new one is dropped if the buffer is full.
    ///
    /// - Precondition: `0 < capacity`.
    public static func oldest(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .dropNewest) }

    /// Stores every event, limited only by memory.
    public static let unbounded = EventBuffer(.max, .dropNewest)

    /// Makes `send` wait until there is room; `trigger`, which can't wait, drops its event.
    ///
    /// - Precondition: `0 < capacity`.
    public static func suspend(_ capacity: Int) -> EventBuffer { EventBuffer(capacity, .suspend) }
}
