public import AshlarEventBus
public import AshlarNetworking

/// The start or end of a request: the payload of `network:on` and `network:off`.
///
/// The topic names are those of iStructure, whose activity indicator counts the events.
public struct NetworkActivity: Sendable {
    /// The number of the request in this process, the same in its `network:on` and `network:off`.
    public let id: UInt64
    /// The request, with its secrets hidden.
    public let request: RedactedRequest
    /// The status of the response; nil at the start, or if no response arrived.
    public let status: Int?
    /// The error of a failed request; nil at the start, or if the request succeeds.
    public let error: NetworkError?

    /// The topic `network:on`, triggered when a request starts.
    public static let on: Topic<NetworkActivity> = Topic("network:on")
    /// The topic `network:off`, triggered when a request succeeds or fails.
    ///
    /// Exactly one `off` follows every `on`.
    public static let off: Topic<NetworkActivity> = Topic("network:off")

    init(_ event: NetworkEvent) {
        id = event.id
        request = event.request
        status = event.status
        error = event.error
    }
}

extension NetworkObserver {
    /// An observer that triggers `network:on` and `network:off` on a bus.
    ///
    /// The bus delivers on the thread on which the request starts or ends. A watcher that updates a user interface must
    /// request delivery on the main actor.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// var configuration = ClientConfiguration()
    /// configuration.observers.append(.activity(on: bus))
    /// let client = NetworkClient(configuration)
    /// let watch = bus.watch(NetworkActivity.on) { print("sent", $0.payload.request) }
    /// ```
    public static func activity(on bus: EventBus) -> NetworkObserver {
        NetworkObserver { event in
            switch event.kind {
            case .began: bus.trigger(NetworkActivity.on, NetworkActivity(event))
            case .ended: bus.trigger(NetworkActivity.off, NetworkActivity(event))
            default: break
            }
        }
    }
}

extension HostSwitch {
    /// The topic `host:changed`, triggered when a canonical host resolves to another host.
    public static let changed: Topic<HostChange> = Topic("host:changed")

    /// Triggers ``changed`` on a bus for each host that a later change affects.
    ///
    /// Of several changes in quick succession, only the last one may be announced.
    ///
    /// - Returns: The task that announces changes until it is cancelled.
    @discardableResult
    public func announce(on bus: EventBus) -> Task<Void, Never> {
        let start = current
        let snapshots = changes()
        return Task {
            var last = start
            for await snapshot in snapshots {
                for change in snapshot.changes(since: last) { bus.trigger(Self.changed, change) }
                last = snapshot
            }
        }
    }
}

extension Model {
    /// The topic `model:changed`, triggered for each event of the announced models.
    public static var changed: Topic<ModelEvent> { modelChanged }

    /// Triggers ``changed`` on a bus for each event of the model, until the observation is cancelled or released.
    public func announce(on bus: EventBus) -> ModelObservation { observe { bus.trigger(modelChanged, $0) } }
}

private let modelChanged: Topic<ModelEvent> = Topic("model:changed")

/// Adds the trace of the current task's events to requests: `traceparent` and `tracestate` of W3C Trace Context.
///
/// The request is the next step of the trace. A request with its own field, or without a trace, is unchanged.
struct TraceHeader: NetworkMiddleware {
    func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard request.headers["traceparent"] == nil, let metadata = EventMetadata.current,
            let trace = metadata.traceParent
        else { return try await next(request) }
        var request = request
        request.headers["traceparent"] = trace.child().description
        if let state = metadata.traceState { request.headers["tracestate"] = state }
        return try await next(request)
    }
}
