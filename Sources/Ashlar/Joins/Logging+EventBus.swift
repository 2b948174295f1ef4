public import AshlarEventBus
public import AshlarLogging

extension LogSystem {
    /// The topic `log:priorRun`, triggered once by an ``AshlarApp`` that finds a finished run.
    ///
    /// The bus stores the event for later watchers.
    public static let priorRunFound: Topic<PriorRun> = Topic("log:priorRun", keeping: 1)
    /// The topic `log:error`, triggered by an ``EventBusSink`` for each line of the level error or a more severe one.
    public static let errorLogged: Topic<LogRecord> = Topic("log:error")
}

/// A sink that triggers ``AshlarLogging/LogSystem/errorLogged`` on a bus.
///
/// The bus delivers on the thread that logs. Lines that a watcher logs go to the run file only, so an error in a
/// watcher can't start a loop.
public struct EventBusSink: LogSink {
    private let bus: EventBus
    /// The least severe level that triggers an event.
    public let threshold: LogLevel

    /// Creates a sink for a bus.
    public init(_ bus: EventBus, threshold: LogLevel = .error) {
        self.bus = bus
        self.threshold = threshold
    }

    /// Triggers the event.
    public func receive(_ record: LogRecord) -> Bool {
        bus.trigger(LogSystem.errorLogged, record)
        return true
    }
}
