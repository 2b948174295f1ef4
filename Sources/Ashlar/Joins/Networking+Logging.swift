import AshlarCore
public import AshlarLogging
public import AshlarNetworking

extension NetworkObserver {
    /// An observer that logs the end of every request, and every redirect.
    ///
    /// Successes, redirects and cancellations are logged at `level`, failures as warnings. The client's redaction hides
    /// secrets. Bodies are not logged.
    ///
    /// ```swift
    /// var configuration = ClientConfiguration()
    /// configuration.observers.append(.lines(to: Log("network")))
    /// let client = NetworkClient(configuration)
    /// ```
    public static func lines(to log: Log, at level: LogLevel = .debug) -> NetworkObserver {
        let requests = RequestLog(log, level)
        return NetworkObserver { requests.observe($0) }
    }
}

/// The running requests of a client, which are logged at their end.
private final class RequestLog: Sendable {
    /// A request that has not ended.
    private struct Pending {
        let began: ContinuousClock.Instant
        /// The request as first sent, to the selected host.
        var sent: RedactedRequest?
    }

    private let log: Log
    private let level: LogLevel
    private let pending = Mutex<[UInt64: Pending]>([:])

    init(_ log: Log, _ level: LogLevel) {
        self.log = log
        self.level = level
    }

    func observe(_ event: NetworkEvent) {
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
            log.log(error.code == .cancelled ? level : .warning, "\(line): \(error.userMessage)", fields)
        } else {
            log.log(level, "\(line): \(event.status ?? 0), \(event.received) bytes", fields)
        }
    }
}
