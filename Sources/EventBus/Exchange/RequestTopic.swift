internal import AshlarCore

/// A name bound to the payload types of a request and of its reply.
///
/// ```swift
/// let length = RequestTopic<String, Int>("text:length")
/// let bus = EventBus()
/// let watch = try bus.respond(to: length) { text in text.count }
/// print(try await bus.request(length, "abc"))  // 3
/// watch.cancel()
/// ```
///
/// A request is an event, so patterns, hooks and the tap receive it, too.
public struct RequestTopic<Request: Sendable, Reply: Sendable>: Sendable {
    let topic: Topic<PendingRequest<Request, Reply>>

    /// Creates a topic with a literal name.
    ///
    /// - Precondition: The name is well-formed.
    public init(_ name: StaticString) { topic = Topic(name) }

    /// Creates a topic with a name known at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedName`.
    public init(named name: String) throws(EventBusError) { topic = try Topic(named: name) }

    /// The topic's name.
    public var name: String { topic.name }
}

extension EventBus {
    /// Answers the requests of a topic, one at a time, until the returned watch is cancelled.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - fileID: The file for reports.
    ///   - line: The line for reports.
    ///   - column: The column for reports.
    ///   - handler: Returns the reply. If it throws, the caller of the request receives the error.
    /// - Returns: The handle that ends the watch. Waiting requests then fail with the code `noReply`.
    /// - Throws: ``EventBusError`` with the code `duplicateResponder` and both source locations if the topic already
    ///   has a responder.
    public func respond<Request, Reply>(
        to topic: RequestTopic<Request, Reply>, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column, _ handler: @escaping @Sendable (Request) async throws -> Reply
    ) throws(EventBusError) -> Watch {
        let location = EventLocation(fileID, line, column)
        let key = ByteText(topic.name)
        // The responder is stored under the lock, so only one of two concurrent calls succeeds.
        let (watch, other) = responders.withLock { responders -> (Watch?, EventLocation?) in
            if let old = responders[key], old.watch.isLive { return (nil, old.location) }
            let watch = self.watch(topic.topic, buffer: .unbounded, fileID: fileID, line: line, column: column) {
                signal in
                await signal.payload.answer(handler)
            }
            responders[key] = (watch, location)
            return (watch, nil)
        }
        if let watch { return watch }
        throw EventBusError(
            .duplicateResponder, subject: topic.name, expected: "one responder", location: location,
            otherLocation: other)
    }

    /// Sends a request and waits for the reply.
    ///
    /// Cancelling the task of the request doesn't cancel the responder.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - payload: The payload of the request.
    ///   - limit: The maximum time to wait.
    ///   - clock: The clock of the limit.
    /// - Returns: The reply.
    /// - Throws: ``EventBusError`` with the code `noResponder`, `noReply` if the responder is cancelled, or
    ///   `requestTimedOut`; the error of the responder; or `CancellationError`.
    public func request<Request, Reply>(
        _ topic: RequestTopic<Request, Reply>, _ payload: Request, within limit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> Reply {
        // A watcher of a pattern also receives requests, so a delivery doesn't imply that there is a responder.
        guard responders.withLock({ $0[ByteText(topic.name)]?.watch.isLive ?? false }) else {
            throw EventBusError(.noResponder, subject: topic.name, expected: "a responder")
        }
        let slot = ReplySlot<Reply>(topic.name)
        let timer = Task { [name = topic.name] in
            try await clock.sleep(for: limit)
            slot.finish(
                .failure(EventBusError(.requestTimedOut, subject: name, expected: "a reply within \(limit)")))
        }
        defer { timer.cancel() }
        trigger(topic.topic, PendingRequest(payload: payload, slot: slot), isolation: nil)
        return try await withTaskCancellationHandler {
            try await slot.wait()
        } onCancel: {
            slot.finish(.failure(CancellationError()))
        }
    }
}

/// A request that waits for its reply; the payload of a request topic's events.
struct PendingRequest<Request: Sendable, Reply: Sendable>: Sendable {
    let payload: Request
    /// The waiting caller; when its last copy is released without a reply, the request fails.
    private let promise: Promise

    init(payload: Request, slot: ReplySlot<Reply>) { (self.payload, promise) = (payload, Promise(slot)) }

    func answer(_ handler: (Request) async throws -> Reply) async {
        guard !promise.slot.isFinished else { return }
        do { promise.slot.finish(.success(try await handler(payload))) } catch { promise.slot.finish(.failure(error)) }
    }

    private final class Promise: Sendable {
        let slot: ReplySlot<Reply>

        init(_ slot: ReplySlot<Reply>) { self.slot = slot }

        deinit {
            slot.finish(
                .failure(EventBusError(.noReply, subject: slot.name, expected: "a reply before the responder ends")))
        }
    }
}

/// The storage for one reply, and the caller that waits for it.
final class ReplySlot<Reply: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Reply, any Error>)
        case finished(Result<Reply, any Error>)
    }

    let name: String
    private let state = Mutex(State.open)

    init(_ name: String) { self.name = name }

    var isFinished: Bool {
        state.withLock { state in if case .finished = state { true } else { false } }
    }

    /// Stores the first result and resumes the caller.
    func finish(_ result: Result<Reply, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Reply, any Error>? in
            switch state {
            case .finished: return nil
            case .open:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .finished(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }

    func wait() async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Reply, any Error>? in
                if case .finished(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

extension EventBusError.Code {
    /// The request topic already has a responder.
    public static let duplicateResponder = Self("duplicateResponder")
    /// The request topic has no responder.
    public static let noResponder = Self("noResponder")
    /// The responder ended before it answered the request.
    public static let noReply = Self("noReply")
    /// The reply didn't arrive in time.
    public static let requestTimedOut = Self("requestTimedOut")
}
