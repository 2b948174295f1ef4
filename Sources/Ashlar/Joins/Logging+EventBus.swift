public import AshlarEventBus
public import AshlarLogging

extension LogSystem {
    /// The topic `log:priorRun`, triggered once by an ``AshlarApp`` that finds a finished run.
    ///
    /// The bus stores the event for later watchers.
    public static let priorRunFound: Topic<PriorRun> = Topic("log:priorRun", keeping: 1)
    /// The topic `log:error`, triggered by an ``AshlarApp`` for each line of the level error or a more severe one.
    ///
    /// The bus delivers on the thread that logs. Lines that a watcher logs go to the run file only, so an error in a
    /// watcher can't start a loop.
    public static let errorLogged: Topic<LogRecord> = Topic("log:error")
}

/// A sink that triggers ``AshlarLogging/LogSystem/errorLogged`` on a bus.
struct EventBusSink: LogSink {
    let bus: EventBus
    let threshold = LogLevel.error

    func receive(_ record: LogRecord) -> Bool {
        bus.trigger(LogSystem.errorLogged, record)
        return true
    }
}
