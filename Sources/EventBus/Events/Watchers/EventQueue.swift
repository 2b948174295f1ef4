internal import AshlarCore
import Synchronization

/// The queue of a watcher whose handler runs later: events wait in a mailbox, and one task at a time handles them.
final class EventQueue<Payload: Sendable>: Sendable {
    /// Called after the error of a handler or the only event of a watch.
    typealias DidHandle = @Sendable (Watcher, SignalContext, (any Error)?) -> Void

    let mailbox: Mailbox<QueuedSignal<Payload>>
    /// Runs the handler inside the trigger if the caller is on the main actor; nil in all other queues.
    private let callOnMain: (@Sendable (Signal<Payload>) throws -> Bool)?
    /// Handles the waiting events; nil for a stream, whose reader handles them.
    private let drain: (@Sendable (TypedHandler<Payload>) async -> Void)?

    /// Creates a queue: without arguments that say how events are handled, that of a stream.
    init(
        _ buffer: EventBuffer, callOnMain: (@Sendable (Signal<Payload>) throws -> Bool)? = nil,
        drain: (@Sendable (TypedHandler<Payload>) async -> Void)? = nil
    ) {
        mailbox = Mailbox(buffer)
        self.callOnMain = callOnMain
        self.drain = drain
    }

    /// Returns a queue whose handler runs in a task.
    static func task(
        _ buffer: EventBuffer, didHandle: @escaping DidHandle,
        handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> EventQueue {
        EventQueue(
            buffer,
            drain: { target in
                await target.drain(isolation: nil) { await target.handle($0, didHandle, handler) }
            })
    }

    /// Returns a queue whose handler runs for several events at the same time.
    static func tasks(
        _ limit: Int, didHandle: @escaping DidHandle,
        handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> EventQueue {
        let places = TaskPlaces(limit)
        return EventQueue(
            .unbounded,
            drain: { target in
                await Watcher.$handling.withValue(target.handlingSelf) {
                    await withDiscardingTaskGroup { group in
                        await places.take()
                        while let event = target.nextEvent() {
                            group.addTask {
                                await target.handle(event, didHandle, handler)
                                places.leave()
                            }
                            // Before the next event is taken, so that it can still end with the watch.
                            await places.take()
                        }
                        places.leave()
                    }
                }
            })
    }

    /// Returns a queue whose handler runs on an actor, which isn't retained; it is the owner of the watch.
    static func actor<On: Actor>(
        _ actor: On, _ buffer: EventBuffer, didHandle: @escaping DidHandle,
        handler: @escaping @Sendable (isolated On, Signal<Payload>) async throws -> Void
    ) -> EventQueue {
        @Sendable func drain(_ target: TypedHandler<Payload>, on actor: isolated On) async {
            await target.drain(isolation: actor) {
                await target.handle($0, isolation: actor, didHandle) { signal in
                    guard target.watcher.isLive else { return false }
                    try await handler(actor, signal)
                    return true
                }
            }
        }
        return EventQueue(
            buffer,
            drain: { [weak actor] target in
                if let actor { await drain(target, on: actor) } else { target.didCancel() }
            })
    }

    /// Returns a queue for the main actor.
    ///
    /// If the caller is on the main actor and no event waits, the handler runs at once. The handler returns false if
    /// the owner of the watch has been released.
    static func main(
        isAlwaysQueued: Bool, didHandle: @escaping DidHandle,
        handler: @escaping @MainActor @Sendable (Signal<Payload>) throws -> Bool
    ) -> EventQueue {
        let call: @Sendable (Signal<Payload>) throws -> Bool = { signal in
            try MainActor.assumeIsolated { try handler(signal) }
        }
        return EventQueue(
            .unbounded, callOnMain: isAlwaysQueued ? nil : call,
            drain: { @MainActor target in
                await target.drain(isolation: MainActor.shared) {
                    await target.handle($0, isolation: MainActor.shared, didHandle) {
                        try target.watcher.isLive && handler($0)
                    }
                }
            })
    }

    /// Receives an event for the handler of this queue.
    func take(_ signal: Signal<Payload>, _ call: TriggerCall, for target: TypedHandler<Payload>) throws -> TakeOutcome {
        if let callOnMain, call.isOnMain, mailbox.isIdle { return try callOnMain(signal) ? .delivered : .skipped }
        let handling = call.awaitsHandlers ? EventHandling() : nil
        let put = mailbox.put(QueuedSignal(signal, handling), canWait: call.sending != nil)
        if let handling {
            // A finished mailbox takes no event.
            if put.outcome == .skipped, put.room == nil { return .skipped }
            call.sending?.add { [end = handling.end, mailbox, room = put.room] in
                if let room {
                    let result = await mailbox.waitForRoom(room)
                    if result.dropped > 0 { return result }
                }
                return (try? await end.wait()) ?? .postponed
            }
        } else if let room = put.room {
            call.sending?.add { [mailbox] in await mailbox.waitForRoom(room) }
        }
        if put.mustDrain, let drain { Task.detached(priority: Task.currentPriority) { await drain(target) } }
        guard handling != nil else { return put.room == nil ? put.outcome : .awaited }
        // The event itself is counted when it has been handled or dropped.
        return put.outcome == .displaced ? .dropped : .awaited
    }

    /// Ends the queue; the reader of a stream still receives the waiting events.
    func end() { mailbox.finish(throwingAway: drain != nil) }
}

extension TypedHandler {
    /// The watches whose handlers run in a task that drains this one.
    fileprivate var handlingSelf: Set<UInt64> { Watcher.handling.union([watcher.id]) }

    /// Handles the waiting events, and yields from time to time.
    fileprivate func drain(isolation: isolated (any Actor)?, _ handle: (QueuedSignal<Payload>) async -> Void) async {
        await Watcher.$handling.withValue(handlingSelf) {
            var handled = 0
            while let event = nextEvent() {
                await handle(event)
                handled += 1
                if handled % 64 == 0 { await Task.yield() }
            }
        }
    }

    /// Returns the next event for the drainer; nil ends the drainer.
    fileprivate func nextEvent() -> QueuedSignal<Payload>? {
        while let event = queue?.mailbox.takeOrRest() {
            if watcher.isLive { return event }
        }
        return nil
    }

    /// Calls a handler that has no actor for an event.
    fileprivate func handle(
        _ event: QueuedSignal<Payload>, _ didHandle: EventQueue<Payload>.DidHandle,
        _ handler: (Signal<Payload>) async throws -> Void
    ) async {
        await handle(event, isolation: nil, didHandle) { signal in
            guard watcher.isLive else { return false }
            try await handler(signal)
            return true
        }
    }

    /// Calls the handler for an event; `body` returns false if it doesn't, because the watch or its owner has ended.
    ///
    /// `body` checks this itself: it runs in the isolation of the handler, and nothing can be cancelled there between the check
    /// and the call. Before, the task may wait for its actor.
    fileprivate func handle(
        _ event: QueuedSignal<Payload>, isolation: isolated (any Actor)?, _ didHandle: EventQueue<Payload>.DidHandle,
        _ body: (Signal<Payload>) async throws -> Bool
    ) async {
        let signal = event.signal
        var hasRun = true
        var failure: (any Error)?
        do {
            hasRun = try await MetadataBox.handle(signal.context.metadata, isolation: isolation) {
                try await body(signal)
            }
        } catch {
            failure = error
        }
        if failure != nil || watcher.isOnce { didHandle(watcher, signal.context, failure) }
        // Otherwise the event counts as dropped when it is released.
        if hasRun { event.didHandle(isObserver: watcher.isObserver, failure) }
    }
}

/// The places of tasks that run at the same time, of which one loop takes places.
private final class TaskPlaces: Sendable {
    private let state: Mutex<(free: Int, waiting: CheckedContinuation<Void, Never>?)>

    init(_ count: Int) { state = Mutex((count, nil)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the place to the loop that waits for one.
    func leave() {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.free += 1 }
            return state.waiting.take()
        }
        waiting?.resume()
    }
}

/// A signal in a queue.
struct QueuedSignal<Payload: Sendable>: Sendable {
    let signal: Signal<Payload>
    private let handling: EventHandling?

    init(_ signal: Signal<Payload>, _ handling: EventHandling?) {
        self.signal = signal
        self.handling = handling
    }

    /// Resumes a sender that waits for the handler.
    func didHandle(isObserver: Bool, _ error: (any Error)?) {
        handling?.end.finish(.success(.called(isObserver: isObserver, error)))
    }

    /// Resumes a sender that waits for a handler that won't be called.
    func drop() { handling?.end.finish(.success(.droppedEvent)) }
}

/// The handling of a queued event for which its sender waits; an event that is released before is dropped.
final class EventHandling: Sendable {
    let end = PendingResult<DeliveryResult>()

    deinit { end.finish(.success(.droppedEvent)) }
}
