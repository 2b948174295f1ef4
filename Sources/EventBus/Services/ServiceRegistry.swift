/// The services of an app: registered by name or type, started after those that they need, stopped in reverse.
///
/// Every step is an event `service:<name>:<state>` on the bus, with a ``ServiceChange`` as payload, so the bus is the
/// log of the registry. Starting a running service returns it; starts at the same time are one start. When a start
/// fails, what it had started on its way is stopped again.
public actor ServiceRegistry {
    /// The bus that services talk through and whose events tell their steps.
    public nonisolated let bus: EventBus
    private let clock: any Clock<Duration>
    private var graph = ServiceGraph()
    private var entries: [String: Entry] = [:]
    /// The running services in the order in which they got ready.
    private var running: [String] = []
    private var isShutDown = false

    private struct Entry {
        var state = ServiceState.registered
        var instance: (any Service)?
        var start: Task<any Service, any Error>?
        var stop: Task<Void, any Error>?
        /// A stop that came before or during a start, and must not be lost.
        var isStopWanted = false
        /// Whether it was started for itself and not only because another needs it.
        var isWanted = false
    }

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - bus: The bus of the services.
    ///   - clock: What deadlines are measured with.
    public init(bus: EventBus = .shared, clock: any Clock<Duration> = ContinuousClock()) {
        (self.bus, self.clock) = (bus, clock)
    }

    // MARK: Registering

    /// Registers a service by its type, and the services that it needs.
    ///
    /// Without a name, the type's own is taken. Registering the same type again under the same name changes nothing.
    ///
    /// - Throws: ``EventBusError``: `malformedName`, `duplicateService`, or `serviceCycle` with the circle in `trail`.
    public func register<S: Service>(_ type: S.Type, as name: String? = nil) throws(EventBusError) {
        var (definitions, visited): ([ServiceGraph.Definition], Set<String>) = ([], [])
        func collect(_ type: any Service.Type, name: String) {
            guard visited.insert(name).inserted else { return }
            for need in type.needs { collect(need, name: need.name) }
            definitions.append(
                ServiceGraph.Definition(name: name, needs: type.needs.map { $0.name }, type: type) {
                    try await type.init($0)
                })
        }
        collect(type, name: name ?? type.name)
        try add(definitions)
    }

    /// Registers a service by its name.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - needs: The names of the services that must run before it; they may be registered later.
    ///   - make: Makes the running service.
    /// - Throws: ``EventBusError``: `malformedName`, `duplicateService`, or `serviceCycle` with the circle in `trail`.
    public func register(
        _ name: String, needs: [String] = [], make: @escaping @Sendable (ServiceContext) async throws -> any Service
    ) throws(EventBusError) {
        try add([ServiceGraph.Definition(name: name, needs: needs, type: nil, make: make)])
    }

    private func add(_ definitions: [ServiceGraph.Definition]) throws(EventBusError) {
        try graph.add(definitions)
        for definition in definitions where entries[definition.name] == nil {
            entries[definition.name] = Entry()
            tell(definition.name, .registered)
        }
    }

    // MARK: Looking

    /// The names of all services, in the order of registration.
    public var names: [String] { graph.names }

    /// The names of the running services, in the order in which they got ready.
    public var runningNames: [String] { running }

    /// Returns where a service is in its life; nil if there is none of this name.
    public func state(of name: String) -> ServiceState? { entries[name]?.state }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? { entries[name]?.instance }

    /// Returns the running service of a type, registered under the type's own name.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { entries[type.name]?.instance as? S }

    /// Asks a service how it is; one that does not run is unhealthy.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func health(of name: String) async throws(EventBusError) -> ServiceHealth {
        let state = try entry(name).state
        guard let instance = entries[name]?.instance else { return .unhealthy("\(state)") }
        return await instance.health()
    }

    private func entry(_ name: String) throws(EventBusError) -> Entry {
        if let entry = entries[name] { return entry }
        throw EventBusError(
            .unknownService, subject: name,
            expected: names.isEmpty ? "a registered service" : "one of \(names.sorted().joined(separator: ", "))")
    }

    // MARK: Starting

    /// Starts a service, and first those that it needs; independent ones start at the same time.
    ///
    /// The options are for the service itself, unless it runs already.
    ///
    /// - Throws: ``EventBusError``: `unknownService`, `serviceFailed` with what the service threw as `underlying`, or
    ///   `serviceStopped` if a stop came first.
    @discardableResult
    public func start(_ name: String, _ options: ServiceOptions = ServiceOptions()) async throws -> any Service {
        entries[name]?.isWanted = true
        return try await startIfNeeded(name, options)
    }

    private func startIfNeeded(_ name: String, _ options: ServiceOptions) async throws -> any Service {
        let entry = try entry(name)
        if let instance = entry.instance, entry.stop == nil { return instance }
        if let start = entry.start { return try await start.value }
        guard !isShutDown, !entry.isStopWanted else {
            entries[name]?.isStopWanted = false
            throw EventBusError(.serviceStopped, subject: name, found: "a stop before the start")
        }
        let stop = entry.stop
        let start = Task {
            _ = await stop?.result
            return try await self.run(name, options)
        }
        entries[name]?.start = start
        return try await start.value
    }

    /// Starts the service of a type, registered under the type's own name.
    @discardableResult
    public func start<S: Service>(_ type: S.Type, _ options: ServiceOptions = ServiceOptions()) async throws -> S {
        let service = try await start(type.name, options)
        guard let service = service as? S else {
            throw EventBusError(
                .serviceType, subject: type.name, expected: "\(type)", found: "\(Swift.type(of: service))")
        }
        return service
    }

    private func run(_ name: String, _ options: ServiceOptions) async throws -> any Service {
        set(name, .starting)
        let before = Set(running)
        do {
            guard let definition = graph[name] else { throw EventBusError(.unknownService, subject: name) }
            let needed = try await startNeeds(of: definition)
            try refuseIfStopWanted(name)
            let context = ServiceContext(name: name, bus: bus, options: options, needed: needed)
            let instance: any Service
            do { instance = try await definition.make(context) } catch {
                throw EventBusError(.serviceFailed, subject: name, underlying: error)
            }
            if entries[name]?.isStopWanted ?? false {
                await instance.stop()
                try refuseIfStopWanted(name)
            }
            entries[name]?.instance = instance
            entries[name]?.start = nil
            running.append(name)
            set(name, .running)
            return instance
        } catch {
            entries[name]?.start = nil
            entries[name]?.isStopWanted = false
            entries[name]?.isWanted = false
            let wasStopped = (error as? EventBusError)?.code == .serviceStopped
            set(name, wasStopped ? .stopped : .failed, error)
            await rollBack(needsOf: name, startedAfter: before)
            throw error
        }
    }

    private func refuseIfStopWanted(_ name: String) throws(EventBusError) {
        guard entries[name]?.isStopWanted ?? false else { return }
        throw EventBusError(.serviceStopped, subject: name, found: "a stop during the start")
    }

    private func startNeeds(of definition: ServiceGraph.Definition) async throws -> [String: any Service] {
        try await withThrowingTaskGroup(of: (String, any Service).self) { group in
            for need in definition.needs {
                group.addTask { (need, try await self.startIfNeeded(need, ServiceOptions())) }
            }
            var needed: [String: any Service] = [:]
            var failure: (any Error)?
            // Waits for all, so that what a failure leaves running is known.
            while let result = await group.nextResult() {
                switch result {
                case .success((let name, let service)): needed[name] = service
                case .failure(let error): failure = failure ?? error
                }
            }
            if let failure {
                throw EventBusError(
                    .serviceFailed, subject: definition.name, expected: "the services that it needs",
                    underlying: failure)
            }
            return needed
        }
    }

    /// Stops, in reverse, what the failed start of a service had started and nobody else needs.
    private func rollBack(needsOf name: String, startedAfter before: Set<String>) async {
        var reached: Set<String> = []
        func reach(_ name: String) {
            for need in graph[name]?.needs ?? [] where reached.insert(need).inserted { reach(need) }
        }
        reach(name)
        for need in running.reversed() where reached.contains(need) && !before.contains(need) {
            guard usedBy(need).isEmpty, entries[need]?.isWanted == false else { continue }
            try? await stop(need)
        }
    }

    /// The services that run, or are being started, and need this one.
    private func usedBy(_ name: String) -> [String] {
        graph.dependants(of: name).filter { dependant in
            guard let entry = entries[dependant] else { return false }
            return entry.start != nil || entry.instance != nil
        }
    }

    // MARK: Stopping

    /// Stops a service.
    ///
    /// Stopping a service that has stopped does nothing. A stop that comes before the first start, or during a start,
    /// is remembered: that start throws `serviceStopped`.
    ///
    /// The service may take as long as the limit says; at the deadline its task is cancelled.
    ///
    /// - Throws: ``EventBusError``: `unknownService`, `serviceInUse`, or `serviceOverran`.
    public func stop(
        _ name: String, within limit: Duration? = nil, dependants: ServiceDependants = .refuse
    ) async throws {
        let entry = try entry(name)
        if let stop = entry.stop { return try await stop.value }
        if let start = entry.start {
            entries[name]?.isStopWanted = true
            _ = await start.result
            // A start that was past the question is stopped like any other.
            guard entries[name]?.instance != nil else { return }
            return try await stop(name, within: limit, dependants: dependants)
        }
        guard let instance = entry.instance else {
            if entry.state == .registered { entries[name]?.isStopWanted = true }
            return
        }
        let users = usedBy(name)
        if !users.isEmpty {
            guard dependants == .cascade else {
                throw EventBusError(
                    .serviceInUse, subject: name, expected: "no running service that needs it",
                    found: users.joined(separator: ", "), trail: users)
            }
            for user in running.reversed() where users.contains(user) {
                try await stop(user, within: limit, dependants: .cascade)
            }
            return try await stop(name, within: limit, dependants: dependants)
        }
        let stopping = Task { try await self.end(instance, name, within: limit) }
        entries[name]?.stop = stopping
        entries[name]?.isStopWanted = false
        entries[name]?.isWanted = false
        set(name, .stopping)
        try await stopping.value
    }

    /// Stops the service of a type, registered under the type's own name.
    public func stop<S: Service>(
        _ type: S.Type, within limit: Duration? = nil, dependants: ServiceDependants = .refuse
    ) async throws {
        try await stop(type.name, within: limit, dependants: dependants)
    }

    /// Stops all services, the last to get ready first, and starts none any more.
    ///
    /// - Parameter limit: How long each service may take.
    /// - Returns: The names of the services that overran the limit.
    @discardableResult
    public func shutDown(within limit: Duration? = nil) async -> [String] {
        isShutDown = true
        for (name, entry) in entries where entry.start != nil { entries[name]?.isStopWanted = true }
        for name in names { _ = await entries[name]?.start?.result }
        var overran: [String] = []
        while let last = running.last {
            do { try await stop(last, within: limit, dependants: .cascade) } catch { overran.append(last) }
        }
        return overran
    }

    private func end(_ instance: any Service, _ name: String, within limit: Duration?) async throws {
        let isDone = await Self.run(within: limit, clock: clock) { await instance.stop() }
        entries[name]?.instance = nil
        entries[name]?.stop = nil
        running.removeAll { $0 == name }
        guard !isDone, let limit else { return set(name, .stopped) }
        let error = EventBusError(
            .serviceOverran, subject: name, expected: "a stop within \(limit)",
            found: "no end of it, so it was cancelled")
        set(name, .failed, error)
        throw error
    }

    /// Runs an action; at the deadline cancels it and returns false without waiting for it any longer.
    private static func run(
        within limit: Duration?, clock: any Clock<Duration>, _ action: @escaping @Sendable () async -> Void
    ) async -> Bool {
        guard let limit else {
            await action()
            return true
        }
        let (ends, end) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            await action()
            end.yield(true)
        }
        let alarm = Task {
            try await clock.sleep(for: limit)
            end.yield(false)
        }
        let isDone = await ends.first { _ in true } ?? false
        alarm.cancel()
        if !isDone { work.cancel() }
        return isDone
    }

    // MARK: Events

    private func set(_ name: String, _ state: ServiceState, _ error: (any Error)? = nil) {
        entries[name]?.state = state
        tell(name, state, error)
    }

    private func tell(_ name: String, _ state: ServiceState, _ error: (any Error)? = nil) {
        let change = ServiceChange(name: name, state: state, error: error)
        bus.trigger(Topic(unchecked: "service:\(name):\(state)"), change)
    }
}
