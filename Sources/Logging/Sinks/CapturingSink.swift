/// A sink that stores records, for tests.
///
/// `capture(at:_:)` needs no start and no shared state. It receives only the lines of its closure, while other tests
/// run.
///
/// ```swift
/// let log = Log("Upload")
/// let sink = CapturingSink()
/// sink.capture { log.debug("sent \(3) parts") }
/// assert(sink.records[0].message == "sent 3 parts")
/// assert(sink.lines == ["[DEBUG] Upload - sent 3 parts"])
/// ```
public final class CapturingSink: LogSink {
    private let stored = Guarded<[LogRecord.Copy]>([])
    private let format: LogFormat

    /// A capture that is running, and the least severe level that its sink receives.
    struct Capture: Sendable {
        let sink: CapturingSink
        let threshold: LogLevel
    }

    @TaskLocal static var active: [Capture] = []

    /// Creates an empty sink; `format` is the format of ``lines``, by default without times.
    public init(format: LogFormat = .myLogger) { self.format = format }

    /// The records, in order.
    public var records: [LogRecord.Copy] { stored.withLock { $0 } }

    /// The records in the sink's format.
    public var lines: [String] { records.map { $0.formatted(as: format) } }

    /// Removes all records.
    public func removeAll() {
        let removed = stored.withLock { records in
            defer { records = [] }
            return records
        }
        withExtendedLifetime(removed) {}
    }

    /// Stores the record.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let copy = record.copy()
        stored.withLock { $0.append(copy) }
        return true
    }
}

extension CapturingSink: ForkAware {
    var forkLocks: [any ForkLock] { [stored.lock] }
    func becomeForkedChild() {}
}
