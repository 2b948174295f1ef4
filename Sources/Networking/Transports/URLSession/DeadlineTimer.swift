import Dispatch

/// A timer that fires once, a certain time after it was last restarted.
final class DeadlineTimer: Sendable {
    // Safe because any thread can schedule and cancel a Dispatch source.
    nonisolated(unsafe) private let source: any DispatchSourceTimer

    init(_ queue: DispatchQueue, after limit: Duration, _ action: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: action)
        source.schedule(deadline: .now() + limit.seconds, leeway: .milliseconds(1))
        source.activate()
    }

    func push(by limit: Duration) { source.schedule(deadline: .now() + limit.seconds, leeway: .milliseconds(1)) }

    func cancel() { source.cancel() }
}

extension Duration {
    /// The duration in seconds, as in Foundation and Dispatch.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
