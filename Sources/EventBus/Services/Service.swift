/// A part of an app that works on its own, is started and stopped by name, and talks through the bus.
///
/// A service is made by starting it and gone once it is stopped. It usually owns watches:
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
    /// The name that the service is registered under unless another is given: its type name by default.
    static var name: String { get }
    /// The services that must run before this one; registering this one registers them too.
    static var needs: [any Service.Type] { get }
    /// Makes a running service; it returns once the service is ready.
    init(_ context: ServiceContext) async throws
    /// Ends the service's work; its task is cancelled if that takes longer than the deadline.
    func stop() async
    /// Tells how the service is.
    func health() async -> ServiceHealth
}

extension Service {
    /// The name of the type, without its module.
    public static var name: String { String(describing: Self.self) }
    /// Nothing.
    public static var needs: [any Service.Type] { [] }
    /// Does nothing: what the service owns ends with it.
    public func stop() async {}
    /// Healthy, as long as the service runs.
    public func health() async -> ServiceHealth { .healthy }
}

/// How a service is.
public enum ServiceHealth: Hashable, Sendable {
    /// It does its work.
    case healthy
    /// It works with less than it should have; the text says why.
    case degraded(String)
    /// It does not work; the text says why.
    case unhealthy(String)
}

/// What a service is started with.
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

    /// Returns the value with a name if it is of this type.
    public func value<Value: Sendable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        values[name] as? Value
    }
}

/// What a service finds when it is started.
public struct ServiceContext: Sendable {
    /// The name that the service was registered under.
    public let name: String
    /// The bus of the registry.
    public let bus: EventBus
    /// What it was started with.
    public let options: ServiceOptions
    let needed: [String: any Service]

    /// Returns a service that this one needs, which runs.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? {
        for case let service as S in needed.values { return service }
        return nil
    }

    /// Returns the service with a name, if it is one that this one needs.
    public func service(named name: String) -> (any Service)? { needed[name] }
}

/// Where a service is in its life.
public enum ServiceState: String, Hashable, Sendable, CaseIterable {
    /// It can be started.
    case registered
    /// It is being made ready.
    case starting
    /// It does its work.
    case running
    /// It is ending its work.
    case stopping
    /// It has ended its work and can be started again.
    case stopped
    /// It could not be started, or did not stop in time; it can be started again.
    case failed
}

/// A step in the life of a service: the payload of the events `service:<name>:<state>`.
public struct ServiceChange: Sendable {
    /// The name of the service.
    public let name: String
    /// The state that it has reached.
    public let state: ServiceState
    /// Why, if it failed.
    public let error: (any Error)?
}

/// What to do about running services that need the one to be stopped.
public enum ServiceDependants: Hashable, Sendable {
    /// Leave everything running and throw.
    case refuse
    /// Stop them first.
    case cascade
}

extension EventBusError.Code {
    /// No service is registered under the name.
    public static let unknownService = Self("unknownService")
    /// Another service is registered under the name.
    public static let duplicateService = Self("duplicateService")
    /// Services need each other in a circle; `trail` is the circle.
    public static let serviceCycle = Self("serviceCycle")
    /// The service threw while it was started; `underlying` is what it threw.
    public static let serviceFailed = Self("serviceFailed")
    /// The start was overtaken by a stop.
    public static let serviceStopped = Self("serviceStopped")
    /// Running services need the one to be stopped; `trail` names them.
    public static let serviceInUse = Self("serviceInUse")
    /// The service did not stop within its deadline.
    public static let serviceOverran = Self("serviceOverran")
    /// The service under the name is not of the type asked for.
    public static let serviceType = Self("serviceType")
}
