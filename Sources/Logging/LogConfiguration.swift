/// Everything that ``LogSystem/start(_:)`` has to know.
///
/// ```swift
/// var configuration = LogConfiguration(folder: "/tmp/example-logs", threshold: .debugging)
/// configuration.format = .timed
/// LogSystem.start(configuration)
/// ```
public struct LogConfiguration: Sendable {
    /// The folder of the run files, made if it is missing; `nil` keeps the log in memory only.
    public var folder: String?
    /// Whose runs these are: ``LogSystem/priorRun`` looks at runs of the same application only.
    ///
    /// The name of the executable at first; 38 bytes of it count.
    public var application: String
    /// The master switch.
    public var isEnabled: Bool
    /// The thresholds, for all and by context.
    public var thresholds: LogThresholds
    /// How lines are printed in the run file.
    public var format: LogFormat
    /// When a call that logs returns, and what a killed process loses.
    public var mode: LogStorageMode
    /// Where lines go besides the run file.
    public var sinks: [any LogSink]
    /// When a run goes on in a new file, and how much of it is kept.
    public var rotation: LogRotation
    /// Which finished runs are kept.
    public var retention: LogRetention
    /// Longer lines are cut: bytes without the line end, at least 1024.
    public var maximumLineBytes: Int
    /// How many lines of one call site pass, or `nil` for all.
    public var rateLimit: LogRateLimit?
    /// Whether values marked private are printed, for development.
    public var revealsPrivateValues: Bool
    /// Whether a signal that ends the process is noted in the state file, so that the next run is told which it was.
    ///
    /// Off at first because it installs handlers (which then do what was installed before) for `SIGHUP`, `SIGINT`,
    /// `SIGQUIT`, `SIGILL`, `SIGTRAP`, `SIGABRT`, `SIGBUS`, `SIGFPE`, `SIGSEGV` and `SIGTERM`.
    public var notesSignals: Bool
    /// Lines of this level and worse are on the disk itself when the call returns (fdatasync, 1 to 2 ms), so that they
    /// survive a power failure too; `nil` for none.
    public var synchronizesAt: LogLevel?
    /// Whether the environment variable `ASHLAR_LOG` may change ``thresholds``; it is read once, by `start`.
    public var readsEnvironment: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - folder: The folder of the run files, or `nil` to keep the log in memory only.
    ///   - threshold: The least severe level that passes.
    ///   - sinks: Where lines go besides the run file; the standard error stream at first.
    public init(
        folder: String? = nil, threshold: LogLevel = .information, sinks: [any LogSink] = [.standardError]
    ) {
        self.folder = folder
        self.sinks = sinks
        application = Self.executableName
        isEnabled = true
        thresholds = LogThresholds(global: threshold)
        format = .standard
        mode = .everyLine
        rotation = LogRotation()
        retention = LogRetention()
        maximumLineBytes = 65536
        rateLimit = nil
        revealsPrivateValues = false
        notesSignals = false
        synchronizesAt = nil
        readsEnvironment = true
    }

    /// The least severe level that passes where no context rule applies.
    public var threshold: LogLevel? {
        get { thresholds.global }
        set { thresholds.global = newValue }
    }

    private static var executableName: String {
        let path = CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty ? "app" : name
    }

    /// The folder where the platform wants an application's logs, or `nil` if the environment names no home.
    ///
    /// `$XDG_STATE_HOME/<application>/logs` or `~/.local/state/<application>/logs`; on Apple systems
    /// `~/Library/Application Support/<application>/Logs`, which is not purged like caches.
    public static func defaultFolder(application: String) -> String? {
        #if canImport(Darwin)
            SystemCalls.environment("HOME").map { "\($0)/Library/Application Support/\(application)/Logs" }
        #else
            (SystemCalls.environment("XDG_STATE_HOME") ?? SystemCalls.environment("HOME").map { "\($0)/.local/state" })
                .map { "\($0)/\(application)/logs" }
        #endif
    }
}

/// What ``LogSystem/start(_:)`` did.
///
/// Starting never fails: what was not possible is told here.
public struct StartReport: Sendable {
    /// Where the lines of this run are kept.
    public enum Storage: Hashable, Sendable {
        /// In the file at this path and those that continue it.
        case file(String)
        /// In memory only; the reason as an `errno`, or 0 if no folder was asked for.
        case memory(Int32)
    }

    /// Where the lines of this run are kept.
    public internal(set) var storage: Storage
    /// How lines are written; not what was asked for if that was not possible.
    public internal(set) var mode: LogStorageMode
    /// The newest finished run of the same application in the folder.
    public internal(set) var priorRun: PriorRun?
    /// How many lines that were logged before the start have been written now.
    public internal(set) var earlyLines: Int
    /// What was not as asked for, in sentences for a developer.
    public internal(set) var notices: [String]
}
