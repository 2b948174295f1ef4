internal import AshlarBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How a run ended, as recorded in its state file.
public enum LogRunOutcome: Hashable, Sendable {
    /// The process called `LogSystem.shutdown()`, `exit` or `quick_exit`, or returned from `main`.
    case clean
    /// A signal with this number ended the process; recorded only with ``LogConfiguration/notesSignals``.
    case signalled(Int32)
    /// The process ended without a record: it was killed, crashed, or called `_exit`, `abort` or `exec`.
    ///
    /// This doesn't imply a crash, because systems routinely kill apps in the background.
    case unclean
    /// The process ended while its app was in the background, where systems end apps to make room.
    ///
    /// This is the usual end of an app on a phone; see ``LogSystem/noteBackground(_:)``.
    case endedInBackground
    /// The machine was restarted while the process was running.
    case machineRestarted
    /// The process is running.
    case stillRunning
}

extension LogRunOutcome: CustomStringConvertible {
    /// The outcome in words: `clean`, `crashed: SIGILL`, `ended by SIGTERM`, `killed`, `ended in the background`,
    /// `machine restarted` or `still running`.
    ///
    /// Without ``LogConfiguration/notesSignals``, a run that crashed is `killed`, too.
    public var description: String {
        switch self {
        case .clean: "clean"
        case .signalled(let signal):
            (Self.crashes.contains(signal) ? "crashed: " : "ended by ") + Self.name(of: signal)
        case .unclean: "killed"
        case .endedInBackground: "ended in the background"
        case .machineRestarted: "machine restarted"
        case .stillRunning: "still running"
        }
    }

    private static func name(of signal: Int32) -> String { names.first { $0.0 == signal }?.1 ?? "signal \(signal)" }

    /// The signals of a fault in the program.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    private static let names = [
        (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"), (SIGFPE, "SIGFPE"),
        (SIGSEGV, "SIGSEGV"), (SIGSYS, "SIGSYS"), (SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT"),
        (SIGTERM, "SIGTERM"), (SIGPIPE, "SIGPIPE"), (SIGALRM, "SIGALRM"), (SIGXCPU, "SIGXCPU"), (SIGXFSZ, "SIGXFSZ"),
        (SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2"), (SIGVTALRM, "SIGVTALRM"), (SIGPROF, "SIGPROF"),
    ]
}

/// An earlier run: its log and its outcome.
public struct PriorRun: Sendable {
    /// The time at which the run began.
    public let startedAt: LogTime
    /// How the run ended.
    public let outcome: LogRunOutcome
    /// The application that wrote the run; nil if the state file is damaged or missing.
    package let application: String?
    /// The number of lines lost during the run.
    public let lostLines: Int
    let run: RunFiles

    /// The paths of the log files, in order.
    public var files: [String] { run.paths }
    /// The process that wrote the run.
    package var processID: Int32 { run.name.processID }
    /// The name of the run's files without their extensions.
    package var baseName: String { run.name.base }

    /// The log of the run.
    ///
    /// A damaged part is replaced by `[4,096 bytes lost]`. The log is empty if later runs have removed its files.
    ///
    /// - Complexity: O(*n*) in the size of the log; each access reads its files.
    public var log: String { String(decoding: RunReader.contents(of: files, limit: nil), as: UTF8.self) }

    /// Returns the last whole lines of the log, in at most `bytes` bytes.
    package func tail(bytes: Int) -> String {
        String(decoding: RunReader.contents(of: files, limit: max(0, bytes)), as: UTF8.self)
    }

    /// Returns whether an application with a name wrote the run; the state file has the start of a long name.
    package func belongs(to name: String) -> Bool { application == RunState.shortened(name) }

    /// Returns all runs in a folder, the newest start first, including running ones and those of other applications.
    ///
    /// - Complexity: O(*n*) in the number of files; reads one small file for each run.
    public static func all(in folder: String) -> [PriorRun] { RunFolder(path: folder).runs().map { $0.described() } }

    /// Whether the run failed, so that a start must report it.
    var hasFailed: Bool {
        switch outcome {
        case .clean, .endedInBackground, .stillRunning: false
        // Without a state file, any program could have created the files.
        case .signalled, .unclean, .machineRestarted: application != nil || hasLines
        }
    }

    /// Whether the run failed or has lines, so that the next run reports it.
    var isOfInterest: Bool { hasFailed || lostLines > 0 || hasLines }

    private var hasLines: Bool {
        files.contains { FileStatus($0, followingLinks: false).map { $0.kind == .regular && $0.size > 0 } ?? false }
    }
}
