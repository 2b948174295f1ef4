/// A sink that keeps what it gets, for tests.
///
/// `capture(at:_:)` needs no start and no shared state: it gets the lines of its own closure only, of all
/// levels asked for, while other tests run beside it.
///
/// ```swift
/// let log = Log("Upload")
/// let sink = CapturingSink()
/// sink.capture { log.debug("sent \(3) parts") }
/// assert(sink.records[0].message == "sent 3 parts")
/// assert(sink.lines == ["[DEBUG] Upload - sent 3 parts"])
/// ```
public final class CapturingSink: LogSink {
    let kept = Guarded<[LogRecord.Copy]>([])
    private let format: LogFormat

    @TaskLocal static var active: [CapturingSink] = []

    /// Creates an empty sink; `format` is for ``lines``.
    public init(format: LogFormat = .standard) { self.format = format }

    /// The records in the order in which they came.
    public var records: [LogRecord.Copy] { kept.withLock { $0 } }

    /// The records as the sink's format prints them.
    public var lines: [String] { records.map { $0.formatted(as: format) } }

    /// Forgets all records.
    public func removeAll() {
        let forgotten = kept.withLock { records in
            defer { records = [] }
            return records
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Keeps the record.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        let copy = record.copy()
        kept.withLock { $0.append(copy) }
        return true
    }

    /// Nothing is held back.
    public func flush() {}

    /// Gets all lines that `body` and its child tasks log, down to `level`, whatever the thresholds and the switch.
    ///
    /// Lines that the thresholds do not let through go nowhere else.
    ///
    /// - Throws: What `body` throws.
    @discardableResult
    public func capture<R>(at level: LogLevel = .verbose, _ body: () throws -> R) rethrows -> R {
        try capture(at: level, in: .shared, body)
    }

    /// Gets all lines that asynchronous work and its child tasks log, down to `level`.
    ///
    /// - Throws: What `body` throws.
    @discardableResult
    public nonisolated(nonsending) func capture<R>(
        at level: LogLevel = .verbose, _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        LogPipeline.shared.beginCapture(level)
        defer { LogPipeline.shared.endCapture(level) }
        return try await Self.$active.withValue(Self.active + [self]) { try await body() }
    }

    func capture<R>(at level: LogLevel, in pipeline: LogPipeline, _ body: () throws -> R) rethrows -> R {
        pipeline.beginCapture(level)
        defer { pipeline.endCapture(level) }
        return try Self.$active.withValue(Self.active + [self]) { try body() }
    }
}
