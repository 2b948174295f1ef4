internal import CAshlarLogging

/// The switchboard of all loggers: start, thresholds, format, the log of this run and that of the run before.
///
/// All members may be used on any thread at any time. Lines that are logged before ``start(_:)`` are kept in memory
/// (the newest 64 KiB) and written when it comes.
///
/// ```swift
/// let report = LogSystem.start(LogConfiguration(folder: "/tmp/example-logs", threshold: .debugging))
/// if let prior = report.priorRun, prior.outcome != .clean {
///     print("The last run ended early:\n\(prior.log)")
/// }
/// ```
public enum LogSystem {
    /// Begins the run, or changes the settings of the run that has begun.
    ///
    /// Never throws and never traps: if the folder cannot be used, the log is kept in memory and the report says why.
    /// With another folder than before, the run in the old one ends as clean and a new one begins.
    ///
    /// - Complexity: One pass over the names in the folder; old runs are removed in the background if there are many.
    @discardableResult
    public static func start(_ configuration: LogConfiguration) -> StartReport {
        LogPipeline.shared.start(configuration)
    }

    /// The master switch: `false` stops all logging, whatever the thresholds.
    public static var isEnabled: Bool {
        get { LogPipeline.shared.table.isEnabled }
        set { LogPipeline.shared.table.isEnabled = newValue }
    }

    /// The least severe level that passes where no context rule and no logger's own level applies.
    ///
    /// Takes effect at once, for loggers that exist already too. Reads as ``LogLevel/unrecoverable`` if
    /// ``thresholds`` let nothing through.
    public static var threshold: LogLevel {
        get { thresholds.global ?? .unrecoverable }
        set { LogPipeline.shared.table.update { $0.global = newValue } }
    }

    /// All thresholds.
    public static var thresholds: LogThresholds {
        get { LogPipeline.shared.table.thresholds }
        set { LogPipeline.shared.table.thresholds = newValue }
    }

    /// Sets the threshold of all contexts that begin with `prefix`; `nil` removes the rule.
    ///
    /// The longest matching prefix wins. To let nothing of a context through, set
    /// `LogSystem.thresholds.contexts["net"] = .some(nil)`.
    public static func setThreshold(_ level: LogLevel?, forContext prefix: String) {
        LogPipeline.shared.table.update { thresholds in
            if let level {
                thresholds.contexts[prefix] = .some(level)
            } else {
                thresholds.contexts.removeValue(forKey: prefix)
            }
        }
    }

    /// How lines are printed in the run file from now on.
    public static var format: LogFormat {
        get { LogPipeline.shared.format }
        set { LogPipeline.shared.format = newValue }
    }

    /// Sets a format by its pattern and keeps the indent; see ``LogFormat/init(_:)``.
    ///
    /// - Throws: ``LogError`` with ``LogError/Code/formatMalformed``; the format stays as it was.
    public static func setFormat(_ pattern: String) throws {
        var format = try LogFormat(pattern)
        let before = self.format
        format.indentCharacter = before.indentCharacter
        format.indentWidth = before.indentWidth
        format.continuesLines = before.continuesLines
        self.format = format
    }

    /// Everything this run has logged, as far as it is kept (see ``LogRotation``).
    ///
    /// - Complexity: O(*n*) in the size of the log, which is read from its files.
    public static var liveLog: String {
        String(decoding: LogPipeline.shared.liveBytes(limit: nil), as: UTF8.self)
    }

    /// The last whole lines of this run's log, in at most that many bytes.
    public static func liveTail(bytes: Int) -> String {
        String(decoding: LogPipeline.shared.liveBytes(limit: max(0, bytes)), as: UTF8.self)
    }

    /// The newest finished run of the same application in the folder, as it was when this run started.
    public static var priorRun: PriorRun? { LogPipeline.shared.priorRun }

    /// What became of the lines of this process.
    public static var counters: LogCounters { LogPipeline.shared.readCounters() }

    /// Writes what is still in memory and flushes the sinks.
    ///
    /// - Parameter sync: Whether the lines are to be on the disk itself (fdatasync), safe from a power failure.
    /// - Returns: Whether all of it was possible.
    @discardableResult
    public static func flush(sync: Bool = false) -> Bool { LogPipeline.shared.flush(sync: sync) }

    /// Writes a line from inside a signal handler, where nothing else may be called.
    ///
    /// One writev(2) of the text as it stands and a line end, to a descriptor that is open already; no lock, no
    /// allocation, `errno` is kept. The text appears without level or context.
    ///
    /// - Returns: Whether the line was written; `false` before ``start(_:)`` and without a run file.
    @discardableResult
    public static func signalSafe(_ text: StaticString) -> Bool {
        guard text.hasPointerRepresentation else { return false }
        return ashlar_log_signal_write(text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Ends the run as clean and flushes everything; `exit` and a return from `main` do it too.
    ///
    /// Lines logged later are still written, with a field `late=true`. `_exit`, `abort`, a fatal signal and `exec` skip
    /// this, so the next run will be told that this one did not end cleanly.
    public static func shutdown() { LogPipeline.shared.shutdown() }
}
