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
/// A request is an event, so patterns, hooks and interceptors receive it, too.
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
    /// - Throws: ``EventBusError`` with the code `duplicateResponder` if the topic already has a responder, or
    ///   `payloadMismatch` if its name is bound to other types; both with two source locations.
    public func respond<Request, Reply>(
        to topic: RequestTopic<Request, Reply>, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column, _ handler: @escaping @Sendable (Request) async throws -> Reply
    ) throws(EventBusError) -> Watch {
        let options = WatchOptions(
            pattern: nil, source: nil, isResponder: true, location: (fileID, line, column))
        let queue = EventQueue<PendingRequest<Request, Reply>>.task(.unbounded, didHandle: didHandle) { signal in
            await signal.payload.answer(handler)
        }
        return try add(EventSelection(topic.topic), options, .queued(queue))
    }

    /// Sends a request and waits for the reply.
    ///
    /// Cancelling the task of the request doesn't cancel the responder. A request whose task is cancelled, or whose limit
    /// passes, before its turn isn't answered.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - payload: The payload of the request.
    ///   - limit: The maximum time to wait.
    ///   - clock: The clock of the limit.
    ///   - fileID: The file for traces.
    ///   - line: The line for traces.
    ///   - column: The column for traces.
    /// - Returns: The reply.
    /// - Throws: ``EventBusError`` with the code `noResponder`, `noReply` if the responder is cancelled,
    ///   `requestTimedOut`, or `payloadMismatch` if the responder has other types; the error of the responder; or
    ///   `CancellationError`.
    public func request<Request, Reply>(
        _ topic: RequestTopic<Request, Reply>, _ payload: Request, within limit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) async throws -> Reply {
        // A watcher of a pattern also receives requests, so a delivery doesn't imply that there is a responder.
        guard self.topic(ifKnown: topic.name)?.hasResponder == true else {
            throw EventBusError(.noResponder, subject: topic.name, expected: "a responder")
        }
        let result = PendingResult<Reply>()
        let delivery = trigger(
            topic.topic, PendingRequest(topic.name, payload: payload, result: result), isolation: nil, fileID: fileID,
            line: line, column: column)
        if delivery.isUndelivered, let error = delivery.failures.first { throw error }
        return try await result.wait(within: limit, clock: clock) { [name = topic.name] in
            EventBusError(.requestTimedOut, subject: name, expected: "a reply within \(limit)")
        }
    }
}

/// A request that waits for its reply; the payload of a request topic's events.
struct PendingRequest<Request: Sendable, Reply: Sendable>: Sendable {
    let payload: Request
    /// The waiting caller; when its last copy is released without a reply, the request fails.
    private let promise: Promise

    init(_ name: String, payload: Request, result: PendingResult<Reply>) {
        self.payload = payload
        promise = Promise(name, result)
    }

    func answer(_ handler: (Request) async throws -> Reply) async {
        guard !promise.result.isFinished else { return }
        do { promise.result.finish(.success(try await handler(payload))) } catch {
            promise.result.finish(.failure(error))
        }
    }

    private final class Promise: Sendable {
        private let name: String
        let result: PendingResult<Reply>

        init(_ name: String, _ result: PendingResult<Reply>) {
            self.name = name
            self.result = result
        }

        deinit {
            result.finish(
                .failure(EventBusError(.noReply, subject: name, expected: "a reply before the responder ends")))
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
