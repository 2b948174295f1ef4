/// A place where lines go besides the run file.
///
/// A sink is called on the thread that logs, after the line is in the run file and without any lock held, so by several
/// threads at once. It may log: such lines go to the run file only. A sink that fails three times in a row is left out
/// for a second; a sink that is slow should be wrapped in a queue.
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
    /// Hands on what the sink still holds.
    func flush()
    /// The least severe level that the sink wants.
    var threshold: LogLevel { get }
}

extension LogSink {
    /// All levels.
    public var threshold: LogLevel { .verbose }
}
