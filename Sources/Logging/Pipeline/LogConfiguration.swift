/// The settings of ``LogSystem/start(_:)``.
///
/// ```swift
/// var configuration = LogConfiguration(folder: "/var/log/notes", threshold: .debug)
/// configuration.format.usesLocalTime = true
/// LogSystem.start(configuration)
/// ```
public struct LogConfiguration: Sendable {
    /// The folder of the run files, created if it is missing; nil stores the log in memory only.
    ///
    /// The start resolves a relative path.
    public var folder: String?
    /// The name of the application; ``LogStartReport/priorRun`` is a run of the same application.
    ///
    /// By default, it is the name of the executable. Only the first 38 bytes are used.
    public var application: String = executableName
    /// The master switch, which ``LogSystem/isEnabled`` changes later.
    package var isEnabled = true
    /// The thresholds, global and by context.
    public var thresholds: LogThresholds
    /// The format of lines in the run file.
    public var format: LogFormat = .standard
    /// The storage mode: when a log call returns, and which lines a killed process loses.
    public var mode: LogStorageMode = .writeThrough
    /// The destinations of lines in addition to the run file.
    public var sinks: [any LogSink]
    /// When a run continues in a new file, and which part of the run is retained.
    public var rotation: LogRotation = LogRotation()
    /// The finished runs to retain.
    public var retention: LogRetention = LogRetention()
    /// The maximum length of a line in bytes without its line end, at least 1024.
    ///
    /// Longer lines are truncated.
    package var maximumLineBytes = 65536
    /// The least severe level whose lines below the threshold are recorded in memory; nil for none.
    ///
    /// A line of ``LogLevel/error`` or above writes the recorded lines, the newest 64 KiB, before itself.
    public var recording: LogLevel?
    /// The approximate memory of the recorded lines, in bytes.
    package var recordedBytes = 65536
    /// Returns fields for each line, such as the ID of the current request.
    ///
    /// The values of the logger, the scopes and the call win over a provided value with the same key.
    ///
    /// It is called on the thread that logs.
    public var fieldProvider: (@Sendable () -> LogFields)?
    /// Drops or rewrites the fields of each line, before the line reaches the run file and the sinks.
    ///
    /// It also gets the context of the logger.
    /// It is called for lines with fields, on the thread that logs and without a lock; not for lines that were logged
    /// before the start.
    ///
    /// ```swift
    /// var configuration = LogConfiguration(folder: "/var/log/notes")
    /// configuration.fieldHook = { fields, context in
    ///     fields["email"] = nil
    ///     if context == "billing", let user = fields["user"] { fields["user"] = .hash(user) }
    /// }
    /// ```
    public var fieldHook: (@Sendable (_ fields: inout LogFields, _ context: String) -> Void)?
    /// More names of secrets, such as `["codename"]`, in any notation; see <doc:GettingStarted>.
    ///
    /// They apply to the whole process, from the start to its end.
    public var additionalSecrets: Set<String> = []
    /// Whether private values and secrets are printed, for development.
    public var revealsPrivateValues: Bool = false
    /// Whether a signal that ends the process is recorded in the state file, for ``PriorRun/outcome``.
    ///
    /// A crash also appends its signal and the frames of its thread to the log; see <doc:HowLinesSurvive>. The thread that
    /// starts the log, and each thread that logs, gets a second stack of 64 KiB for the handlers.
    ///
    /// Nil, the default, means no, because this installs signal handlers for each signal whose default action ends the
    /// process, except `SIGKILL`. They call the handlers that were installed before. `AshlarApp` takes nil as yes.
    public var notesSignals: Bool?
    /// The least severe level whose lines are on the disk when the call returns; nil for none.
    ///
    /// Such lines survive a power failure. Waiting for the disk (fdatasync) takes 1 to 2 ms.
    public var synchronizesAt: LogLevel?
    /// Whether the environment variable `ASHLAR_LOG` changes ``thresholds``.
    package var readsEnvironment = true

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - folder: The folder of the run files, or nil to store the log in memory only.
    ///   - threshold: The least severe level that is written.
    ///   - sinks: The destinations of lines in addition to the run file; by default the standard error stream.
    public init(
        folder: String? = nil, threshold: LogLevel = .info, sinks: [any LogSink] = [StandardErrorSink()]
    ) {
        self.folder = folder
        self.sinks = sinks
        thresholds = LogThresholds(global: threshold)
    }

    private static var executableName: String {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty ? "app" : name
    }

    /// Returns the platform's folder for an application's logs, or nil if the environment has no home folder.
    ///
    /// On Linux it is `$XDG_STATE_HOME/<application>/logs` or `~/.local/state/<application>/logs`; on Apple systems it
    /// is `~/Library/Application Support/<application>/Logs`, which the system doesn't purge. An app on tvOS can write only
    /// to `~/Library/Caches/<application>/Logs`, which the system may purge while the app doesn't run.
    public static func defaultFolder(application: String) -> String? {
        #if os(tvOS)
            let system = HostSystem.tvOS
        #elseif canImport(Darwin)
            let system = HostSystem.apple
        #else
            let system = HostSystem.other
        #endif
        return defaultFolder(application: application, on: system, SystemCalls.environment)
    }

    enum HostSystem { case apple, tvOS, other }

    static func defaultFolder(
        application: String, on system: HostSystem, _ environment: (String) -> String?
    ) -> String? {
        let home = environment("HOME")
        return switch system {
        case .apple: home.map { "\($0)/Library/Application Support/\(application)/Logs" }
        case .tvOS: home.map { "\($0)/Library/Caches/\(application)/Logs" }
        case .other:
            (environment("XDG_STATE_HOME") ?? home.map { "\($0)/.local/state" }).map { "\($0)/\(application)/logs" }
        }
    }
}

/// The result of ``LogSystem/start(_:)``.
public struct LogStartReport: Sendable {
    /// The storage of this run's lines.
    public enum Storage: Hashable, Sendable {
        /// In the file at this path and its continuations.
        case file(String)
        /// In memory only, with the reason as an `errno`, or 0 if the configuration has no folder.
        case memory(Int32)
    }

    /// The storage of this run's lines.
    public internal(set) var storage: Storage
    /// The storage mode; it differs from the configuration's mode if that isn't possible.
    public internal(set) var mode: LogStorageMode
    /// The newest finished run of the same application that failed and that no start has reported.
    ///
    /// If there is none, it is the newest one that failed or has lines, or else the newest one. The newest run is the one
    /// that ended last.
    public internal(set) var priorRun: PriorRun?
    /// The number of lines that were logged before the start and then written.
    package internal(set) var earlyLines = 0
    /// Problems found during the start, in order.
    public internal(set) var notices: [String] = []

    /// Whether the log is stored in memory because the folder can't be used; a later start tries again.
    var isFallback: Bool {
        if case .memory(let error) = storage { return error != 0 }
        return false
    }

    /// The run and its application, for ``priorRuns``.
    var run: (folder: RunFolder, name: RunName, application: String)?

    /// All earlier finished runs of the same application, by their ends, the newest first.
    ///
    /// - Complexity: O(*n*) in the number of files in the folder, which each access reads.
    package var priorRuns: [PriorRun] {
        guard let run else { return [] }
        return EndedRuns(run.folder.runs().filter { $0.name < run.name }).finished(of: run.application)
    }
}
