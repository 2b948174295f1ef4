/// Stores the newest lines below the threshold until an error writes them.
final class LineRecorder: Sendable {
    private let records: Guarded<BoundedQueue<LogRecord>>
    /// The least severe level that is recorded.
    let level: LogLevel

    init(_ level: LogLevel, capacity: Int) {
        self.level = level
        records = Guarded(BoundedQueue(capacity: capacity))
    }

    func append(_ record: LogRecord) { records.withLock { _ = $0.appendNewest(record) } }

    func take() -> [LogRecord] { records.withLock { $0.takeAll() } }
}
