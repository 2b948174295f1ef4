/// Is told what happens to the requests of a client: begin, redirects, end.
///
/// Called on whatever thread the event happens on, in the order of events for one request, never under a lock.
/// An observer must return soon; it cannot change anything. Every `began` is followed by exactly one `ended` of the
/// same `id`, also for cancelled and failed requests, so a count of the two says whether the network is in use.
public protocol NetworkObserver: Sendable {
    /// Takes note of an event.
    func observe(_ event: NetworkEvent)
}

/// Something that happened to a request.
public struct NetworkEvent: Sendable {
    /// What kind of thing happened; kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// The client accepted a request; nothing has been sent.
        public static let began = Kind("began")
        /// A hop was handed to the transport; `attempt` counts them.
        public static let sent = Kind("sent")
        /// The head of an answer arrived; `status` and `timings` are known.
        public static let head = Kind("head")
        /// A redirect is about to be followed; `target` shows where to.
        public static let redirected = Kind("redirected")
        /// The request is over: `error` is nil if it succeeded, `received` counts the body's bytes.
        public static let ended = Kind("ended")
    }

    /// What happened.
    public var kind: Kind
    /// The number of the request in this process; all its events share it.
    public var id: UInt64
    /// When it happened, on the monotonic clock.
    public var time: ContinuousClock.Instant
    /// The request, with its secrets hidden.
    public var request: RedactedRequest
    /// How many hops have been sent, this one included.
    public var attempt: Int = 0
    /// The status of the answer, once there is one.
    public var status: Int?
    /// The redacted URL that a redirect leads to.
    public var target: String?
    /// The body bytes received, at the end.
    public var received: Int = 0
    /// When the stages of the hop were reached, from its start.
    public var timings: TransportTimings?
    /// What the request failed with, at the end.
    public var error: NetworkError?

    /// Creates an event.
    public init(_ kind: Kind, id: UInt64, time: ContinuousClock.Instant, request: RedactedRequest) {
        (self.kind, self.id, self.time, self.request) = (kind, id, time, request)
    }
}

/// An observer made of a closure.
public struct ClosureNetworkObserver: NetworkObserver {
    private let handler: @Sendable (NetworkEvent) -> Void

    /// Creates an observer that calls `handler` for every event.
    public init(_ handler: @escaping @Sendable (NetworkEvent) -> Void) { self.handler = handler }

    /// Calls the handler.
    public func observe(_ event: NetworkEvent) { handler(event) }
}
