internal import AshlarBase

/// Removes surplus finished runs.
struct Retention: Sendable {
    let folder: RunFolder
    let policy: LogRetention
    let application: String
    /// The current run; older ones can be removed.
    let own: RunName
    /// The prior run, which is always retained.
    var prior: RunName?

    /// Starts work in the background; returns `false` if that isn't possible.
    ///
    /// Tests replace it.
    var inBackground: @Sendable (@escaping @Sendable () -> Void) -> Bool = { HelperThread.start($0) }

    /// The maximum number of runs whose ends a start compares, those that started last.
    static let mostRead = 1000
    /// The maximum number of runs that a start examines or removes; the rest is left to the background.
    static let mostExamined = 24
    static let mostRemoved = 8

    /// Removes surplus runs that are older than the current one.
    ///
    /// A start does a small part of the work itself. Therefore short-lived processes, whose background work ends with
    /// them, also observe the limits.
    ///
    /// - Parameters:
    ///   - older: The runs by their ends, the newest first; if there are more than ``mostRead``, these.
    ///   - now: The time of the clock.
    func apply(to older: [RunFiles], now: Int64 = SystemCalls.wallClock()) {
        var tally = Tally()
        var next = 0
        while !tally.isFull, next < min(older.count, Self.mostExamined) {
            count(older[next], in: &tally, now: now)
            next += 1
        }
        if next == older.count { return remove(tally.surplus) }
        guard tally.isFull else {
            // Too many to examine now.
            remove(tally.surplus.suffix(Self.mostRemoved))
            return removeInBackground { surplus(of: EndedRuns(folder.runs()).runs, now: now) }
        }
        // The rest is surplus, except for running runs and those of other applications.
        let rest = older[next...]
        remove(tally.surplus + rest.suffix(Self.mostRemoved).filter { concerns($0, $0.state(), now: now) })
        guard rest.count > Self.mostRemoved else { return }
        let first = older[next].name
        removeInBackground {
            EndedRuns(folder.runs()).runs.drop { $0.name != first }.filter { concerns($0, $0.state(), now: now) }
        }
    }

    /// Finds and removes runs in the background, at most one task for each folder at a time.
    private func removeInBackground(_ find: @escaping @Sendable () -> [RunFiles]) {
        guard Self.busyFolders.withLock({ $0.insert(folder.path).inserted }) else { return }
        let work: @Sendable () -> Void = {
            remove(find())
            Self.forgetBackground(of: folder.path)
        }
        if !inBackground(work) { work() }
    }

    private static let busyFolders = Guarded<Set<String>>([])

    /// Whether runs of a folder are being removed in the background.
    static func isBusy(with path: String) -> Bool { busyFolders.withLock { $0.contains(path) } }

    static func forgetBackground(of path: String) { busyFolders.withLock { _ = $0.remove(path) } }

    /// The surplus runs, the newest first.
    func surplus(of older: [RunFiles], now: Int64) -> [RunFiles] {
        var tally = Tally()
        for run in older { count(run, in: &tally, now: now) }
        return tally.surplus
    }

    /// The runs counted so far, the newest first.
    private struct Tally {
        var count = 0
        var bytes: Int64 = 0
        var surplus: [RunFiles] = []
        /// Whether a run was too old.
        var hasOld = false
        /// Whether all further runs are surplus.
        var isFull = false
    }

    private func count(_ run: RunFiles, in tally: inout Tally, now: Int64) {
        let state = run.state()
        guard concerns(run, state, now: now) else { return }
        let (oldest, isForever) = now.subtractingReportingOverflow(policy.age.clampedNanoseconds)
        let began = run.began(state, now: now)
        // An older run can have ended later than a younger one. A start in the future is by another clock, so only the
        // order counts.
        let isOld = !isForever && (began < oldest || began > now && tally.hasOld)
        tally.hasOld = tally.hasOld || isOld
        tally.isFull = tally.isFull || tally.count >= policy.runs
        if !tally.isFull, !isOld || run.name == prior {
            tally.bytes += policy.bytes == .max ? 0 : run.bytes
            tally.isFull = tally.bytes > Int64(policy.bytes)
        }
        if run.name == prior || !(tally.isFull || isOld) { tally.count += 1 } else { tally.surplus.append(run) }
    }

    /// Whether the run is finished and belongs to the current application.
    private func concerns(_ run: RunFiles, _ state: RunState?, now: Int64) -> Bool {
        guard run.name < own else { return false }
        guard let state else { return !run.isBeginning(now: now) && !run.isRunning(nil) }
        return state.application == application && run.outcome(state) != .stillRunning
    }

    /// Removes runs, the oldest first.
    private func remove(_ runs: some BidirectionalCollection<RunFiles>) {
        for run in runs.reversed() where run.name != prior { run.remove() }
    }

    /// Removes the finished run that ended first, except the prior one, to make room on a full disk.
    func makeRoom() {
        for run in EndedRuns(folder.runs()).runs.reversed() where run.name < own && run.name != prior {
            let state = run.state()
            guard state?.application == application, run.outcome(state) != .stillRunning else { continue }
            if run.remove() { return }
        }
    }
}
