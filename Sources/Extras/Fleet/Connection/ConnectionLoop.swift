internal import AshlarCore
internal import AshlarLogging

/// Work that runs again after each signal, on each new connection and after each interval, one run after the other.
///
/// Nothing runs without a connection. A failure is followed by a growing pause and another run; the first one and those at each
/// power of two are logged.
final class ConnectionLoop: Sendable {
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let tasks = Mutex<[Task<Void, Never>]>([])

    deinit { stop() }

    /// Starts, until the object is released; `failure` is the meaning of a failure, for the log.
    ///
    /// `connected` is called before the first run on a new connection, and `tick` after each interval, also during a run.
    func start(
        _ connection: NatsConnection, _ failure: String, every interval: Duration = .seconds(1),
        connected: @escaping @Sendable () -> Void = {}, tick: @escaping @Sendable () -> Void = {},
        run: @escaping @Sendable () async throws -> Void
    ) {
        let (stream, signals) = signals
        let states = connection.state.changes()
        let work = Task.detached {
            var failures = 0
            for await _ in stream where connection.state.current.isConnected {
                do {
                    try await run()
                    failures = 0
                } catch {
                    if Task.isCancelled { return }
                    failures += 1
                    if failures & (failures - 1) == 0 { Log("fleet").warning("\(failure): \(error)") }
                    let pause = Backoff(first: .milliseconds(50), ceiling: .seconds(2))
                    try? await Task.sleep(for: pause.pause(beforeRetry: failures))
                    signals.yield()
                }
            }
        }
        let connections = Task.detached {
            for await case .connected in states {
                connected()
                signals.yield()
            }
        }
        let ticks = Task.detached {
            // Processes that start together don't remain in step.
            while (try? await Task.sleep(for: interval * Double.random(in: 0.8...1.2))) != nil {
                tick()
                signals.yield()
            }
        }
        tasks.withLock { $0 = [work, connections, ticks] }
    }

    /// Lets the work run soon.
    func signal() { signals.continuation.yield() }

    func stop() {
        signals.continuation.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// Stops, and waits for the end of a run.
    func finish() async {
        stop()
        await tasks.withLock { $0.first }?.value
    }
}
