/// A destination of lines in addition to the run file.
///
/// A sink is called on the thread that logs, after the line is in the run file and without a lock. Several threads can
/// call it at the same time. Lines that the sink itself logs go to the run file only. After three failures in a row, a
/// sink receives no lines for a second. Wrap a slow sink in a ``QueueSink``.
///
/// ```swift
/// struct CountingSink: LogSink {
///     func receive(_ record: borrowing LogRecord) -> Bool {
///         record.level <= .error
///     }
///     func flush() {}
/// }
/// ```
public protocol LogSink: Sendable {
    /// Receives a line; returns `false` if that fails.
    func receive(_ record: borrowing LogRecord) -> Bool
    /// Writes buffered lines.
    func flush()
    /// The least severe level that the sink receives.
    var threshold: LogLevel { get }
}

extension LogSink {
    /// Does nothing, for sinks without a buffer.
    public func flush() {}
    /// All levels.
    public var threshold: LogLevel { .verbose }
}
