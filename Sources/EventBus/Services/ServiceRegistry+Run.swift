internal import AshlarCore

extension ServiceRegistry {
    /// A run of all services: the life of a server.
    final class Run: Sendable {
        struct State {
            /// The starts of services, and the number of those that haven't ended.
            var starts: [Task<Void, Never>] = []
            var startCount = 0
            /// Whether the services have to be shut down.
            var isEnding = false
            var isCancelling = false
            var signal: ProcessSignal?
            /// The first failure of a service that isn't to be ignored.
            var error: (any Error)?
        }

        let state = Mutex(State())
        /// The time that each service has for its start.
        let startLimit: Duration?
        private let wait = Mutex(PendingResult<Void>())

        init(startLimit: Duration?) { self.startLimit = startLimit }

        /// Makes the run check whether it has to end.
        func wake() { wait.withLock { $0 }.finish(.success(())) }

        /// Waits for the next wake, also if it has already come.
        func untilWoken() async throws {
            try await wait.withLock { $0 }.wait()
            wait.withLock { $0 = PendingResult() }
        }
    }

    /// Starts all services, waits for their end or a reason to end them, and stops them in order: the life of a server.
    ///
    /// A run ends
    /// - when a signal comes,
    /// - when every service has ended by itself, or none is registered; a ``Service`` without `run()` doesn't, and neither does
    ///   one that `stop` has stopped, because it can be started again,
    /// - when a service ends or fails whose policy says so; by default each failure of a start or a `run()` does,
    /// - when ``shutDown(within:cancelling:)`` is called, or when the task is cancelled, which cancels the services.
    ///
    /// A service that is registered during the run is started, too, as soon as the services that it needs are registered. At the
    /// end, the services are stopped, the last to become ready first. A signal has its previous action again as soon as
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
        guard shutdown == nil else { throw Self.stopped("run", "a shutdown before the run") }
        let run = Run(startLimit: start)
        let subscriptions = [
            ProcessSignals.Subscription(signals) { receive($0, isCancelling: false) },
            ProcessSignals.Subscription(cancellationSignals, isLasting: true) { receive($0, isCancelling: true) },
        ]
        @Sendable func receive(_ signal: ProcessSignal, isCancelling: Bool) {
            run.state.withLock { $0.signal = $0.signal ?? signal }
            end(run, isCancelling: isCancelling)
        }
        defer { for subscription in subscriptions { ProcessSignals.unsubscribe(subscription) } }
        for subscription in subscriptions { try ProcessSignals.subscribe(subscription) }
        currentRun = run
        defer { currentRun = nil }
        for name in graph.names { self.start(name, in: run) }

        while !isOver(run) {
            do { try await run.untilWoken() } catch { end(run, isCancelling: true) }
        }
        // Nothing runs if the services have ended by themselves; otherwise the run returns after the shutdown.
        let hasEnded =
            shutdown == nil && run.state.withLock { $0.startCount } == 0 && entries.values.allSatisfy { !$0.isActive }
        // From here on, `end` cancels the shutdown itself.
        let isCancelling = run.state.withLock { state in
            state.isEnding = true
            return state.isCancelling
        }
        // Not in this task, because a cancelled shutdown wouldn't wait for its end.
        let unclean =
            hasEnded ? [] : await Task.detached { await self.shutDown(within: stop, cancelling: isCancelling) }.value
        // A start that ignores its cancellation can continue after the limit. Without a shutdown, all have ended, and a wait would
        // let another caller start a service before the run returns.
        for start in hasEnded ? [] : run.state.withLock({ $0.starts }) {
            start.cancel()
            await start.value
        }
        let (error, signal) = run.state.withLock { ($0.error, $0.signal) }
        if let error { throw error }
        if signal == nil { try Task.checkCancellation() }
        return (signal, unclean)
    }

    /// Starts a service of a run.
    private func start(_ name: String, in run: Run) {
        run.state.withLock { $0.startCount += 1 }
        let start = Task {
            do { _ = try await self.start(name, within: run.startLimit) } catch { conclude(name, error) }
            run.state.withLock { $0.startCount -= 1 }
            checkRun()
        }
        run.state.withLock { $0.starts.append(start) }
    }

    /// Starts the services that were registered during a run, and whose needs are registered.
    func startRegistered() {
        guard let run = currentRun, shutdown == nil, !run.state.withLock({ $0.isEnding }) else { return }
        for name in graph.names where entries[name]?.isNew == true && graph.isComplete(name) {
            entries[name]?.isNew = false
            start(name, in: run)
        }
    }

    /// Returns whether a run has to end: for a reason, or because every service has ended by itself.
    private func isOver(_ run: Run) -> Bool {
        let (isEnding, startCount) = run.state.withLock { ($0.isEnding, $0.startCount) }
        return isEnding || shutdown != nil
            || startCount == 0 && entries.values.allSatisfy { !$0.isActive && !$0.wasStopped }
    }

    /// Ends a run; with `isCancelling`, cancels the services, also if their shutdown has already begun.
    private nonisolated func end(_ run: Run, isCancelling: Bool) {
        let wasEnding = run.state.withLock { state in
            defer { state.isEnding = true }
            if isCancelling { state.isCancelling = true }
            return state.isEnding
        }
        run.wake()
        if wasEnding, isCancelling { Task { await self.shutDown(cancelling: true) } }
    }

    /// Applies the policy of a service that has ended by itself or failed.
    func conclude(_ name: String, _ error: (any Error)?, ofRun: Bool = false) {
        guard let run = currentRun, error != nil || shutdown == nil else { return }
        defer { run.wake() }
        // The end of a start by a stop isn't a failure.
        var cause = error
        while let found = cause as? EventBusError, found.code != .serviceStopped { cause = found.underlying }
        // The code of a run() fails with any error, unless a shutdown refuses what it starts.
        if !ofRun || shutdown != nil, cause is EventBusError || error is CancellationError { return }
        let policy = graph[name]?.policy ?? ServicePolicy()
        let effect = error == nil ? policy.whenEnded : policy.whenFailed
        if effect == .ignore { return }
        if let error { run.state.withLock { $0.error = $0.error ?? error } }
        end(run, isCancelling: effect == .cancel)
    }

    /// Makes the run check whether it has to end.
    func checkRun() { currentRun?.wake() }
}

extension EventBusError.Code {
    /// A run of the registry hasn't ended.
    public static let serviceRunning = Self("serviceRunning")
}
