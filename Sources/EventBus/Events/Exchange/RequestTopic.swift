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
    /// Answers the requests of a topic until the returned watch is cancelled.
    ///
    /// The task of the handler is cancelled when the caller of the request is cancelled or its time limit passes; see
    /// ``EventRequest/current`` for the remaining time.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - concurrency: The maximum number of requests that are answered at the same time; with 1, in their order.
    ///   - fileID: The file for reports.
    ///   - line: The line for reports.
    ///   - handler: Returns the reply. If it throws, the caller of the request receives the error.
    /// - Returns: The handle that ends the watch. Waiting requests then fail with the code `noReply`.
    /// - Throws: ``EventBusError`` with the code `duplicateResponder` if the topic already has a responder, or
    ///   `payloadMismatch` if its name is bound to other types; both with two source locations.
    /// - Precondition: `0 < concurrency`.
    public func respond<Request, Reply>(
        to topic: RequestTopic<Request, Reply>, concurrency: Int = 64, fileID: StaticString = #fileID,
        line: UInt32 = #line, _ handler: @escaping @Sendable (Request) async throws -> Reply
    ) throws(EventBusError) -> Watch {
        precondition(concurrency > 0, "a responder needs a concurrency of at least 1, not \(concurrency)")
        let options = WatchOptions(pattern: nil, source: nil, isResponder: true, at: TriggerPlace(fileID, line))
        let queue = EventQueue<PendingRequest<Request, Reply>>.tasks(concurrency, didHandle: didHandle) { signal in
            await signal.payload.answer(handler)
        }
        return try add(topic.topic, options, .queued(queue))
    }

    /// Sends a request and waits for the reply.
    ///
    /// The responder of this bus answers, or an interceptor that has accepted the request, such as a bridge to another
    /// process; the first reply counts. A request whose task is cancelled, or whose limit passes, before its turn isn't
    /// answered.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - payload: The payload of the request.
    ///   - limit: The maximum time to wait.
    ///   - clock: The clock of the limit.
    ///   - source: The object from which the request comes, such as the bridge that received it.
    ///   - fileID: The file for traces.
    ///   - line: The line for traces.
    /// - Returns: The reply.
    /// - Throws: ``EventBusError`` with the code `noResponder`, `noReply` if the responder is cancelled,
    ///   `requestTimedOut`, or `payloadMismatch` if the responder has other types; the error of the responder; or
    ///   `CancellationError`.
    public func request<Request, Reply>(
        _ topic: RequestTopic<Request, Reply>, _ payload: Request, within limit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(), from source: (any AnyObject & Sendable)? = nil,
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) async throws -> Reply {
        let result = PendingResult<Reply>()
        let call = RequestCall(topic.name, limit, clock)
        defer { call.end.complete() }
        // A watcher of a pattern also receives requests, so a delivery doesn't imply that there is a responder.
        if state.withLock({ $0.topic(topic.name)?.responder != nil }) { call.accept() }
        let sending = PendingSends()
        var pending: PendingRequest? = PendingRequest(payload, call, result)
        let delivery = pending.map {
            beginSend(
                $0, topic.topic.core, from: source, isolation: nil, place: TriggerPlace(fileID, line), sending)
        }
        @Sendable func check(_ delivery: DeliveryResult) {
            if delivery.isUndelivered, let error = delivery.failures.first { result.finish(.failure(error)) }
            if !call.isAccepted { result.finish(.failure(call.noResponder)) }
        }
        // An asynchronous interceptor can accept the request later.
        if let delivery {
            if sending.isEmpty { check(delivery) } else { Task { check(await sending.complete(delivery)) } }
        }
        // A request that all its receivers have released has no reply.
        pending = nil
        return try await result.wait(within: limit, clock: clock) { [name = topic.name] in
            EventBusError(.requestTimedOut, subject: name, expected: "a reply within \(limit)")
        }
    }
}

/// A request that waits for its reply; the payload of a request topic's events.
///
/// When its last reference is released without a reply, the request fails.
final class PendingRequest<Request: Sendable, Reply: Sendable>: Sendable, AnyPendingRequest {
    private let payload: Request
    private let call: RequestCall
    private let result: PendingResult<Reply>

    init(_ payload: Request, _ call: RequestCall, _ result: PendingResult<Reply>) {
        self.payload = payload
        self.call = call
        self.result = result
    }

    deinit {
        let noReply = EventBusError(.noReply, subject: call.name, expected: "a reply before the responder ends")
        result.finish(.failure(call.isAccepted ? noReply : call.noResponder))
    }

    func answer(_ handler: @escaping @Sendable (Request) async throws -> Reply) async {
        guard !result.isFinished else { return }
        // A task of its own, which ends with the call of the request.
        let task = Task { [self] in
            try await EventRequest.$ofHandler.withValue(request) { try await handler(payload) }
        }
        call.end.whenComplete { task.cancel() }
        result.finish(await task.result)
    }

    var request: EventRequest {
        EventRequest(payload: payload, replyType: Reply.self, call: call) { [self] reply in
            call.accept()
            switch reply {
            case .failure(let error): return result.finish(.failure(error))
            case .success(let value as Reply): return result.finish(.success(value))
            case .success(let value):
                let error = EventBusError(
                    .payloadMismatch, subject: call.name, expected: "reply \(Reply.self)", found: "\(type(of: value))")
                return result.finish(.failure(error))
            }
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
