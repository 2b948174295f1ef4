internal import AshlarCore

extension ServiceRegistry {
    /// A run of all services: the life of a server.
    final class Run: Sendable {
        struct State {
            /// Whether every start has ended.
            var hasStarted = false
            var isCancelling = false
            var signal: ProcessSignal?
            /// The first failure of a service that isn't to be ignored.
            var error: (any Error)?
        }

        let state = Mutex(State())
        /// The reason to end: success when the services have ended or have to be shut down.
        let end = PendingResult<Void>()
    }

    /// Starts all services, waits for their end or a reason to end them, and stops them in order: the life of a server.
    ///
    /// A run ends
    /// - when a signal comes,
    /// - when every service has ended, or none is registered; a ``Service`` without `run()` doesn't end by itself,
    /// - when a service ends or fails whose policy says so; by default each failure of a start or a `run()` does,
    /// - when ``shutDown(within:cancelling:)`` is called, or when the task is cancelled, which cancels the services.
    ///
    /// The services are then stopped, the last to become ready first. A signal has its previous action again as soon as
    /// it has come, so that, by default, a second SIGTERM ends the process at once. Signals of `cancellingOn` remain
    /// caught until the run ends.
    ///
    /// ```swift
    /// final class Greeter: RunningService {
    ///     init(_ context: ServiceContext) async throws {}
    ///     func run() async throws { print("hello") }
    /// }
    /// let services = ServiceRegistry(bus: EventBus())
    /// try await services.register(Greeter.self)
    /// let outcome = try await services.run(stoppingWithin: .seconds(10))  // hello
    /// print(outcome.signal?.number ?? 0, outcome.unclean)  // 0 []
    /// ```
    ///
    /// - Parameters:
    ///   - signals: The signals that stop the services; may be empty.
    ///   - cancellationSignals: The signals that cancel the services, also during a shutdown.
    ///   - start: The time that each service has for its start.
    ///   - stop: The time for the stops of all services.
    /// - Returns: The signal that ended the run, or nil if the services ended by themselves or another caller shut them
    ///   down; and the names of the services that hadn't stopped at the limit or whose stop threw.
    /// - Throws: The first failure of a service that isn't ignored, also one of its `run()` during the shutdown;
    ///   `CancellationError`; or ``EventBusError`` with the code `signalsUnavailable`, `serviceRunning` if another run
    ///   hasn't ended, or `serviceStopped` after a shutdown.
    public func run(
        shuttingDownOn signals: [ProcessSignal] = [.terminate, .interrupt],
        cancellingOn cancellationSignals: [ProcessSignal] = [], startingWithin start: Duration? = nil,
        stoppingWithin stop: Duration? = nil
    ) async throws -> (signal: ProcessSignal?, unclean: [String]) {
        guard currentRun == nil else { throw EventBusError(.serviceRunning, subject: "run", expected: "one run") }
        guard machine.shutdown == nil else {
            throw ServiceMachine.stopped(ByteText("run"), "a shutdown before the run")
        }
        let run = Run()
        let subscriptions = [
            ProcessSignals.Subscription(signals) { receive($0, isCancelling: false) },
            ProcessSignals.Subscription(cancellationSignals) { receive($0, isCancelling: true) },
        ]
        @Sendable func receive(_ signal: ProcessSignal, isCancelling: Bool) {
            run.state.withLock { $0.signal = $0.signal ?? signal }
            end(run, isCancelling: isCancelling)
        }
        defer { for subscription in subscriptions { ProcessSignals.unsubscribe(subscription) } }
        for subscription in subscriptions { try ProcessSignals.subscribe(subscription) }
        currentRun = run
        defer { currentRun = nil }

        // Not awaited here, because a reason to end can come before the last start has ended.
        let starts = Task { [names = machine.graph.names] in
            await withDiscardingTaskGroup { group in
                for name in names {
                    group.addTask {
                        do { try await self.start(name.text, within: start) } catch { await self.conclude(name, error) }
                    }
                }
            }
            run.state.withLock { $0.hasStarted = true }
            checkRun()
        }
        do { try await run.end.wait() } catch { run.state.withLock { $0.isCancelling = true } }
        let isCancelling = run.state.withLock { $0.isCancelling }
        // Not in this task, because a cancelled shutdown wouldn't wait for its end.
        let unclean =
            machine.isIdle && machine.shutdown == nil
            ? [] : await Task.detached { await self.shutDown(within: stop, cancelling: isCancelling) }.value
        // A start that ignores its cancellation can continue after the limit.
        starts.cancel()
        await starts.value
        let (error, signal) = run.state.withLock { ($0.error, $0.signal) }
        if let error { throw error }
        if signal == nil { try Task.checkCancellation() }
        return (signal, unclean)
    }

    /// Ends a run; with `isCancelling`, cancels the services, also if their shutdown has already begun.
    private nonisolated func end(_ run: Run, isCancelling: Bool) {
        if isCancelling { run.state.withLock { $0.isCancelling = true } }
        if !run.end.finish(.success(())), isCancelling { Task { await self.shutDown(cancelling: true) } }
    }

    /// Applies the policy of a service that has ended by itself or failed.
    func conclude(_ name: ByteText, _ error: (any Error)?) {
        guard let run = currentRun, error != nil || machine.shutdown == nil else { return }
        // The end of a start by a stop isn't a failure.
        var cause = error
        while let found = cause as? EventBusError, found.code != .serviceStopped { cause = found.underlying }
        if cause is EventBusError || error is CancellationError { return }
        let policy = machine.graph[name]?.policy ?? ServicePolicy()
        let effect = error == nil ? policy.whenEnded : policy.whenFailed
        if effect == .ignore { return }
        if let error { run.state.withLock { $0.error = $0.error ?? error } }
        end(run, isCancelling: effect == .cancel)
    }

    /// Ends the run if a shutdown has begun, or if every service has ended.
    func checkRun() {
        guard let run = currentRun else { return }
        let isOver = machine.shutdown != nil || run.state.withLock({ $0.hasStarted }) && machine.isIdle
        if isOver { run.end.finish(.success(())) }
    }
}

extension EventBusError.Code {
    /// A run of the registry hasn't ended.
    public static let serviceRunning = Self("serviceRunning")
}
