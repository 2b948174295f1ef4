/// A part of an app that is started and stopped by name and communicates through the bus.
///
/// Starting a service creates an instance; stopping it ends that instance. An instance usually owns watches:
///
/// ```swift
/// final class NetworkState: Service, WatchOwner {
///     static let name = "net_state"
///     let watches = WatchBag()
///     init(_ context: ServiceContext) async throws {
///         context.bus.watch("network:on", owner: self) { _, _ in print("busy") }
///         context.bus.watch("network:off", owner: self) { _, _ in print("idle") }
///     }
/// }
/// let services = ServiceRegistry(bus: EventBus())
/// try await services.register(NetworkState.self)
/// try await services.start("net_state")
/// ```
public protocol Service: Sendable {
    /// The name under which the type is registered by default: the name of the type.
    static var name: String { get }
    /// The services that must run before this one; registering this one registers them too.
    static var needs: [any Service.Type] { get }
    /// Creates a running service; returns once the service is ready.
    ///
    /// The task is cancelled when the start is cancelled or overtaken by a stop.
    init(_ context: ServiceContext) async throws
    /// Ends the service's work.
    ///
    /// The task is cancelled at the deadline of the stop. An error is thrown to the caller of the stop and sent in the
    /// event `service:<name>:failed`; the service counts as ended either way.
    func stop() async throws
    /// Returns the health of the service.
    func health() async -> ServiceHealth
}

extension Service {
    /// The name of the type, without its module.
    public static var name: String { String(describing: Self.self) }
    /// No services.
    public static var needs: [any Service.Type] { [] }
    /// Does nothing: what the service owns ends with it.
    public func stop() async throws {}
    /// Healthy.
    public func health() async -> ServiceHealth { .healthy }
}

/// A service with work of its own that lasts until the service is stopped.
///
/// The registry notices when ``run()`` ends. If it throws, the service has failed and its ``ServiceRestart`` policy
/// decides whether a new instance is created. If it returns, the service has stopped. A stop first calls `stop()` and
/// then cancels the task of `run()`.
public protocol RunningService: Service {
    /// Does the service's work, until it is done or the task is cancelled.
    func run() async throws
}

/// The health of a service.
public enum ServiceHealth: Hashable, Sendable {
    /// The service works.
    case healthy
    /// The service works with restrictions; the text gives the reason.
    case degraded(String)
    /// The service doesn't work; the text gives the reason.
    case unhealthy(String)

    private var severity: Int {
        switch self {
        case .healthy: 0
        case .degraded: 1
        case .unhealthy: 2
        }
    }

    /// Returns the worse of two values, the first if they are equally bad.
    func worse(_ other: ServiceHealth) -> ServiceHealth { other.severity > severity ? other : self }
}

/// The values a service is started with.
public struct ServiceOptions: Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: any Sendable]

    /// Creates options without values.
    public init() { values = [:] }

    /// Creates options from names and values; of equal names, the last wins.
    public init(dictionaryLiteral elements: (String, any Sendable)...) {
        values = Dictionary(elements) { _, last in last }
    }

    /// The value with a name.
    public subscript(name: String) -> (any Sendable)? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Returns the value with a name if it has this type.
    public func value<Value: Sendable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        values[name] as? Value
    }
}

/// The surroundings of a service that starts.
public struct ServiceContext: Sendable {
    /// The name under which the service is registered.
    public let name: String
    /// The bus of the registry.
    public let bus: EventBus
    /// The options of the start.
    public let options: ServiceOptions
    let needed: [String: any Service]
    let report: @Sendable (ServiceHealth) -> Void

    /// Returns the service of a type, if this one needs it.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? {
        for case let service as S in needed.values { return service }
        return nil
    }

    /// Returns the service with a name, if this one needs it.
    public func service(named name: String) -> (any Service)? { needed[name] }

    /// Reports the health of the service; a change is sent as the event `service:<name>:health`.
    ///
    /// ``ServiceRegistry/health(of:)`` returns the worse of the last report and ``Service/health()``.
    public func reportHealth(_ health: ServiceHealth) { report(health) }
}
