public import AshlarEventBus
public import AshlarNetworking

/// A request that began or ended, as the bus tells it: the payload of `network:on` and `network:off`.
///
/// The names are iStructure's, whose service for the activity indicator counts the two.
public struct NetworkActivity: Sendable {
    /// The number of the request in this process; its `network:on` and its `network:off` share it.
    public let id: UInt64
    /// The request, with its secrets hidden.
    public let request: RedactedRequest
    /// The status of the answer; nil at the beginning, and if none arrived.
    public let status: Int?
    /// What the request failed with; nil at the beginning and for a success.
    public let error: NetworkError?

    /// The topic `network:on`, a request began.
    public static let on: Topic<NetworkActivity> = Topic("network:on")
    /// The topic `network:off`, a request is over, well or badly.
    ///
    /// Every `on` is followed by exactly one `off`.
    public static let off: Topic<NetworkActivity> = Topic("network:off")

    init(_ event: NetworkEvent) {
        (id, request, status, error) = (event.id, event.request, event.status, event.error)
    }
}

extension NetworkObserver where Self == ClosureNetworkObserver {
    /// An observer that triggers `on` and `off` on a bus.
    ///
    /// The bus delivers on the thread on which the request begins or ends; a watcher that touches an interface asks
    /// for delivery on the main actor.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// var configuration = ClientConfiguration()
    /// configuration.observers.append(.activity(on: bus))
    /// let client = NetworkClient(configuration)
    /// let watch = bus.watch(NetworkActivity.on) { print("sent", $0.payload.request) }
    /// ```
    public static func activity(on bus: EventBus) -> ClosureNetworkObserver {
        ClosureNetworkObserver { event in
            switch event.kind {
            case .began: bus.trigger(NetworkActivity.on, NetworkActivity(event))
            case .ended: bus.trigger(NetworkActivity.off, NetworkActivity(event))
            default: break
            }
        }
    }
}
