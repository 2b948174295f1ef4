public import AshlarLogging
public import AshlarNetworking
import Synchronization

extension NetworkObserver where Self == RequestLog {
    /// An observer that writes a line for every request that ends, and one for every redirect.
    ///
    /// A success is logged at `level`, a failure as a warning, a cancellation at `level`. Secrets are hidden as the
    /// client's redaction has it; bodies are not logged.
    ///
    /// ```swift
    /// var configuration = ClientConfiguration()
    /// configuration.observers.append(.lines(to: Log("network")))
    /// let client = NetworkClient(configuration)
    /// ```
    public static func lines(to log: Log, at level: LogLevel = .debugging) -> RequestLog {
        RequestLog(log, level)
    }
}

/// Writes the requests of a client as log lines; made by `NetworkObserver.lines(to:at:)`.
public final class RequestLog: NetworkObserver {
    private let log: Log
    private let level: LogLevel
    /// When the requests that are under way began.
    private let started = Mutex<[UInt64: ContinuousClock.Instant]>([:])

    init(_ log: Log, _ level: LogLevel) { (self.log, self.level) = (log, level) }

    /// Takes note of an event.
    public func observe(_ event: NetworkEvent) {
        switch event.kind {
        case .began:
            started.withLock { $0[event.id] = event.time }
        case .redirected:
            log.log(level, "\(event.request.method.rawValue) \(event.request.url) → \(event.target ?? "?")")
        case .ended:
            let duration = started.withLock { $0.removeValue(forKey: event.id) }.map { event.time - $0 }
            ended(event, after: duration)
        default:
            break
        }
    }

    private func ended(_ event: NetworkEvent, after duration: Duration?) {
        let fields: LogFields = ["request": event.id, "attempts": event.attempt, "took": duration]
        let line = "\(event.request.method.rawValue) \(event.request.url)"
        if let error = event.error {
            log.log(error.isCancellation ? level : .warning, "\(line): \(error.userMessage)", fields)
        } else {
            log.log(level, "\(line): \(event.status ?? 0), \(event.received) bytes", fields)
        }
    }
}
