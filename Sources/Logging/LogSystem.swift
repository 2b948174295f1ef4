internal import CAshlarLogging
internal import Synchronization

/// The logging of the process: start, thresholds, format, and the logs of this run and the prior run.
///
/// All members are thread-safe. Without a start, lines down to ``LogLevel/info`` are printed to the standard error stream
/// in ``LogFormat/standard``. ``start(_:)`` stores them (the newest 64 KiB) and passes them to the sinks, but doesn't print
/// them again.
///
/// ```swift
/// let report = LogSystem.start(LogConfiguration(folder: "/var/log/notes", threshold: .debug))
/// if let prior = report.priorRun, prior.outcome != .clean {
///     print("The last run ended early:\n\(prior.log)")
/// }
/// ```
public enum LogSystem {
    /// Begins a run, or changes the settings of the current run.
    ///
    /// If the folder can't be used, the log is stored in memory and the report says why. A second start with another
    /// folder ends the run and begins a new one. With the same folder it applies the settings that can change; the report
    /// names the others. If the folder could not be used before, it is tried again.
    ///
    /// - Complexity: One pass over the names in the folder; many old runs are removed in the background.
    @discardableResult
    public static func start(_ configuration: LogConfiguration) -> LogStartReport {
        LogPipeline.shared.start(configuration)
    }

    /// The master switch: `false` stops all logging.
    public static var isEnabled: Bool {
        get { LogPipeline.shared.table.isEnabled }
        set { LogPipeline.shared.table.isEnabled = newValue }
    }

    /// The least severe level that is written if neither a context rule nor a logger's own level applies.
    ///
    /// Changes apply to existing loggers at once. If ``thresholds`` has no global level, the value is
    /// ``LogLevel/unrecoverable``.
    public static var threshold: LogLevel {
        get { thresholds.global ?? .unrecoverable }
        set { LogPipeline.shared.table.setGlobal(newValue) }
    }

    /// All thresholds.
    ///
    /// `LogSystem.thresholds.contexts["net"] = .debug` sets the threshold of a context.
    public static var thresholds: LogThresholds {
        get { LogPipeline.shared.table.thresholds }
        set { LogPipeline.shared.table.thresholds = newValue }
    }

    /// The format of later lines in the run file.
    public static var format: LogFormat {
        get { LogPipeline.shared.format }
        set { LogPipeline.shared.format = newValue }
    }

    /// Runs `body` with fields on all lines that it and its child tasks log, with any logger.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public static func withFields<R>(_ fields: LogFields, _ body: () throws -> R) rethrows -> R {
        ScopeState.openScopes.add(1, ordering: .relaxed)
        defer { ScopeState.openScopes.subtract(1, ordering: .relaxed) }
        return try ScopeState.$current.withValue(ScopeState.current.entering(fields, depth: 0)) { try body() }
    }

    /// Runs asynchronous work with fields on all lines that it and its child tasks log, with any logger.
    ///
    /// - Throws: The error that `body` throws.
    @discardableResult
    public nonisolated(nonsending) static func withFields<R>(
        _ fields: LogFields, _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        ScopeState.openScopes.add(1, ordering: .relaxed)
        defer { ScopeState.openScopes.subtract(1, ordering: .relaxed) }
        return try await ScopeState.$current.withValue(ScopeState.current.entering(fields, depth: 0)) {
            try await body()
        }
    }

    /// The retained part of this run's log; see ``LogRotation``.
    ///
    /// - Complexity: O(*n*) in the size of the log, which is read from its files.
    public static var liveLog: String { String(decoding: LogPipeline.shared.liveBytes(limit: nil), as: UTF8.self) }

    /// Returns the last whole lines of this run's log, in at most `bytes` bytes.
    package static func liveTail(bytes: Int) -> String {
        String(decoding: LogPipeline.shared.liveBytes(limit: max(0, bytes)), as: UTF8.self)
    }

    /// The earlier run that the last start reported; see ``LogStartReport/priorRun``.
    ///
    /// The first ``start(_:)`` determines it.
    public static var priorRun: PriorRun? { LogPipeline.shared.report.priorRun }

    /// Counts of this process's lines, including all that were lost.
    public static var counters: LogCounters { LogPipeline.shared.readCounters() }

    /// Writes lines that wait in memory and flushes the sinks, waiting at most five seconds for each.
    ///
    /// - Parameter sync: Whether to wait until the lines are on the disk (fdatasync), so that they survive a power
    ///   failure.
    /// - Returns: Whether everything that was logged before was written, and each sink has written or sent it.
    @discardableResult
    public static func flush(sync: Bool = false) -> Bool { LogPipeline.shared.flush(sync: sync) }

    /// Writes a line from a signal handler, in which no other function of the module can be called.
    ///
    /// The text and a line end are written with one writev(2), without level and context. `errno` doesn't change.
    ///
    /// - Returns: Whether the line was written; `false` before ``start(_:)`` and without a run file.
    @discardableResult
    public static func signalSafe(_ text: StaticString) -> Bool {
        guard text.hasPointerRepresentation else { return false }
        return ashlar_log_signal_write(text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Records whether the app is in the background, for ``PriorRun/outcome``.
    ///
    /// A system that ends a process in the background gives no notice. The next run then reports
    /// ``LogRunOutcome/endedInBackground`` instead of ``LogRunOutcome/unclean``. On iOS, tvOS and visionOS, the log observes the
    /// app's notifications itself. The call writes one byte and doesn't wait for the disk.
    public static func noteBackground(_ isInBackground: Bool) {
        LogPipeline.shared.handle(isInBackground ? .entersBackground : .entersForeground)
    }

    /// Adds a sink that also receives the lines after later starts, until it is detached; returns its number.
    package static func attach(_ sink: any LogSink) -> Int { LogPipeline.shared.attach(sink) }

    /// Removes an attached sink; a line that another thread logs meanwhile can still reach it.
    package static func detach(_ number: Int) { LogPipeline.shared.detach(number) }

    /// Ends the run as clean and flushes everything.
    ///
    /// `exit` and a return from `main` do the same.
    ///
    /// Later lines are still written, with a field `late=true`. `_exit`, `abort`, a fatal signal and `exec` don't call
    /// this method, so the next run reports that this run didn't end cleanly.
    public static func shutdown() { LogPipeline.shared.shutdown() }
}
