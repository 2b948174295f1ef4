internal import AshlarCore

// The life of a service: its start awaits the services that it needs, and its stop awaits the services that use it. Each is one
// task, and they are joined through the values of the tasks.
extension ServiceRegistry {
    /// One attempt to run a service, from the beginning of its start to the end of its work.
    struct Life {
        let id: UInt64
        let options: [String: any Sendable]
        let shutdown = ServiceShutdown()
        /// The instance, or the reason why the start failed.
        let outcome = Promise<Result<any Service, any Error>>()
        /// The task of the start, which ends after its outcome.
        var start: Task<Void, Never>?
        /// The number of callers that wait for the start.
        var starters = 0
        /// Whether the initializer of the service has been called.
        var isMaking = false
        /// The reason of a cancelled start that hasn't ended.
        var abandonment: (any Error)?
        /// The instance, as soon as it is ready.
        var service: (any Service)?
        var run: Task<Void, Never>?
        /// The call of the service's `stop()`.
        var stopping: Task<Void, any Error>?
        /// The error of a `run()` that ended during its stop.
        var runError: (any Error)?

        func cancel() {
            shutdown.begin()
            start?.cancel()
            run?.cancel()
            stopping?.cancel()
        }
    }

    /// The current work on a service.
    struct Entry {
        var state = ServiceState.registered
        var lastError: (any Error)?
        /// The current attempt; nil if the service has no instance and isn't starting.
        var life: Life?
        /// The requested stop, which can also be that of the services that use one which has ended.
        var stop: Task<Void, any Error>?
        /// The first error of a service that had to stop before this one.
        var stopError: (any Error)?
        /// Whether no start of the service has begun.
        var isNew = true
        /// Whether a request stopped the service, so that it didn't end by itself.
        var wasStopped = false
        /// Whether the limit of the stop has passed, so that its tasks are cancelled.
        var isLate = false

        var isActive: Bool { life != nil || stop != nil }
        var isRunning: Bool { life?.service != nil && life?.stopping == nil }
    }

    /// The code of a service, on whose behalf a task makes a request.
    struct Caller: Sendable {
        let registry: ObjectIdentifier
        let name: String
        let life: UInt64
        let shutdown: ServiceShutdown
    }

    // MARK: Starting

    /// Begins the start of a service that isn't active.
    func begin(_ name: String, _ options: [String: any Sendable]) -> Life {
        entries[name]?.isNew = false
        lastLife += 1
        var life = Life(id: lastLife, options: options)
        life.start = Task.detached(priority: Task.currentPriority) { [life] in await self.start(name, life) }
        entries[name]?.wasStopped = false
        entries[name]?.life = life
        set(name, .starting)
        return life
    }

    /// Starts a service: awaits its needs, and creates its instance.
    private func start(_ name: String, _ started: Life) async {
        let id = started.id
        var made: (any Service)?
        var failure: (any Error)?
        do {
            if isStarting(name, id) {
                let needed = try await startNeeds(of: name)
                if isStarting(name, id) { made = try await make(name, id, needed) }
            }
        } catch {
            failure = error
        }
        // An abandoned start has its own reason, and can have ended already.
        guard let life = life(name, id) else { return }
        if life.abandonment == nil, let service = made {
            entries[name]?.life?.service = service
            running.append(name)
            if let service = service as? any RunningService { entries[name]?.life?.run = run(name, life, service) }
            set(name, .running)
            life.outcome.fulfill(.success(service))
            return
        }
        let error = if let made { await stop(name, made) } else { nil as EventBusError? }
        endStart(name, life.abandonment ?? failure ?? CancellationError(), error)
    }

    private func isStarting(_ name: String, _ id: UInt64) -> Bool {
        life(name, id).map { $0.abandonment == nil } ?? false
    }

    /// Starts the services that a service needs, and returns them.
    private func startNeeds(of name: String) async throws -> [(name: String, service: any Service)] {
        let starts = try graph.needs(of: name).map { need in
            if let refusal = refusal(of: need) { throw Self.needFailed(name, refusal) }
            return (need, entries[need]?.life ?? begin(need, [:]))
        }
        var needed: [(name: String, service: any Service)] = []
        for (need, life) in starts {
            guard let outcome = await life.outcome.value() else { throw CancellationError() }
            do { needed.append((need, try outcome.get())) } catch { throw Self.needFailed(name, error) }
        }
        // One of them can have been stopped while others were starting. One that has ended by itself was ready.
        for (need, _) in starts where entries[need]?.stop != nil || entries[need]?.wasStopped == true {
            throw Self.needFailed(name, Self.stopped(need, "a stop of a needed service"))
        }
        return needed
    }

    private func make(
        _ name: String, _ id: UInt64, _ needed: [(name: String, service: any Service)]
    ) async throws -> any Service {
        guard let make = graph[name]?.make, let life = life(name, id) else { throw unknown(name) }
        entries[name]?.life?.isMaking = true
        let context = ServiceContext(
            name: name, bus: bus, options: life.options, needed: needed, ownShutdown: life.shutdown)
        do {
            return try await Self.$caller.withValue(caller(name, life)) { try await make(context) }
        } catch {
            throw EventBusError(.serviceFailed, subject: name, underlying: error)
        }
    }

    /// Ends a start that failed or was abandoned; `stopError` is that of the instance that it created in vain.
    private func endStart(_ name: String, _ reason: any Error, _ stopError: EventBusError? = nil) {
        if let stopError { noteStop(name, stopError, own: stopError) }
        let outcome = entries[name]?.life?.outcome
        entries[name]?.life = nil
        let isGivenUp = reason is CancellationError || (reason as? EventBusError)?.code == .serviceStopped
        set(name, stopError == nil && isGivenUp ? .stopped : .failed, stopError ?? reason)
        outcome?.fulfill(.failure(reason))
        if !isGivenUp { conclude(name, reason) }
        checkRun()
    }

    /// Cancels a start; a service whose initializer runs ends later.
    func abandon(_ name: String, _ reason: any Error) {
        guard let life = entries[name]?.life, life.service == nil, life.abandonment == nil else { return }
        entries[name]?.life?.abandonment = reason
        life.shutdown.begin()
        if life.isMaking { set(name, .stopping) } else { endStart(name, reason) }
        life.start?.cancel()
    }

    // MARK: Running

    private func run(_ name: String, _ life: Life, _ service: any RunningService) -> Task<Void, Never> {
        let caller = caller(name, life)
        return Task.detached(priority: Task.currentPriority) {
            var failure: (any Error)?
            do { try await Self.$caller.withValue(caller) { try await service.run() } } catch { failure = error }
            await self.runEnded(name, life.id, failure)
        }
    }

    private func runEnded(_ name: String, _ id: UInt64, _ error: (any Error)?) {
        guard let life = life(name, id) else { return }
        // The end of a cancelled task isn't a failure.
        let wasCancelled = life.stopping != nil || shutdown?.isCancelling == true
        let cause = wasCancelled && error is CancellationError ? nil : error
        let failure = cause.map { EventBusError(.serviceFailed, subject: name, underlying: $0) }
        if failure != nil { markUnclean(name) }
        if life.stopping != nil {
            entries[name]?.life?.runError = cause
        } else {
            endLife(name)
            // A stop that still waits for the services that use this one throws the error.
            if let failure, entries[name]?.stop != nil { entries[name]?.stopError = failure }
            set(name, failure == nil ? .stopped : .failed, failure)
        }
        if failure != nil || entries[name]?.stop == nil { conclude(name, failure, ofRun: true) }
        checkRun()
    }

    // MARK: Stopping

    /// Begins the stop of a service after the services that use it, or returns the one under way.
    @discardableResult
    func beginStop(_ name: String) -> Task<Void, any Error> {
        if let stop = entries[name]?.stop { return stop }
        let task = Task.detached(priority: Task.currentPriority) { try await self.stop(name) }
        entries[name]?.stop = task
        return task
    }

    private func stop(_ name: String) async throws {
        if entries[name]?.life != nil { entries[name]?.wasStopped = true }
        abandon(name, Self.stopped(name, "a stop during the start"))
        for stop in activeUsers(of: name).map({ beginStop($0) }) { _ = await stop.result }
        if let life = entries[name]?.life, let service = life.service {
            set(name, .stopping)
            let error = await stop(name, service)
            if let first = entries[name]?.stopError ?? error { noteStop(name, first, own: error) }
            endLife(name)
            set(name, error == nil ? .stopped : .failed, error)
        } else if let start = entries[name]?.life?.start {
            await start.value
        }
        let error = entries[name]?.stopError
        entries[name]?.stop = nil
        entries[name]?.stopError = nil
        entries[name]?.isLate = false
        checkRun()
        if let error { throw error }
    }

    /// Calls the service's `stop()`, ends its `run()`, and returns the first error.
    private func stop(_ name: String, _ service: any Service) async -> EventBusError? {
        guard let life = entries[name]?.life else { return nil }
        let caller = caller(name, life)
        life.shutdown.begin()
        let task = Task.detached(priority: Task.currentPriority) {
            let result: Result<Void, any Error>
            do { result = .success(try await Self.$caller.withValue(caller) { try await service.stop() }) } catch {
                result = .failure(error)
            }
            if !life.shutdown.isObserved { life.run?.cancel() }
            await life.run?.value
            try result.get()
        }
        entries[name]?.life?.stopping = task
        if entries[name]?.isLate == true || shutdown?.isCancelling == true { entries[name]?.life?.cancel() }
        var failure: (any Error)?
        do { try await task.value } catch { failure = error }
        guard let cause = failure ?? entries[name]?.life?.runError else { return nil }
        markUnclean(name)
        return EventBusError(
            .serviceFailed, subject: name, expected: "a stop without an error", underlying: cause)
    }

    /// Notes the error of a stop for its callers, and for the stops that wait for this one and have no error so far.
    private func noteStop(_ name: String, _ first: any Error, own error: (any Error)?) {
        for need in graph.needs(of: name)
        where entries[need]?.stop != nil && entries[need]?.life?.stopping == nil && entries[need]?.stopError == nil {
            entries[need]?.stopError = first
        }
        if let error, entries[name]?.stop != nil { entries[name]?.stopError = error }
    }

    /// Cancels the services that a stop waits for, and itself; returns the first one that hasn't ended.
    func cancelStop(of name: String) -> String {
        var late = name
        var open = [name]
        var seen: Set<String> = [name]
        while let next = open.popLast() {
            if let life = entries[next]?.life, life.stopping != nil || life.abandonment != nil {
                life.cancel()
                late = next
            }
            if entries[next]?.stop != nil { entries[next]?.isLate = true }
            open += activeUsers(of: next).filter { seen.insert($0).inserted }
        }
        return late
    }

    private func endLife(_ name: String) {
        entries[name]?.life = nil
        running.removeAll { $0 == name }
    }

    // MARK: Parts

    func life(_ name: String, _ id: UInt64) -> Life? { entries[name]?.life.flatMap { $0.id == id ? $0 : nil } }

    /// Returns the services that are active and need this one.
    func activeUsers(of name: String) -> [String] {
        graph.dependants(of: name).filter { entries[$0]?.isActive ?? false }
    }

    private func caller(_ name: String, _ life: Life) -> Caller {
        Caller(registry: ObjectIdentifier(self), name: name, life: life.id, shutdown: life.shutdown)
    }

    /// The service of this registry whose code makes a request, unless it has ended.
    var currentCaller: String? {
        guard let caller = Self.caller, caller.registry == ObjectIdentifier(self) else { return nil }
        return life(caller.name, caller.life) == nil ? nil : caller.name
    }

    /// Waits for the value of a task, until this task is cancelled or the limit has passed, which throws `LimitPassed`.
    func join<Value: Sendable>(_ task: Task<Value, any Error>, within limit: Duration? = nil) async throws -> Value {
        let result = PendingResult<Value>()
        Task.detached { result.finish(await task.result) }
        guard let limit else { return try await result.wait() }
        return try await result.wait(within: limit, clock: clock) { LimitPassed() }
    }

    struct LimitPassed: Error {}

    func set(_ name: String, _ state: ServiceState, _ error: (any Error)? = nil) {
        entries[name]?.state = state
        if error != nil || state == .running { entries[name]?.lastError = error }
        // Row "start of 1,000 services": the names of events that nobody can hear aren't built.
        guard bus.isHeard else { return }
        let change = ServiceChange(name: name, state: state, error: error)
        bus.trigger(Topic(unchecked: "service:\(name):\(state.rawValue)"), change)
    }

    // MARK: Errors

    /// Returns the reason why a service can't start now: a stop that hasn't ended.
    func refusal(of name: String) -> EventBusError? {
        guard let entry = entries[name] else { return unknown(name) }
        let isEnding = entry.stop != nil || entry.life?.abandonment != nil
        return isEnding ? Self.stopped(name, "a stop that hasn't ended") : nil
    }

    static func stopped(_ name: String, _ found: String) -> EventBusError {
        EventBusError(.serviceStopped, subject: name, found: found)
    }

    private static func needFailed(_ name: String, _ error: any Error) -> EventBusError {
        EventBusError(.serviceFailed, subject: name, expected: "the services that it needs", underlying: error)
    }

    static func cycleError(_ cycle: [String]) -> EventBusError {
        EventBusError(
            .serviceCycle, subject: cycle.first ?? "", expected: "services that do not wait for themselves",
            trail: cycle)
    }

    func unknown(_ name: String) -> EventBusError {
        let known = graph.names.sorted().joined(separator: ", ")
        return EventBusError(
            .unknownService, subject: name, expected: known.isEmpty ? "a registered service" : "one of \(known)")
    }
}
