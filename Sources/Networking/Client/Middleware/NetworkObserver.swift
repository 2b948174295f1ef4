/// Observes the requests of a client.
///
/// Events of one request arrive in order, on the thread on which they happen, and never under a lock. An observer must
/// return quickly. Every `began` is followed by exactly one `ended` with the same `id`, even if the request fails or is
/// cancelled, so the difference of their counts is the number of active requests.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.observers = [
///     NetworkObserver { event in
///         if event.kind == .ended { print(event.request, event.status ?? 0) }
///     }
/// ]
/// ```
public struct NetworkObserver: Sendable {
    /// Returns whether the observer also receives ``NetworkEvent/Kind/measured`` of the next exchange.
    let observesExchanges: @Sendable () -> Bool
    /// Handles an event.
    let observe: @Sendable (NetworkEvent) -> Void

    /// Creates an observer that calls `handler` for every event.
    ///
    /// - Parameters:
    ///   - observesExchanges: Whether `handler` also receives the events ``NetworkEvent/Kind/measured``, which cost a few
    ///     microseconds per exchange; false by default.
    ///   - handler: The handler.
    public init(observesExchanges: Bool = false, _ handler: @escaping @Sendable (NetworkEvent) -> Void) {
        self.init(observesExchangesWhile: { observesExchanges }, handler)
    }

    /// Creates an observer that receives ``NetworkEvent/Kind/measured`` of the exchanges for which `condition` is true.
    package init(
        observesExchangesWhile condition: @escaping @Sendable () -> Bool,
        _ handler: @escaping @Sendable (NetworkEvent) -> Void
    ) {
        observesExchanges = condition
        observe = handler
    }
}

/// An event of a request.
public struct NetworkEvent: Sendable {
    /// The kind of an event; kinds may be added, so a `switch` needs a `default`.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The client accepted a request and hasn't sent it yet.
        case began
        /// The client passed a hop to the transport; `attempt` counts them.
        case sent
        /// The head of a response arrived; `status` is set.
        case head
        /// An exchange ended, successfully or not; `metrics` is set.
        ///
        /// It is the only event that can follow `ended`, after a cancellation.
        case measured
        /// The client will follow a redirect; `target` is its URL.
        case redirected
        /// The cache answered; `status` is that of the stored response.
        case cached
        /// The request failed and will be sent again after `pause`.
        case retrying
        /// The request ended: `error` is nil if it succeeded; `received` is the number of body bytes.
        case ended
    }

    /// The kind of the event.
    public var kind: Kind
    /// The number of the request in this process, shared by all its events.
    public var id: UInt64
    /// The time on the monotonic clock.
    public var time: ContinuousClock.Instant
    /// The request, redacted.
    public var request: RedactedRequest
    /// The number of hops sent so far, including this one.
    public var attempt: Int = 0
    /// The status of the response, once it has arrived.
    public var status: Int?
    /// The redacted URL of a redirect.
    public var target: String?
    /// The time until the next attempt, for `retrying`.
    public var pause: Duration?
    /// The number of body bytes received, for `ended`.
    public var received: Int = 0
    /// The measurements of the exchange, for `measured`.
    public var metrics: ExchangeMetrics?
    /// The failure, for `ended`.
    public var error: NetworkError?

    init(_ kind: Kind, id: UInt64, time: ContinuousClock.Instant, request: RedactedRequest) {
        self.kind = kind
        self.id = id
        self.time = time
        self.request = request
    }
}
