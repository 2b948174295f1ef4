public import AshlarLogging

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
    private let stored = Guarded<[LogRecord]>([])
    private let format: LogFormat

    /// Creates an empty sink; `format` is the format of ``lines``, by default without times.
    public init(format: LogFormat = .myLogger) { self.format = format }

    /// The records, in order.
    public var records: [LogRecord] { stored.withLock { $0 } }

    /// The records in the sink's format.
    public var lines: [String] { records.map { $0.formatted(as: format) } }

    /// Removes all records.
    public func removeAll() { stored.withLock { $0 = [] } }

    /// Stores the record.
    public func receive(_ record: LogRecord) -> Bool {
        stored.withLock { $0.append(record) }
        return true
    }

    /// Stores all lines that `body` and its child tasks log, down to `level`, regardless of thresholds and the switch.
    ///
    /// Lines below the thresholds are written to no other destination. Lines that are less severe than `level` aren't
    /// stored, even if another capture or the thresholds enable them.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public func capture<R>(at level: LogLevel = .leastSevere, _ body: () throws -> R) rethrows -> R {
        try LogCapture(at: level) { [self] in _ = receive($0) }.run(body)
    }

    /// Stores all lines that asynchronous work and its child tasks log, down to `level`.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public nonisolated(nonsending) func capture<R>(
        at level: LogLevel = .leastSevere, _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await LogCapture(at: level) { [self] in _ = receive($0) }.run(body)
    }
}
