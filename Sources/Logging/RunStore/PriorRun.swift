/// How a run ended, according to its state file.
public enum LogRunOutcome: Hashable, Sendable {
    /// The process called `LogSystem.shutdown()`, `exit` or `quick_exit`, or returned from `main`.
    case clean
    /// A signal with this number ended the process; only with ``LogConfiguration/notesSignals``.
    case signalled(Int32)
    /// The process ended without a note: killed, crashed, `_exit`, `abort` or `exec`.
    ///
    /// This is not necessarily a crash: systems kill apps in the background as a matter of course.
    case unclean
    /// The machine was restarted while the process ran.
    case machineRestarted
    /// The process is running.
    case stillRunning
}

/// A run before this one: its log and how it ended.
public struct PriorRun: Sendable {
    /// When the run began.
    public let startedAt: LogTime
    /// How the run ended.
    public let outcome: LogRunOutcome
    /// The process that wrote the run.
    public let processID: Int32
    /// The application that wrote the run; nil if its state file is damaged or missing.
    public let application: String?
    /// The number of lines that were lost during the run.
    public let lostLines: Int
    /// The paths of the log's files, in order.
    public let files: [String]

    let name: RunName

    /// The log of the run.
    ///
    /// A damaged part reads as `[4,096 bytes lost]`. The log is empty if later runs have removed its files.
    ///
    /// - Complexity: O(*n*) in the size of the log, which is read from its files each time.
    public var log: String { RunReader.text(of: files) }

    /// The last whole lines of the log, in at most `bytes` bytes.
    public func tail(bytes: Int) -> String {
        String(decoding: RunReader.contents(of: files, limit: max(0, bytes)), as: UTF8.self)
    }

    /// All runs in a folder, the newest first, including running ones and those of other applications.
    ///
    /// - Complexity: O(*n*) in the number of files; reads one small file for each run.
    public static func all(in folder: String) -> [PriorRun] { RunFolder(path: folder).runs().map { $0.described() } }

    /// Whether the run failed or has lines, so that it is of interest to the next one.
    var isOfInterest: Bool {
        // Without a state file, anybody could have created the run's files.
        outcome != .clean && application != nil || lostLines > 0
            || files.contains { (SystemCalls.status(path: $0)?.size ?? 0) > 0 }
    }
}
