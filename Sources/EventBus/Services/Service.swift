/// A part of an app that is started and stopped by name and uses the bus for communication.
///
/// Starting a service creates an instance; stopping the service ends the instance. An instance usually owns watches:
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
    /// The default name of the service in a registry: the name of the type.
    static var name: String { get }
    /// The services that must run before this one; registering this service also registers them.
    static var needs: [any Service.Type] { get }
    /// Creates a running service; returns when the service is ready.
    ///
    /// The task is cancelled when the start is cancelled or superseded by a stop.
    init(_ context: ServiceContext) async throws
    /// Ends the service's work.
    ///
    /// The task is cancelled at the deadline of the stop. An error is thrown to the caller of the stop and is part of
    /// the event `service:<name>:failed`; the service ends in either case.
    func stop() async throws
    /// Returns the health of the service.
    func health() async -> ServiceHealth
}

extension Service {
    /// The name of the type, without its module.
    public static var name: String { String(describing: Self.self) }
    /// No services.
    public static var needs: [any Service.Type] { [] }
    /// Does nothing; objects that the service owns end with it.
    public func stop() async throws {}
    /// Returns `healthy`.
    public func health() async -> ServiceHealth { .healthy }
}

/// A service with its own work, which continues until the service is stopped.
///
/// If ``run()`` throws, the service has failed, and its ``ServiceRestart`` policy determines whether a new instance is
/// created. If it returns, the service has stopped. A stop first calls `stop()` and then cancels the task of `run()`.
public protocol RunningService: Service {
    /// Performs the service's work until it is complete or the task is cancelled.
    func run() async throws
}

/// The health of a service.
public enum ServiceHealth: Hashable, Sendable {
    /// The service works.
    case healthy
    /// The service works with restrictions, for the given reason.
    case degraded(String)
    /// The service doesn't work, for the given reason.
    case unhealthy(String)

    private var severity: Int {
        switch self {
        case .healthy: 0
        case .degraded: 1
        case .unhealthy: 2
        }
    }

    /// Returns the worse of two values; the first one if they are equal.
    func worse(_ other: ServiceHealth) -> ServiceHealth { other.severity > severity ? other : self }
}

/// The values with which a service is started.
public struct ServiceOptions: Sendable, ExpressibleByDictionaryLiteral {
    private var values: [ByteText: any Sendable]

    /// Creates options from names and values; for duplicate names, the last value wins.
    public init(dictionaryLiteral elements: (String, any Sendable)...) {
        values = Dictionary(elements.map { (ByteText($0), $1) }) { _, last in last }
    }

    /// The value with a name.
    public subscript(name: String) -> (any Sendable)? {
        get { values[ByteText(name)] }
        set { values[ByteText(name)] = newValue }
    }

    /// Returns the value with a name if it has this type.
    public func value<Value: Sendable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        self[name] as? Value
    }
}

/// The environment of a starting service.
public struct ServiceContext: Sendable {
    /// The name of the service in the registry.
    public let name: String
    /// The bus of the registry.
    public let bus: EventBus
    /// The options of the start.
    public let options: ServiceOptions
    /// The needed services, in the order of the needs.
    let needed: [(name: String, service: any Service)]
    let report: @Sendable (ServiceHealth) -> Void

    /// Returns the service of a type, if this service needs it.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? {
        needed.lazy.compactMap { $0.service as? S }.first
    }

    /// Returns the service with a name, if this service needs it.
    public func service(named name: String) -> (any Service)? {
        needed.first { $0.name.hasSameBytes(as: name) }?.service
    }

    /// Reports the health of the service; a change triggers the event `service:<name>:health`.
    ///
    /// ``ServiceRegistry/health(of:)`` returns the worse of the last report and ``Service/health()``.
    public func reportHealth(_ health: ServiceHealth) { report(health) }
}
