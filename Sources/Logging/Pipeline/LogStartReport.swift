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
    /// The newest finished run of the same application that failed or has lines; if there is none, the newest one.
    public internal(set) var priorRun: PriorRun?
    /// The number of lines that were logged before the start and then written.
    public internal(set) var earlyLines = 0
    /// Problems found during the start, in order.
    public internal(set) var notices: [String] = []

    /// Whether the log is stored in memory because the folder can't be used; a later start tries again.
    var isFallback: Bool {
        if case .memory(let error) = storage { return error != 0 }
        return false
    }

    /// The run and its application, for ``priorRuns``.
    var run: (folder: RunFolder, name: RunName, application: String)?

    /// All earlier finished runs of the same application, the newest first.
    ///
    /// - Complexity: O(*n*) in the number of files in the folder, which each access reads.
    public var priorRuns: [PriorRun] {
        guard let run else { return [] }
        return Array(run.folder.listing().before(run.name).finishedRuns(of: run.application))
    }
}
