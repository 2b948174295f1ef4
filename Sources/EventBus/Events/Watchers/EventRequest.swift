internal import AshlarCore
import Synchronization

/// A request on its way to a responder, as interceptors and responders see it.
///
/// A bridge to another process is an interceptor that accepts requests without a local responder, sends their payload,
/// and passes the reply on:
///
/// ```swift
/// struct Remote: EventInterceptor {
///     func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult {
///         guard let request = event.request, request.accept() else { return next(event) }
///         let call = Task { request.reply(.success(42)) }  // send the payload, within `request.remaining`
///         request.whenEnded { call.cancel() }
///         return next(event)
///     }
/// }
/// let bus = EventBus()
/// let answer = RequestTopic<String, Int>("answer")
/// let watch = bus.intercept(Topic(matching: "**"), with: Remote())
/// print(try await bus.request(answer, "question"))  // 42
/// watch.cancel()
/// ```
///
/// If the last copy is released without a reply, and no other responder has the request, the request fails with the code
/// `noReply`.
public struct EventRequest: Sendable {
    /// The payload of the request.
    public let payload: any Sendable
    /// The type of the reply.
    package let replyType: Any.Type
    let call: RequestCall
    let finish: @Sendable (Result<any Sendable, any Error>) -> Bool

    @TaskLocal static var ofHandler: EventRequest?

    /// The request that the current task answers; nil outside the handler of a responder.
    public static var current: EventRequest? { ofHandler }

    /// The time until the limit of the request, by its clock; zero or less after it.
    public var remaining: Duration { call.remaining() }

    /// Announces a reply, so that the request waits for it; returns false if another responder already has the request.
    ///
    /// The responder of the bus has the request before any interceptor.
    @discardableResult
    public func accept() -> Bool { call.accept() }

    /// Ends the request; returns false if it has already ended.
    ///
    /// A reply of another type than that of the topic fails the request with the code `payloadMismatch`.
    @discardableResult
    public func reply(_ reply: Result<any Sendable, any Error>) -> Bool { finish(reply) }

    /// Runs an action when the caller has a reply, is cancelled, or stops to wait; at once if that has happened.
    public func whenEnded(_ action: @escaping @Sendable () -> Void) { call.end.whenComplete(action) }
}

/// The payload of a request topic's events, whatever its types.
protocol AnyPendingRequest: Sendable {
    var request: EventRequest { get }
}

/// The call of a request that waits for its reply.
final class RequestCall: Sendable {
    let name: String
    let remaining: @Sendable () -> Duration
    /// The end of the call, with or without a reply.
    let end = Completion()
    private let hasResponder = Atomic(false)

    init(_ name: String, _ limit: Duration, _ clock: any Clock<Duration>) {
        func remaining<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
            // A clock can't represent the end of a limit of centuries.
            let deadline = clock.now.advanced(by: min(limit, .seconds(1_000_000_000)))
            return { clock.now.duration(to: deadline) }
        }
        self.name = name
        self.remaining = remaining(clock)
    }

    var noResponder: EventBusError { EventBusError(.noResponder, subject: name, expected: "a responder") }

    var isAccepted: Bool { hasResponder.load(ordering: .acquiring) }

    @discardableResult
    func accept() -> Bool { !hasResponder.exchange(true, ordering: .acquiringAndReleasing) }
}
