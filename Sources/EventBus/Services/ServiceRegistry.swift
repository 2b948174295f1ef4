/// The services of an app, which start after the services that they need and stop in reverse order.
///
/// Every change of state triggers an event `service:<name>:<state>` on the bus with a ``ServiceChange`` as payload.
/// Independent services start concurrently. Concurrent starts of one service share one start. When a start fails, the
/// services that it needs continue to run. A failed service isn't created again by the registry: a supervisor of the
/// process restarts the process, or the app starts the service.
///
/// An initializer that starts its own service, or one that needs it, gets an ``EventBusError`` with the code
/// `serviceCycle`, as does the code of a service that stops the service or one that it needs. Requests in an unstructured
/// `Task` of a service are part of its own code during its lifetime; requests in `Task.detached` aren't.
///
/// Cancelling a task that waits for a start ends the wait at once, and cancels the start if there is no other caller.
/// Cancelling a task that waits for a stop only ends the wait. The code of services doesn't see the task-local values of
/// the tasks that start or stop them.
public actor ServiceRegistry {
    /// The bus of the services.
    package nonisolated let bus: EventBus
    let clock: any Clock<Duration>
    var machine = ServiceMachine()
    var makers: [ByteText: @Sendable (ServiceContext) async throws -> any Service] = [:]
    var instances: [UInt64: Instance] = [:]
    var pending: [UInt64: Pending] = [:]
    private var lastRequest: UInt64 = 0
    var currentRun: Run?

    /// The service whose code the current task runs.
    @TaskLocal
    static var caller: (registry: ObjectIdentifier, caller: ServiceMachine.Caller, shutdown: ServiceShutdown)?

    /// The instance of an attempt to run a service, with the tasks that run its code.
    struct Instance {
        let name: String
        let shutdown = ServiceShutdown()
        var service: (any Service)?
        var health = ServiceHealth.healthy
        var reported = ServiceHealth.healthy
        var make: Task<Void, Never>?
        var run: Task<Void, Never>?
        var stop: Task<Void, Never>?
    }

    /// A request whose caller waits.
    struct Pending {
        /// The service for which the caller of a start waits.
        let service: String?
        let result: PendingResult<(any Service)?>
        /// The timer of its time limit.
        var limit: Task<Void, Never>?
    }

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - bus: The bus of the services.
    ///   - clock: The clock of all deadlines.
    public init(bus: EventBus = .shared, clock: any Clock<Duration> = ContinuousClock()) {
        self.bus = bus
        self.clock = clock
    }

    // MARK: Registering

    /// Registers a service by its type, and the services that it needs.
    ///
    /// Registering the same type again with the same name has no effect, except that it sets the policy of a service
    /// that was registered only because another one needs it.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - name: The name; by default the name of the type.
    ///   - whenEnded: The effect on a run of the registry when the `run()` of the service returns.
    ///   - whenFailed: The effect on a run of the registry when the service fails.
    /// - Throws: ``EventBusError``: `malformedName`, `duplicateService`, or `serviceCycle` with the cycle in `trail`.
    public func register<S: Service>(
        _ type: S.Type, as name: String? = nil, whenEnded: ServiceEffect = .ignore,
        whenFailed: ServiceEffect = .shutDown
    ) throws(EventBusError) {
        let policy = ServicePolicy(whenEnded: whenEnded, whenFailed: whenFailed)
        var types: [(name: ByteText, type: any Service.Type)] = []
        var visited: Set<ByteText> = []
        func collect(_ type: any Service.Type, name: ByteText) {
            guard visited.insert(name).inserted else { return }
            for need in type.needs { collect(need, name: ByteText(need.name)) }
            types.append((name, type))
        }
        collect(type, name: ByteText(name ?? type.name))
        try add(
            types.map { found in
                let definition = ServiceGraph.Definition(
                    name: found.name, needs: found.type.needs.map { ByteText($0.name) },
                    policy: found.type == type ? policy : nil, type: found.type)
                return (definition, { [type = found.type] in try await type.init($0) })
            })
    }

    /// Registers a service with a name.
    ///
    /// `needs` are the names of the services that must run before it; they can be registered later. `make` creates the
    /// running service. The other parameters and the errors are those of a registration by type.
    public func register(
        _ name: String, needs: [String] = [], whenEnded: ServiceEffect = .ignore,
        whenFailed: ServiceEffect = .shutDown,
        make: @escaping @Sendable (ServiceContext) async throws -> any Service
    ) throws(EventBusError) {
        let definition = ServiceGraph.Definition(
            name: ByteText(name), needs: needs.map { ByteText($0) },
            policy: ServicePolicy(whenEnded: whenEnded, whenFailed: whenFailed))
        try add([(definition, make)])
    }

    private func add(
        _ services: [(ServiceGraph.Definition, @Sendable (ServiceContext) async throws -> any Service)]
    ) throws(EventBusError) {
        let actions = try machine.register(services.map(\.0))
        for (definition, make) in services where makers[definition.name] == nil { makers[definition.name] = make }
        perform(actions)
    }

    // MARK: Starting and stopping

    /// Starts a service after the services that it needs.
    ///
    /// A start throws `serviceStopped` while the service, or one that it needs, is still stopping.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - options: The options of the service, unless it is already running.
    ///   - limit: The time that the caller waits. Then the start is cancelled, unless there are other callers.
    /// - Returns: The running service.
    /// - Throws: ``EventBusError``: `unknownService`, `serviceFailed` with the service's error as `underlying`,
    ///   `serviceStopped` if the service is stopped first or still stopping, `serviceOverran`, `serviceCycle`; or
    ///   `CancellationError`.
    @discardableResult
    public func start(
        _ name: String, _ options: [String: any Sendable] = [:], within limit: Duration? = nil
    ) async throws -> any Service {
        try Task.checkCancellation()
        for need in machine.endedNeeds(of: ByteText(name)) { try await start(need.text, within: limit) }
        let service = try await request(service: name) {
            machine.start(ByteText(name), options, waiter: $0, limit: limit, caller: caller)
        }
        // It has failed since, in a handler of the event of its start.
        guard let service else { throw EventBusError(.serviceFailed, subject: name) }
        return service
    }

    /// Starts the service of a type that is registered with the name of the type.
    @discardableResult
    public func start<S: Service>(
        _ type: S.Type, _ options: [String: any Sendable] = [:], within limit: Duration? = nil
    ) async throws -> S {
        let service = try await start(type.name, options, within: limit)
        guard let service = service as? S else {
            throw EventBusError(
                .serviceType, subject: type.name, expected: "\(type)", found: "\(Swift.type(of: service))")
        }
        return service
    }

    /// Starts all registered services; independent services start concurrently.
    ///
    /// - Throws: The first error, after all starts have ended; the started services continue to run.
    public func startAll(within limit: Duration? = nil) async throws {
        try await withThrowingTaskGroup { group in
            for name in names { group.addTask { _ = try await self.start(name, within: limit) } }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    /// Stops a service.
    ///
    /// Stopping a stopped service has no effect. A stop during a start cancels the start.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - limit: The time that the caller waits. Then the tasks of the services that haven't stopped are cancelled, which
    ///     can end later.
    ///   - cascading: Whether running services that need this one are stopped first. Otherwise, the method throws if there
    ///     are any, and all services continue to run.
    /// - Throws: ``EventBusError``: `unknownService`, `serviceInUse`, `serviceOverran`, `serviceCycle`, or
    ///   `serviceFailed` with the error of the service's `stop()` as `underlying`; or `CancellationError`. If the service
    ///   itself stops in order, the first error of a service that had to stop before it.
    public func stop(
        _ name: String, within limit: Duration? = nil, cascading: Bool = false
    ) async throws {
        try Task.checkCancellation()
        _ = try await request {
            machine.stop(ByteText(name), waiter: $0, limit: limit, isCascade: cascading, caller: caller)
        }
    }

    /// Stops all services, the last to become ready first, and refuses later starts.
    ///
    /// If the code of a service calls the method, or the task is cancelled, it returns at once, and the shutdown
    /// continues.
    ///
    /// - Parameters:
    ///   - limit: The time for all stops. Then the tasks of all services are cancelled, and the method returns, even if some
    ///     services haven't ended.
    ///   - isCancelling: Whether the tasks of all services are cancelled immediately.
    /// - Returns: The names of the services that hadn't stopped at the limit or whose stop threw, also in an earlier
    ///   shutdown.
    @discardableResult
    public func shutDown(within limit: Duration? = nil, cancelling isCancelling: Bool = false) async -> [String] {
        _ = try? await request {
            machine.shutDown(waiter: $0, limit: limit, isCancelling: isCancelling, caller: caller)
        }
        return machine.shutdown?.unclean.map(\.text) ?? []
    }

    /// Makes a request of the machine and waits for the answer; withdraws the request if the task is cancelled.
    private func request(
        service: String? = nil, _ request: (_ id: UInt64) -> [ServiceMachine.Action]
    ) async throws -> (any Service)? {
        lastRequest += 1
        let id = lastRequest
        let result = PendingResult<(any Service)?>()
        pending[id] = Pending(service: service, result: result)
        perform(request(id))
        do { return try await result.wait() } catch {
            perform(machine.withdraw(id))
            throw error
        }
    }

    private var caller: ServiceMachine.Caller? {
        guard let caller = Self.caller, caller.registry == ObjectIdentifier(self) else { return nil }
        return caller.caller
    }
}
