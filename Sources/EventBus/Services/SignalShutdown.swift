internal import AshlarCore

/// An orderly shutdown that begins when the process receives SIGTERM or SIGINT.
///
/// The first signal begins the shutdown. After it, both signals have the actions again that they had before, so by
/// default another signal ends the process at once.
public final class SignalShutdown: Sendable {
    /// The end of a shutdown.
    public struct Outcome: Sendable, Equatable {
        /// The number of the signal, such as 15 for SIGTERM.
        public let signal: Int32
        /// The names of the services that overran the limit or whose stop threw.
        public let unclean: [String]
    }

    private struct State {
        var subscription: UInt64?
        var result: Result<Outcome, any Error>?
    }

    private let state = Mutex(State())
    private let end = Departure()

    /// Begins to wait for a signal; the process retains the shutdown until then.
    init(of services: ServiceRegistry, within limit: Duration?) throws(EventBusError) {
        let subscription = try ProcessSignals.subscribe(ProcessSignals.ofTermination) { [self] signal in
            Task.detached {
                self.finish(.success(Outcome(signal: signal, unclean: await services.shutDown(within: limit))))
            }
        }
        state.withLock { $0.subscription = subscription }
    }

    private func finish(_ result: Result<Outcome, any Error>) {
        state.withLock { if $0.result == nil { $0.result = result } }
        end.isOver()
    }

    /// Waits for a signal and for the end of the shutdown.
    ///
    /// - Throws: `CancellationError` if the task or the shutdown was cancelled; the former doesn't affect the shutdown.
    public func wait() async throws -> Outcome {
        let slot = ResultSlot<Outcome>()
        end.whenOver { [self] in
            if let result = state.withLock({ $0.result }) { slot.finish(result) }
        }
        return try await slot.wait()
    }

    /// Waits for no signal any more; a shutdown that has begun goes on.
    ///
    /// - Returns: Whether no signal has come before.
    @discardableResult
    public func cancel() -> Bool {
        guard let subscription = state.withLock({ $0.subscription }), ProcessSignals.unsubscribe(subscription) else {
            return false
        }
        finish(.failure(CancellationError()))
        return true
    }
}

extension ServiceRegistry {
    /// Stops all services in order when the process receives SIGTERM or SIGINT.
    ///
    /// Call it before the first start: a signal that comes while services start stops those, too. Dropping the returned
    /// handle doesn't end the wait for a signal.
    ///
    /// - Parameter limit: The time that each service has for its stop.
    /// - Returns: The shutdown, whose outcome may be waited for.
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    public nonisolated func shutDownOnSignal(within limit: Duration? = nil) throws(EventBusError) -> SignalShutdown {
        try SignalShutdown(of: self, within: limit)
    }

    /// Starts all services, waits for SIGTERM or SIGINT, and stops the services in order: the life of a server.
    ///
    /// If a service can't be started, or the task is cancelled, the services that run are stopped before this throws.
    ///
    /// ```swift
    /// final class Greeter: Service {
    ///     init(_ context: ServiceContext) async throws {}
    /// }
    /// let services = ServiceRegistry(bus: EventBus(), gracePeriod: .seconds(1))
    /// try await services.register(Greeter.self)
    /// let server = Task { try await services.runUntilSignal(stoppingWithin: .seconds(10)) }
    /// server.cancel()  // as SIGTERM does
    /// ```
    ///
    /// - Parameters:
    ///   - start: The time that each service has for its start.
    ///   - stop: The time that each service has for its stop.
    /// - Returns: The signal, and the services that did not end in order.
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`, or that of a start; or `CancellationError`.
    public func runUntilSignal(
        startingWithin start: Duration? = nil, stoppingWithin stop: Duration? = nil
    ) async throws -> SignalShutdown.Outcome {
        let shutdown = try shutDownOnSignal(within: stop)
        do {
            try await startAll(within: start)
            return try await shutdown.wait()
        } catch {
            // A signal during the start makes the start fail, and the shutdown is the reason.
            guard shutdown.cancel() else { return try await shutdown.wait() }
            await Task.detached { _ = await self.shutDown(within: stop) }.value
            throw error
        }
    }
}
