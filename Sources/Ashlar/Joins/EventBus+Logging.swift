import AshlarCore
import AshlarEventBus
import AshlarLogging

extension EventBus {
    /// Logs every failure on this bus: a handler that throws, and a refused trigger.
    ///
    /// This method sets the bus's failure hook and replaces an earlier one.
    func logFailures(to log: Log) {
        onFailure { failure in
            log.error(
                "\(failure.name): \(String(describing: failure.error))",
                ["sequence": failure.sequence, "watcher": failure.watcher.map { "\($0)" }])
        }
    }

    /// Logs every change of a service's state, until the returned watch is cancelled.
    ///
    /// Failures are logged as errors, other changes at `level`.
    func logServices(to log: Log, at level: LogLevel = .info) -> Watch {
        watch("service:*:*") { signal in
            guard let change = signal.payload as? ServiceChange else { return }
            if let error = change.error {
                log.error("\(change.name): \(change.state.rawValue): \(String(describing: error))")
            } else {
                log.log(level, "\(change.name): \(change.state.rawValue)")
            }
        }
    }
}

extension LogFields {
    /// The correlation ID and the trace of the events that the current task triggers: the fields `correlation` and `trace`.
    static var ofEvents: LogFields {
        guard let metadata = EventMetadata.current else { return [:] }
        var fields: LogFields = [:]
        if let id = metadata.correlationID { fields.append("correlation", id) }
        let trace = metadata.traceParent.flatMap { TraceParent(parsing: $0) }?.traceID
        if let trace, trace != metadata.correlationID { fields.append("trace", trace) }
        return fields
    }
}
