internal import AshlarCore
public import AshlarEventBus
public import AshlarNetworking

extension NetworkEvent {
    /// The topic `network:on`, triggered when a request starts, as in iStructure.
    public static let on: Topic<NetworkEvent> = Topic("network:on")
    /// The topic `network:off`, triggered when a request succeeds or fails.
    ///
    /// Exactly one `off` follows every `on`.
    public static let off: Topic<NetworkEvent> = Topic("network:off")
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
    /// let watch = bus.watch(NetworkEvent.on) { print("sent", $0.payload.request) }
    /// ```
    public static func activity(on bus: EventBus) -> NetworkObserver {
        NetworkObserver { event in
            switch event.kind {
            case .began: bus.trigger(NetworkEvent.on, event)
            case .ended: bus.trigger(NetworkEvent.off, event)
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
    func announce(on bus: EventBus) -> Task<Void, Never> {
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

/// Adds the trace of the current task's events to requests: `traceparent` and `tracestate` of W3C Trace Context.
///
/// The request is the next step of the trace. A request with its own field, or without a trace, is unchanged.
struct TraceHeader: NetworkMiddleware {
    func intercept(
        _ request: NetworkRequest, next: NetworkNext
    ) async throws(NetworkError) -> StreamedResponse {
        guard request.headers["traceparent"] == nil, let metadata = EventMetadata.current,
            let trace = metadata.traceParent.flatMap({ TraceParent(parsing: $0) })
        else { return try await next(request) }
        var request = request
        request.headers["traceparent"] = trace.child().description
        if let state = metadata.traceState { request.headers["tracestate"] = state }
        return try await next(request)
    }
}
