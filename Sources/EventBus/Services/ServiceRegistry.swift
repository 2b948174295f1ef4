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
    var graph = ServiceGraph()
    var entries: [String: Entry] = [:]
    /// The running services, in the order in which they became ready.
    var running: [String] = []
    var lastLife: UInt64 = 0
    /// The shutdown, which can be complete; nil before the first one.
    var shutdown: Shutdown?
    var currentRun: Run?

    /// The service whose code the current task runs.
    @TaskLocal static var caller: Caller?

    struct Shutdown {
        /// Stops all services.
        let task: Task<Void, any Error>
        /// Whether the tasks of services are cancelled at the beginning of their stops.
        var isCancelling = false
        /// The services that haven't stopped in order so far.
        var unclean: [String] = []
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
        var types: [(name: String, type: any Service.Type)] = []
        var visited: Set<String> = []
        func collect(_ type: any Service.Type, name: String) {
            guard visited.insert(name).inserted else { return }
            for need in type.needs { collect(need, name: need.name) }
            types.append((name, type))
        }
        collect(type, name: name ?? type.name)
        try add(
            types.map { found in
                ServiceGraph.Definition(
                    found.name, needs: found.type.needs.map { $0.name }, policy: found.type == type ? policy : nil,
                    type: found.type
                ) { [type = found.type] in try await type.init($0) }
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
        let policy = ServicePolicy(whenEnded: whenEnded, whenFailed: whenFailed)
        try add([ServiceGraph.Definition(name, needs: needs, policy: policy, make: make)])
    }

    private func add(_ definitions: [ServiceGraph.Definition]) throws(EventBusError) {
        for name in try graph.add(definitions) {
            entries[name] = Entry()
            set(name, .registered)
        }
        startRegistered()
    }

    // MARK: Stopping

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
        guard let entry = entries[name] else { throw unknown(name) }
        let users = activeUsers(of: name)
        // The users of a service that has ended by itself can still run.
        if !entry.isActive, users.isEmpty || !cascading { return }
        if !users.isEmpty, !cascading, refusal(of: name) == nil {
            throw EventBusError(
                .serviceInUse, subject: name, expected: "no running service that needs it",
                found: users.joined(separator: ", "), trail: users)
        }
        // A stop ends after the services that need this one, so the code of none of them can wait for it.
        if let caller = currentCaller, let path = graph.path(from: caller, to: name) {
            throw Self.cycleError([caller] + path.reversed())
        }
        do { try await join(beginStop(name), within: limit) } catch is LimitPassed {
            throw EventBusError(
                .serviceOverran, subject: cancelStop(of: name), expected: "a stop within \(limit ?? .zero)",
                found: "no end of it")
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
        let current = shutdown ?? Shutdown(task: Task.detached { await self.stopAll() })
        shutdown = current
        if isCancelling { cancelAll() }
        checkRun()
        // A service that waited for its own end would hang.
        if currentCaller == nil {
            do { try await join(current.task, within: limit) } catch is LimitPassed {
                cancelAll()
                for name in running.reversed() + graph.names where entries[name]?.isActive == true { markUnclean(name) }
            } catch {
                // The caller was cancelled.
            }
        }
        return shutdown?.unclean ?? []
    }

    /// Ends the starts and the stops under way, and then stops the last service that became ready, until none is left.
    private func stopAll() async {
        while true {
            let ending = graph.names.filter { name in
                entries[name].map { $0.isActive && !($0.isRunning && $0.stop == nil) } ?? false
            }
            if ending.isEmpty {
                guard let last = running.last else { return }
                _ = await beginStop(last).result
            } else {
                for stop in ending.map({ beginStop($0) }) { _ = await stop.result }
            }
        }
    }

    /// Cancels all services, and those of later stops when they begin.
    private func cancelAll() {
        shutdown?.isCancelling = true
        for entry in entries.values { entry.life?.cancel() }
    }

    /// Records a service that doesn't stop in order during a shutdown.
    func markUnclean(_ name: String) {
        if shutdown?.unclean.contains(name) == false { shutdown?.unclean.append(name) }
    }
}
