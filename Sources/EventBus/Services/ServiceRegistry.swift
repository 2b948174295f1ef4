/// The services of an app, which start after the services that they need and stop in reverse order.
///
/// Every change of state triggers an event `service:<name>:<state>` on the bus with a ``ServiceChange`` as payload.
/// Independent services start concurrently. Concurrent starts of one service share one start. When a start fails, the
/// services that it has started are stopped.
///
/// A request that could never complete throws: if a service's own code waits for the service, directly or through other
/// services, it gets an ``EventBusError`` with the code `serviceCycle` and the cycle as `trail`. Requests in an
/// unstructured `Task` of a service are part of its own code during its lifetime; requests in `Task.detached` aren't.
///
/// Cancelling a task that waits for a start ends the wait at once, and cancels the start if there is no other caller.
/// Cancelling a task that waits for a stop only ends the wait. The code of services doesn't see the task-local values
/// of the tasks that start or stop them.
public actor ServiceRegistry {
    /// The bus of the services.
    public nonisolated let bus: EventBus
    private let clock: any Clock<Duration>
    private var machine: ServiceMachine
    private var makers: [String: @Sendable (ServiceContext) async throws -> any Service] = [:]
    private var lives: [UInt64: Life] = [:]
    private var timers: [UInt64: Task<Void, Never>] = [:]
    private var pending: [UInt64: Pending] = [:]
    private var lastRequest: UInt64 = 0

    /// The service whose code the current task runs.
    @TaskLocal private static var caller: (registry: ObjectIdentifier, caller: ServiceMachine.Caller)?

    private struct Life {
        let name: String
        var instance: (any Service)?
        var health = ServiceHealth.healthy
        var reported = ServiceHealth.healthy
        var make: Task<Void, Never>?
        var run: Task<Void, Never>?
        var stop: Task<Void, Never>?
    }

    private enum Pending {
        case start(String, CheckedContinuation<any Service, any Error>)
        case stop(CheckedContinuation<Void, any Error>)
        case shutdown(CheckedContinuation<[String], Never>)
    }

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - bus: The bus of the services.
    ///   - gracePeriod: The time that a service has to end after its tasks are cancelled at the deadline. The registry
    ///     then abandons the service: it has failed, even if it still runs.
    ///   - clock: The clock of all deadlines and pauses.
    public init(
        bus: EventBus = .shared, gracePeriod: Duration = .zero, clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.bus, self.clock) = (bus, clock)
        machine = ServiceMachine(gracePeriod: gracePeriod)
    }

    // MARK: Registering

    /// Registers a service by its type, and the services that it needs.
    ///
    /// Registering the same type again with the same name has no effect.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - name: The name; by default the name of the type.
    ///   - restart: The policy for a ``RunningService`` that fails while it runs.
    /// - Throws: ``EventBusError``: `malformedName`, `duplicateService`, or `serviceCycle` with the cycle in `trail`.
    public func register<S: Service>(
        _ type: S.Type, as name: String? = nil, restart: ServiceRestart = .never
    ) throws(EventBusError) {
        var (types, visited): ([(name: String, type: any Service.Type)], Set<String>) = ([], [])
        func collect(_ type: any Service.Type, name: String) {
            guard visited.insert(name).inserted else { return }
            for need in type.needs { collect(need, name: need.name) }
            types.append((name, type))
        }
        collect(type, name: name ?? type.name)
        try add(
            types.map { found in
                let definition = ServiceGraph.Definition(
                    name: found.name, needs: found.type.needs.map { $0.name },
                    restart: found.type == type ? restart : .never, type: found.type)
                return (definition, { [type = found.type] in try await type.init($0) })
            })
    }

    /// Registers a service with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - needs: The names of the services that must run before it; they can be registered later.
    ///   - restart: The policy for a ``RunningService`` that fails while it runs.
    ///   - make: Creates the running service.
    /// - Throws: ``EventBusError``: `malformedName`, `duplicateService`, or `serviceCycle` with the cycle in `trail`.
    public func register(
        _ name: String, needs: [String] = [], restart: ServiceRestart = .never,
        make: @escaping @Sendable (ServiceContext) async throws -> any Service
    ) throws(EventBusError) {
        try add([(ServiceGraph.Definition(name: name, needs: needs, restart: restart), make)])
    }

    private func add(
        _ services: [(ServiceGraph.Definition, @Sendable (ServiceContext) async throws -> any Service)]
    ) throws(EventBusError) {
        let actions = try machine.register(services.map(\.0))
        for (definition, make) in services where makers[definition.name] == nil { makers[definition.name] = make }
        perform(actions)
    }

    // MARK: Reading

    /// The names of all services, in the order of registration.
    public var names: [String] { machine.names }

    /// The names of the running services, in the order in which they became ready.
    public var runningNames: [String] { machine.runningNames }

    /// Returns the state of a service; nil if no service is registered with the name.
    public func state(of name: String) -> ServiceState? { machine.state(of: name) }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? {
        guard let life = machine.life(of: name), machine.runningNames.contains(name) else { return nil }
        return lives[life]?.instance
    }

    /// Returns the running service of a type that is registered with the name of the type.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { service(named: type.name) as? S }

    /// Explains the state of a service: the services for which it waits, its needs, its dependants and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> ServiceExplanation {
        let health = machine.life(of: name).flatMap { lives[$0] }.map { $0.health.worse($0.reported) }
        return try machine.explain(name, health: health)
    }

    /// Returns the health of a service: the worse of its last report and ``Service/health()``; unhealthy if it isn't
    /// running.
    ///
    /// A change triggers the event `service:<name>:health` with the ``ServiceHealth`` as payload.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func health(of name: String) async throws(EventBusError) -> ServiceHealth {
        guard let state = machine.state(of: name) else { throw machine.unknown(name) }
        guard let life = machine.life(of: name), let instance = service(named: name) else {
            return .unhealthy("\(state)")
        }
        let answer = await instance.health()
        updateHealth(life) { $0.health = answer }
        return lives[life].map { $0.health.worse($0.reported) } ?? answer
    }

    private func updateHealth(_ id: UInt64, _ change: (inout Life) -> Void) {
        guard var life = lives[id] else { return }
        let old = life.health.worse(life.reported)
        change(&life)
        lives[id] = life
        let new = life.health.worse(life.reported)
        if new != old { bus.trigger(Topic(unchecked: "service:\(life.name):health"), new) }
    }

    private func report(_ health: ServiceHealth, life: UInt64) { updateHealth(life) { $0.reported = health } }

    // MARK: Starting and stopping

    /// Starts a service after the services that it needs.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - options: The options of the service, unless it is already running.
    ///   - limit: The time that the caller waits. Then the start is cancelled, unless there are other callers, and
    ///     abandoned after the grace period.
    /// - Returns: The running service.
    /// - Throws: ``EventBusError``: `unknownService`, `serviceFailed` with the service's error as `underlying`,
    ///   `serviceStopped` if the service is stopped first, `serviceOverran`, `serviceCycle`; or `CancellationError`.
    @discardableResult
    public func start(
        _ name: String, _ options: ServiceOptions = ServiceOptions(), within limit: Duration? = nil
    ) async throws -> any Service {
        let id = nextRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<any Service, any Error>) in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                pending[id] = .start(name, continuation)
                perform(machine.start(name, options, waiter: id, limit: limit, caller: caller))
            }
        } onCancel: {
            Task { await self.withdraw(id) }
        }
    }

    /// Starts the service of a type that is registered with the name of the type.
    @discardableResult
    public func start<S: Service>(
        _ type: S.Type, _ options: ServiceOptions = ServiceOptions(), within limit: Duration? = nil
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
    /// Stopping a stopped service has no effect. A stop during a start cancels the start. A stop before the first start
    /// makes that start throw `serviceStopped`.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - limit: The time that each affected service has for its stop. At the deadline its tasks are cancelled, and
    ///     after the registry's grace period it is abandoned.
    ///   - dependants: Whether running services that need this one are stopped first.
    /// - Throws: ``EventBusError``: `unknownService`, `serviceInUse`, `serviceOverran`, `serviceCycle`, or
    ///   `serviceFailed` with the error of the service's `stop()` as `underlying`; or `CancellationError`.
    public func stop(
        _ name: String, within limit: Duration? = nil, dependants: ServiceDependants = .refuse
    ) async throws {
        let id = nextRequest()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                pending[id] = .stop(continuation)
                perform(machine.stop(name, waiter: id, limit: limit, dependants: dependants, caller: caller))
            }
        } onCancel: {
            Task { await self.withdraw(id) }
        }
    }

    /// Stops the service of a type that is registered with the name of the type.
    public func stop<S: Service>(
        _ type: S.Type, within limit: Duration? = nil, dependants: ServiceDependants = .refuse
    ) async throws {
        try await stop(type.name, within: limit, dependants: dependants)
    }

    /// Stops all services, the last to become ready first, and refuses later starts.
    ///
    /// If the code of a service calls the method, or the task is cancelled, it returns at once, and the shutdown
    /// continues.
    ///
    /// - Parameter limit: The time that each service has for its stop.
    /// - Returns: The names of the services that exceeded the limit or whose stop threw.
    @discardableResult
    public func shutDown(within limit: Duration? = nil) async -> [String] {
        let id = nextRequest()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending[id] = .shutdown(continuation)
                perform(machine.shutDown(waiter: id, limit: limit, caller: caller))
                if Task.isCancelled { perform(machine.withdraw(id)) }
            }
        } onCancel: {
            Task { await self.withdraw(id) }
        }
    }

    private func nextRequest() -> UInt64 {
        lastRequest += 1
        return lastRequest
    }

    private var caller: ServiceMachine.Caller? {
        guard let caller = Self.caller, caller.registry == ObjectIdentifier(self) else { return nil }
        return caller.caller
    }

    private func withdraw(_ id: UInt64) { perform(machine.withdraw(id)) }

    // MARK: Actions

    private func perform(_ actions: [ServiceMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let name, let life): make(name, life)
            case .adopt(let name, let life): run(name, life)
            case .stop(let name, let life): stop(name, life)
            case .cancel(let life):
                for task in [lives[life]?.make, lives[life]?.run, lives[life]?.stop] { task?.cancel() }
            case .end(let life): lives[life] = nil
            case .setTimer(let id, let duration):
                timers[id] = Task.detached { [clock] in
                    do { try await clock.sleep(for: duration) } catch { return }
                    await self.timerFired(id)
                }
            case .cancelTimer(let id): timers.removeValue(forKey: id)?.cancel()
            case .answer(let id, let error): answer(id, error)
            case .finishShutdown(let id, let unclean):
                if case .shutdown(let continuation) = pending.removeValue(forKey: id) {
                    continuation.resume(returning: unclean)
                }
            case .report(let name, let state, let error):
                let change = ServiceChange(name: name, state: state, error: error)
                bus.trigger(Topic(unchecked: "service:\(name):\(state)"), change)
            }
        }
    }

    private func answer(_ id: UInt64, _ error: (any Error)?) {
        switch pending.removeValue(forKey: id) {
        case .start(let name, let continuation):
            if let error { return continuation.resume(throwing: error) }
            if let service = service(named: name) { return continuation.resume(returning: service) }
            // It has failed again, in a handler of the event of its start.
            continuation.resume(throwing: EventBusError(.serviceFailed, subject: name))
        case .stop(let continuation):
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        case .shutdown(let continuation): continuation.resume(returning: [])
        case nil: break
        }
    }

    /// Runs code of a service in its own task.
    private func task<Value: Sendable>(
        _ name: String, _ life: UInt64, _ body: @escaping @Sendable () async throws -> Value,
        then end: @escaping @Sendable (isolated ServiceRegistry, Result<Value, any Error>) -> Void
    ) -> Task<Void, Never> {
        let caller = (ObjectIdentifier(self), ServiceMachine.Caller(name: name, life: life))
        return Task.detached(priority: Task.currentPriority) {
            let result: Result<Value, any Error>
            do { result = .success(try await Self.$caller.withValue(caller, operation: body)) } catch {
                result = .failure(error)
            }
            await end(self, result)
        }
    }

    private func make(_ name: String, _ id: UInt64) {
        guard let make = makers[name] else { return }
        var needed: [String: any Service] = [:]
        for need in machine.needs(of: name) { needed[need] = service(named: need) }
        let context = ServiceContext(
            name: name, bus: bus, options: machine.options(of: name), needed: needed,
            report: { [weak self] health in Task { await self?.report(health, life: id) } })
        lives[id] = Life(name: name)
        lives[id]?.make = task(name, id) {
            try await make(context)
        } then: {
            $0.made(id, $1)
        }
    }

    private func made(_ id: UInt64, _ result: Result<any Service, any Error>) {
        switch result {
        case .success(let instance) where lives[id] == nil:
            // The start was abandoned; an instance that it created later is stopped without a report.
            Task.detached { try? await instance.stop() }
        case .success(let instance):
            lives[id]?.instance = instance
            perform(machine.made(life: id))
        case .failure(let error): perform(machine.made(life: id, error: error))
        }
    }

    private func run(_ name: String, _ id: UInt64) {
        guard let service = lives[id]?.instance as? any RunningService else { return }
        lives[id]?.run = task(name, id) {
            try await service.run()
        } then: {
            $0.perform($0.machine.runEnded(life: id, error: $1.failure))
        }
    }

    private func stop(_ name: String, _ id: UInt64) {
        guard let life = lives[id], let instance = life.instance else { return }
        lives[id]?.stop = task(name, id) {
            let result: Result<Void, any Error>
            do { result = .success(try await instance.stop()) } catch { result = .failure(error) }
            life.run?.cancel()
            await life.run?.value
            try result.get()
        } then: {
            $0.perform($0.machine.stopEnded(life: id, error: $1.failure))
        }
    }

    private func timerFired(_ id: UInt64) {
        timers[id] = nil
        perform(machine.timerFired(id))
    }
}

extension Result {
    /// The error, if this is a failure.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
