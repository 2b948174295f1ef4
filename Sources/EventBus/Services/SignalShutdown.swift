internal import AshlarCore
import CAshlarEventBus

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// The result of an orderly shutdown after SIGTERM or SIGINT.
public struct SignalShutdown: Sendable, Equatable {
    /// The number of the signal, such as 15 for SIGTERM.
    public let signal: Int32
    /// The names of the services that exceeded the limit or whose stop threw.
    public let unclean: [String]
}

extension ServiceRegistry {
    /// Stops all services in order when the process receives SIGTERM or SIGINT.
    ///
    /// The first signal starts the shutdown and restores the previous actions of both signals. By default, another
    /// signal then ends the process at once. Call this method before the first start, so that a signal during the start
    /// stops the services, too.
    ///
    /// - Parameter limit: The time that each service has for its stop.
    /// - Returns: A task that waits for a signal and for the end of the shutdown. Cancelling it before a signal restores
    ///   the actions of the signals and makes it throw `CancellationError`; a shutdown that has started continues.
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    public nonisolated func shutDownOnSignal(
        within limit: Duration? = nil
    ) throws(EventBusError) -> Task<SignalShutdown, any Error> {
        let signal = PendingResult<Int32>()
        try ProcessSignals.subscribe(signal)
        return Task.detached {
            defer { ProcessSignals.unsubscribe(signal) }
            let number = try await signal.wait()
            // Not in this task, because a cancelled shutdown wouldn't wait for its end.
            let unclean = await Task.detached { await self.shutDown(within: limit) }.value
            return SignalShutdown(signal: number, unclean: unclean)
        }
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
    ) async throws -> SignalShutdown {
        let shutdown = try shutDownOnSignal(within: stop)
        do {
            try await startAll(within: start)
            return try await withTaskCancellationHandler {
                try await shutdown.value
            } onCancel: {
                shutdown.cancel()
            }
        } catch {
            // A signal during the start makes the start fail, and the shutdown is the reason.
            shutdown.cancel()
            if case .success(let outcome) = await shutdown.result { return outcome }
            await Task.detached { _ = await self.shutDown(within: stop) }.value
            throw error
        }
    }
}

/// The subscriptions to the signals that ask the process to end.
///
/// A signal handler may call only a few functions. It writes the number of the signal to a pipe, which a helper thread
/// reads.
enum ProcessSignals {
    /// The signals that ask a process to end.
    private static let signals = [SIGTERM, SIGINT]

    private struct State {
        var subscribers: [PendingResult<Int32>] = []
        var hasReader = false

        /// Releases the signals if there is no subscriber.
        func releaseIfUnused() {
            if subscribers.isEmpty { for signal in signals { ashlar_bus_release_signal(signal) } }
        }
    }

    private static let state = Mutex(State())

    /// Stores the first signal as a result, on the helper thread, and restores the previous actions of the signals.
    ///
    /// - Throws: ``EventBusError`` with the code `signalsUnavailable`.
    static func subscribe(_ signal: PendingResult<Int32>) throws(EventBusError) {
        try state.withLock { state throws(EventBusError) in
            try check(ashlar_bus_open_signal_pipe())
            if !state.hasReader {
                guard HelperThread.start({ readSignals() }) else { throw unavailable("no thread") }
                state.hasReader = true
            }
            if state.subscribers.isEmpty {
                do throws(EventBusError) {
                    for signal in signals { try check(ashlar_bus_catch_signal(signal)) }
                } catch {
                    state.releaseIfUnused()
                    throw error
                }
            }
            state.subscribers.append(signal)
        }
    }

    /// Ends a subscription, unless a signal has already ended it.
    static func unsubscribe(_ signal: PendingResult<Int32>) {
        state.withLock { state in
            guard let index = state.subscribers.firstIndex(where: { $0 === signal }) else { return }
            state.subscribers.remove(at: index)
            state.releaseIfUnused()
        }
    }

    private static func readSignals() {
        while true {
            let signal = ashlar_bus_next_signal()
            guard signal > 0 else { return }
            let subscribers = state.withLock { state in
                defer {
                    state.subscribers = []
                    state.releaseIfUnused()
                }
                return state.subscribers
            }
            for subscriber in subscribers { subscriber.finish(.success(signal)) }
        }
    }

    private static func check(_ code: Int32) throws(EventBusError) {
        if code != 0 { throw unavailable(String(cString: strerror(code))) }
    }

    private static func unavailable(_ found: String) -> EventBusError {
        EventBusError(.signalsUnavailable, subject: "SIGTERM, SIGINT", expected: "signals to wait for", found: found)
    }
}

extension EventBusError.Code {
    /// The system can't deliver signals.
    package static let signalsUnavailable = Self("signalsUnavailable")
}
