/// How a run ended, as far as can be told from its state file.
public enum RunOutcome: Hashable, Sendable {
    /// The process called `LogSystem.shutdown()` or `exit`, or returned from `main`.
    case clean
    /// A signal with this number ended the process; only with ``LogConfiguration/notesSignals``.
    case signalled(Int32)
    /// The process ended without saying so: killed, crashed, `_exit`, `abort`, `exec`. Which of these is not known, so
    /// do not call it a crash.
    case unclean
    /// The machine was started again since, with the process running.
    case machineRestarted
    /// The process still runs.
    case stillRunning
}

/// A run before this one: its log and how it ended.
public struct PriorRun: Sendable {
    /// When the run began.
    public let startedAt: LogTime
    /// How the run ended.
    public let outcome: RunOutcome
    /// The process that wrote it.
    public let processID: Int32
    /// The application that wrote it; `nil` if its state file is damaged or missing.
    public let application: String?
    /// How many lines could not be kept during the run.
    public let lostLines: Int
    /// The paths of the files that hold the log, in order.
    public let files: [String]

    let name: RunName

    /// The log of the run, as it is kept.
    ///
    /// - Complexity: O(*n*) in the size of the log, which is read from its files each time. The files may be gone when
    ///   later runs have made them surplus; then this is empty.
    public var log: String { String(decoding: RunReader.contents(of: files, limit: nil), as: UTF8.self) }

    /// The last whole lines of the log, in at most that many bytes.
    public func tail(bytes: Int) -> String {
        String(decoding: RunReader.contents(of: files, limit: max(0, bytes)), as: UTF8.self)
    }

    /// All runs in a folder, the newest first, also those of other applications and those still running.
    ///
    /// For tools that look at logs; ``LogSystem/priorRun`` is the one that an app wants.
    ///
    /// - Complexity: O(*n*) in the number of files, with one small file read for each run.
    public static func all(in folder: String) -> [PriorRun] {
        RunFolder(path: folder).runs().map { $0.described() }
    }
}
