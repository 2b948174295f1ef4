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
    private let body: @Sendable (borrowing LogRecord) -> Bool

    /// Creates a sink that passes each line to `body`, which returns `false` if it failed.
    public init(threshold: LogLevel = .verbose, _ body: @escaping @Sendable (borrowing LogRecord) -> Bool) {
        (self.threshold, self.body) = (threshold, body)
    }

    /// Passes the line to the closure.
    public func receive(_ record: borrowing LogRecord) -> Bool { body(record) }
}
