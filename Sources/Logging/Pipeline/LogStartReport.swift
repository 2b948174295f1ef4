/// The result of ``LogSystem/start(_:)``, which never fails.
public struct LogStartReport: Sendable {
    /// Where the lines of this run are stored.
    public enum Storage: Hashable, Sendable {
        /// In the file at this path and its continuations.
        case file(String)
        /// In memory only; the reason as an `errno`, or 0 if the configuration has no folder.
        case memory(Int32)
    }

    /// Where the lines of this run are stored.
    public internal(set) var storage: Storage
    /// How lines are stored; another mode than the configuration's if that one isn't possible.
    public internal(set) var mode: LogStorageMode
    /// The newest finished run of the same application that failed or has lines, or else the newest one.
    public internal(set) var priorRun: PriorRun?
    /// The number of lines logged before the start that are written now.
    public internal(set) var earlyLines = 0
    /// Problems found during the start, in order.
    public internal(set) var notices: [String] = []

    /// The run and its application, for ``priorRuns``.
    var run: (folder: RunFolder, name: RunName, application: String)?

    /// All finished runs of the same application before this one, the newest first.
    ///
    /// - Complexity: O(*n*) in the number of files in the folder, which is read each time.
    public var priorRuns: [PriorRun] {
        guard let run else { return [] }
        return Array(run.folder.listing().before(run.name).finishedRuns(of: run.application))
    }
}
