internal import AshlarCore

/// An orderly shutdown that starts when the process receives SIGTERM or SIGINT.
///
/// The first signal starts the shutdown and restores the previous actions of both signals. By default, another signal
/// then ends the process at once.
public final class SignalShutdown: Sendable {
    /// The end of a shutdown.
    public struct Outcome: Sendable, Equatable {
        /// The number of the signal, such as 15 for SIGTERM.
        public let signal: Int32
        /// The names of the services that exceeded the limit or whose stop threw.
        public let unclean: [String]
    }

    private struct State {
        var subscription: UInt64?
        var result: Result<Outcome, any Error>?
    }

    private let state = Mutex(State())
    private let end = Departure()

    /// Starts to wait for a signal, which retains the shutdown.
    init(of services: ServiceRegistry, within limit: Duration?) throws(EventBusError) {
        let subscription = try ProcessSignals.subscribe { [self] signal in
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
    /// - Throws: `CancellationError` if the task was cancelled, which doesn't affect the shutdown, or ``cancel()`` was
    ///   called.
    public func wait() async throws -> Outcome {
        let slot = ResultSlot<Outcome>()
        end.whenOver { [self] in
            if let result = state.withLock({ $0.result }) { slot.finish(result) }
        }
        return try await slot.wait()
    }

    /// Stops waiting for a signal; a shutdown that has started continues.
    ///
    /// - Returns: Whether the shutdown hadn't started.
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
    /// Call this method before the first start, so that a signal during the start stops the services, too. Dropping the
    /// returned handle doesn't cancel it.
    ///
    /// - Parameter limit: The time that each service has for its stop.
    /// - Returns: A handle that waits for the shutdown or cancels it.
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    public nonisolated func shutDownOnSignal(within limit: Duration? = nil) throws(EventBusError) -> SignalShutdown {
        try SignalShutdown(of: self, within: limit)
    }

    /// Starts all services, waits for SIGTERM or SIGINT, and stops the services in order: the life of a server.
    ///
    /// If a start fails or the task is cancelled, the running services are stopped before the method throws.
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
