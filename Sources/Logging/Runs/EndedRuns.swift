/// The earlier runs of a folder in the order of their ends, the newest first.
///
/// A process that starts and ends while another one runs is older than the run of that one, although it started later.
struct EndedRuns {
    private(set) var runs: [RunFiles] = []
    /// The runs without a clean end that no start has reported.
    private var unreported: [RunFiles] = []

    /// Reads the state file of each run.
    init(_ found: [RunFiles]) {
        var ends: [(time: Int64, run: RunFiles, isClean: Bool)] = []
        for run in found {
            let state = run.state()
            let time = run.ended(state)
            // The runs are in the order of their starts, which is nearly that of their ends.
            var index = ends.count
            while index > 0, (ends[index - 1].time, ends[index - 1].run.name) < (time, run.name) { index -= 1 }
            ends.insert((time, run, state?.ending == .clean), at: index)
        }
        for end in ends {
            runs.append(end.run)
            if !end.isClean, !end.run.isReported { unreported.append(end.run) }
        }
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
    func reportPriorRun(of application: String) -> PriorRun? {
        for files in unreported {
            guard let run = Self.finished(files, of: application), run.hasFailed else { continue }
            if files.markReported() { return run }
        }
        var newest: PriorRun?
        for files in runs {
            guard let run = Self.finished(files, of: application) else { continue }
            if run.isOfInterest { return run }
            newest = newest ?? run
        }
        return newest
    }
}
