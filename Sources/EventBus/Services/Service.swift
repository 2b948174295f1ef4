internal import AshlarCore

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
}

extension Service {
    /// The name of the type, without its module.
    public static var name: String { String(describing: Self.self) }
    /// No services.
    public static var needs: [any Service.Type] { [] }
    /// Does nothing; objects that the service owns end with it.
    public func stop() async throws {}
}

/// A service with its own work, which continues until the service is stopped.
///
/// If ``run()`` throws, the service has failed. If it returns, the service has stopped. A stop first calls `stop()` and
/// then cancels the task of `run()`, unless the service asks for its ``ServiceShutdown``: such a service ends by itself
/// until the deadline of the stop.
public protocol RunningService: Service {
    /// Performs the service's work until it is complete or the task is cancelled.
    func run() async throws
}

/// The environment of a starting service.
public struct ServiceContext: Sendable {
    /// The name of the service in the registry.
    public let name: String
    /// The bus of the registry.
    public let bus: EventBus
    /// The options of the start, by name.
    public let options: [String: any Sendable]
    /// The needed services, in the order of the needs.
    let needed: [(name: String, service: any Service)]
    /// The shutdown of the service, for which its code can wait; asking for it makes a service that drains.
    public var shutdown: ServiceShutdown { ownShutdown.observed() }
    let ownShutdown: ServiceShutdown

    /// Returns the service of a type, if this service needs it.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? {
        needed.lazy.compactMap { $0.service as? S }.first
    }

    /// Returns the service with a name, if this service needs it.
    public func service(named name: String) -> (any Service)? {
        needed.first { $0.name == name }?.service
    }
}

/// The state of a service.
public enum ServiceState: String, Hashable, Sendable, CaseIterable {
    /// The service has never been started.
    case registered
    /// The services that it needs, or the service itself, are starting.
    case starting
    /// The service is running.
    case running
    /// The service, or its cancelled start, is ending.
    case stopping
    /// The service has ended and can be started again.
    case stopped
    /// The start, the run or the stop failed; the service can be started again.
    case failed
}

/// A change of a service's state; the payload of the events `service:<name>:<state>`.
public struct ServiceChange: Sendable {
    /// The name of the service.
    public let name: String
    /// The new state.
    public let state: ServiceState
    /// The reason for a failure.
    public let error: (any Error)?
}

/// The effect of the end or the failure of a service on a run of the registry.
///
/// It applies during ``ServiceRegistry/run(shuttingDownOn:cancellingOn:startingWithin:stoppingWithin:)`` only.
public enum ServiceEffect: Hashable, Sendable {
    /// The other services continue to run.
    case ignore
    /// The other services are stopped in order.
    case shutDown
    /// The tasks of the other services are cancelled immediately, and the services are stopped in order.
    case cancel
}

/// The policies of a service for its own end.
struct ServicePolicy: Sendable {
    var whenEnded = ServiceEffect.ignore
    var whenFailed = ServiceEffect.shutDown
}

extension EventBusError.Code {
    /// No service is registered with the name.
    public static let unknownService = Self("unknownService")
    /// Another service is registered with the name.
    public static let duplicateService = Self("duplicateService")
    /// Services need each other in a cycle, or the code of a service waits for the service; the cycle is in `trail`.
    public static let serviceCycle = Self("serviceCycle")
    /// The start, the run or the stop of the service threw; `underlying` is the error.
    public static let serviceFailed = Self("serviceFailed")
    /// The service was stopped before the start completed, or its stop hasn't ended yet.
    public static let serviceStopped = Self("serviceStopped")
    /// Running services need the service; `trail` contains their names.
    public static let serviceInUse = Self("serviceInUse")
    /// The service didn't start or stop before the deadline.
    public static let serviceOverran = Self("serviceOverran")
    /// The service with the name has another type.
    package static let serviceType = Self("serviceType")
}
