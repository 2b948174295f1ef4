internal import Synchronization

/// A destination of lines in addition to the run file.
///
/// A sink is called on the thread that logs, after the line is in the run file and without a lock. Several threads can
/// call it at the same time. Lines that the sink itself logs go to the run file only. The first failure of a sink is a
/// warning in the run file and in the other sinks; `LogSystem.counters` counts all. Use ``queued(bytes:)`` for a slow sink.
///
/// ```swift
/// struct CountingSink: LogSink {
///     func receive(_ record: LogRecord) -> Bool {
///         record.level <= .error
///     }
/// }
/// ```
public protocol LogSink: Sendable {
    /// Receives a line; returns `false` if that fails.
    func receive(_ record: LogRecord) -> Bool
    /// Writes buffered lines, waiting at most for a time; returns whether all lines received before are written.
    ///
    /// `LogSystem.flush(sync:)` calls it.
    func flush(within limit: Duration) -> Bool
    /// The least severe level that the sink receives.
    var threshold: LogLevel { get }
}

extension LogSink {
    /// Returns `true`, for sinks without a buffer.
    public func flush(within limit: Duration) -> Bool { true }
    /// All levels.
    public var threshold: LogLevel { .leastSevere }

    /// Returns a sink that passes some of the lines to this one, by context.
    ///
    /// The thresholds apply in addition to those of `LogSystem` and of this sink.
    ///
    /// ```swift
    /// let sink = StandardErrorSink().filtered(by: try LogThresholds("warning,net=debug,net.cache=off"))
    /// ```
    public func filtered(by thresholds: LogThresholds) -> some LogSink { FilteredSink(self, by: thresholds) }

    /// Returns a sink that passes lines to this one on its own thread, through a bounded queue.
    ///
    /// Use it for sinks that are slow or block. If the queue is full, a call waits up to 10 ms for room, unless ten
    /// calls have waited in vain since the sink has taken lines. A line that doesn't fit is dropped. Dropped lines are
    /// counted, and a line in their place reports them to this sink: `12 lines lost (queue full)`.
    ///
    /// ```swift
    /// let slow = ClosureSink { _ in true }
    /// let sink = slow.queued(bytes: 1 << 20)
    /// ```
    ///
    /// - Parameter bytes: About how much memory the waiting lines may take.
    /// - Returns: The sink, whose flush waits until all lines queued before are delivered, and returns `false` if lines were
    ///   dropped since the last flush.
    public func queued(bytes: Int = 1 << 20) -> some LogSink { QueueSink(self, bytes: bytes) }
}

/// A sink that calls a closure.
///
/// ```swift
/// let sink = ClosureSink(threshold: .error) { record in
///     record.message.isEmpty == false
/// }
/// ```
public struct ClosureSink: LogSink {
    /// The least severe level that the closure receives.
    public let threshold: LogLevel
    private let body: @Sendable (LogRecord) -> Bool

    /// Creates a sink that passes each line to `body`, which returns `false` if it failed.
    public init(threshold: LogLevel = .leastSevere, _ body: @escaping @Sendable (LogRecord) -> Bool) {
        self.threshold = threshold
        self.body = body
    }

    /// Passes the line to the closure.
    public func receive(_ record: LogRecord) -> Bool { body(record) }
}

/// A sink that writes lines in a format; sinks with the same format share the bytes of a line.
package protocol LineSink: LogSink {
    /// The format of lines; nil if the settings of the log determine it.
    var format: LogFormat? { get }
    /// Writes a line with its line end; returns `false` if that fails.
    func write(_ line: [UInt8], of record: LogRecord) -> Bool
}

extension LineSink {
    /// Writes the line of a record in the sink's own format.
    package func writeLine(of record: LogRecord) -> Bool {
        write((format ?? .standard).compiled.line(of: record).bytes, of: record)
    }

    package func receive(_ record: LogRecord) -> Bool { writeLine(of: record) }
}

/// A sink that may print to the standard error stream, where lines before the start have been printed.
protocol StandardErrorPrinter {
    var printsToStandardError: Bool { get }
}

extension LogSink {
    var isStandardErrorPrinter: Bool { (self as? any StandardErrorPrinter)?.printsToStandardError ?? false }
}

/// A sink that passes some of the lines to another sink, by context.
struct FilteredSink: LogSink, StandardErrorPrinter {
    var printsToStandardError: Bool { sink.isStandardErrorPrinter }
    private let sink: any LogSink
    private let thresholds: LogThresholds
    /// The least severe level that any context has.
    let threshold: LogLevel

    init(_ sink: any LogSink, by thresholds: LogThresholds) {
        self.sink = sink
        self.thresholds = thresholds
        let loosest = ([thresholds.global] + thresholds.contexts.values).compactMap(\.self).max()
        threshold = min(sink.threshold, loosest ?? .unrecoverable)
    }

    /// Passes the line, if its context has at least its level.
    func receive(_ record: LogRecord) -> Bool {
        guard let threshold = thresholds.threshold(of: record.context), record.level <= threshold else { return true }
        return sink.receive(record)
    }

    func flush(within limit: Duration) -> Bool { sink.flush(within: limit) }
}

/// A sink, with what the pipeline knows about it.
final class SinkEntry: Sendable {
    let sink: any LogSink
    let threshold: LogLevel
    /// The format of the lines that the sink shares with others; nil if it receives records.
    let format: LogFormat?
    private let lineSink: (any LineSink)?
    private let hasFailed = Atomic<Bool>(false)

    init(_ sink: any LogSink, format: LogFormat? = nil) {
        self.sink = sink
        lineSink = sink as? any LineSink
        self.format = lineSink?.format ?? format
        threshold = sink.threshold
    }

    /// Passes the record to the sink, or its line in the sink's format, without a lock; returns whether this is the first
    /// failure.
    @discardableResult
    func deliver(_ record: LogRecord, line: [UInt8]?, counters: Guarded<LogCounters>) -> Bool {
        guard record.level <= threshold else { return false }
        if let line, let lineSink {
            if lineSink.write(line, of: record) { return false }
        } else if sink.receive(record) {
            return false
        }
        counters.withLock { $0.failedInSinks += 1 }
        return !hasFailed.exchange(true, ordering: .relaxed)
    }
}
