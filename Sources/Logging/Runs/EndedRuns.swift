/// The earlier runs of a folder in the order of their ends, the newest first.
///
/// A process that starts and ends while another one runs is older than the run of that one, although it started later.
struct EndedRuns {
    private(set) var runs: [RunFiles] = []
    /// The indices of runs without a clean end that no start has reported.
    private var unreported: [Int] = []

    /// Reads the state file of each run.
    init(_ runs: some Sequence<RunFiles>) {
        let ends = runs.map { run in
            let state = run.state()
            return (run: run, time: run.ended(state), isClean: state?.ending == .clean)
        }.sorted { ($1.time, $1.run.name) < ($0.time, $0.run.name) }
        self.runs = ends.map(\.run)
        unreported = ends.indices.filter { !ends[$0].isClean && !ends[$0].run.isReported }
    }

    /// Returns the finished runs of an application.
    func finished(of application: String) -> [PriorRun] {
        runs.compactMap { Self.finished($0, of: application) }
    }

    private static func finished(_ run: RunFiles, of application: String) -> PriorRun? {
        guard !run.paths.isEmpty else { return nil }
        let described = run.described()
        let isOurs = described.application == nil || described.application == application
        return isOurs && described.outcome != .stillRunning ? described : nil
    }

    /// Returns the run that a start reports, and marks it as reported if it failed.
    ///
    /// It is the newest finished run of the application that failed and that no start has reported. If there is none, it
    /// is the newest one that failed or has lines, or else the newest one.
    mutating func reportPriorRun(of application: String) -> PriorRun? {
        for index in unreported {
            guard let run = Self.finished(runs[index], of: application), run.hasFailed else { continue }
            let isFirst = runs[index].markReported()
            runs[index].parts.append(.reported)
            if isFirst { return run }
        }
        var newest: PriorRun?
        for case let run? in runs.lazy.map({ Self.finished($0, of: application) }) {
            if run.isOfInterest { return run }
            newest = newest ?? run
        }
        return newest
    }
}
