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
    /// What is known of a request that is under way.
    private struct Pending {
        let began: ContinuousClock.Instant
        /// The request as it was first sent, to the chosen host.
        var sent: RedactedRequest?
    }

    private let log: Log
    private let level: LogLevel
    private let pending = Mutex<[UInt64: Pending]>([:])

    init(_ log: Log, _ level: LogLevel) { (self.log, self.level) = (log, level) }

    /// Takes note of an event.
    public func observe(_ event: NetworkEvent) {
        switch event.kind {
        case .began:
            pending.withLock { $0[event.id] = Pending(began: event.time) }
        case .sent where event.attempt == 1:
            pending.withLock { $0[event.id]?.sent = event.request }
        case .redirected:
            let sent = pending.withLock { $0[event.id]?.sent } ?? event.request
            log.log(level, "\(sent.method.rawValue) \(sent.url) → \(event.target ?? "?")")
        case .ended:
            ended(event, pending.withLock { $0.removeValue(forKey: event.id) })
        default:
            break
        }
    }

    private func ended(_ event: NetworkEvent, _ pending: Pending?) {
        let request = pending?.sent ?? event.request
        let fields: LogFields = [
            "request": event.id, "attempts": event.attempt, "took": pending.map { event.time - $0.began },
        ]
        let line = "\(request.method.rawValue) \(request.url)"
        if let error = event.error {
            log.log(error.isCancellation ? level : .warning, "\(line): \(error.userMessage)", fields)
        } else {
            log.log(level, "\(line): \(event.status ?? 0), \(event.received) bytes", fields)
        }
    }
}
