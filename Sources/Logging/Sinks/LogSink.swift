/// A destination of lines in addition to the run file.
///
/// A sink is called on the thread that logs, after the line is in the run file and without a lock, so several threads can
/// call it at once. Lines that it logs itself go to the run file only. A sink that fails three times in a row gets no
/// lines for a second. Wrap a slow sink in a ``QueueSink``.
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
    /// Takes a line; returns `false` if that failed.
    func receive(_ record: borrowing LogRecord) -> Bool
    /// Writes out buffered lines.
    func flush()
    /// The least severe level that the sink takes.
    var threshold: LogLevel { get }
}

extension LogSink {
    /// Does nothing, for sinks without a buffer.
    public func flush() {}
    /// All levels.
    public var threshold: LogLevel { .verbose }
}
