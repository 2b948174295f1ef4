internal import AshlarBase
internal import CAshlarLogging

/// The files of one run in its folder.
final class RunFiles: Sendable {
    private let folder: String
    let name: RunName
    /// The paths of the log files, in order.
    let paths: [String]

    init(folder: String, name: RunName, parts: [RunFile.Part]) {
        self.folder = folder
        self.name = name
        var places: [Int64] = []
        for part in parts {
            if let place = part.place { places.append(place) }
        }
        places.sort()
        paths = places.map { "\(folder)/\(RunFile(run: name, part: RunFile.Part(place: $0)).name)" }
    }

    private func path(_ part: RunFile.Part) -> String { "\(folder)/\(RunFile(run: name, part: part).name)" }

    func state() -> RunState? {
        let descriptor = SystemCalls.openForReading(path(.state))
        guard descriptor >= 0 else { return nil }
        defer { SystemCalls.close(descriptor) }
        var state = RunState(bytes: SystemCalls.read(descriptor, offset: 0, limit: RunState.size))
        let signal = ashlar_log_recorded_signal(descriptor)
        if signal > 0 { state?.ending = .signal(UInt8(clamping: signal)) }
        return state
    }

    /// Whether the process that writes the run is running.
    ///
    /// A lock on the state file or on a segment shows this, also across containers that don't share process IDs. Where
    /// there is no lock, as on Apple systems, which end suspended apps that hold one, the process in the state file or
    /// else in the file name decides. A run that this process has ended isn't running, although late lines may follow.
    func isRunning(_ state: RunState?, pause: () -> Void = RunFiles.pause) -> Bool {
        if RunIdentity.hasEnded(name) { return false }
        #if !canImport(Darwin)
            if isMarked(path(.state), pause) { return true }
        #endif
        if let state { return state.ending != .clean && isWriterAlive(state) }
        #if canImport(Darwin)
            return ProcessIdentity.mayOwn(name, start: ProcessIdentity.start(of: name.processID))
        #else
            return paths.contains { isMarked($0, pause) }
        #endif
    }

    /// Whether a process may still write the run, so that its files are neither truncated nor removed.
    ///
    /// Such a process is the writer, also after the end of the run.
    func isInUse(
        _ state: RunState?, seesProcesses: Bool = ProcessIdentity.seesOthers, pause: () -> Void = RunFiles.pause
    ) -> Bool {
        if let state, isWriterAlive(state) { return true }
        if !seesProcesses, mayBelongToOther(state) { return true }
        return isRunning(state, pause: pause) || (paths + [path(.state)]).contains { isMarked($0, pause) }
    }

    /// Whether another process that this one can't see may write the run, such as an extension of the app.
    ///
    /// A run without new lines for a day, or of an earlier boot, has no writer.
    private func mayBelongToOther(_ state: RunState?) -> Bool {
        guard name.processID != ProcessIdentity.current else { return false }
        if let state, !ProcessIdentity.boot.matches(state.bootID) { return false }
        return lastWrite.map { SystemCalls.wallClock() - $0 < Self.longestSilence } ?? false
    }

    /// The time after which a run whose process can't be seen is finished, in nanoseconds.
    private static let longestSilence: Int64 = 86_400_000_000_000

    /// The time of the last write to a file of the run, in nanoseconds since 1970.
    private var lastWrite: Int64? {
        (paths + [path(.state)]).compactMap {
            FileStatus($0, followingLinks: false).map {
                $0.signature.modified.seconds &* 1_000_000_000 &+ Int64($0.signature.modified.nanoseconds)
            }
        }.max()
    }

    /// Whether a process has marked a file of the run as in use.
    ///
    /// While this process starts another one, that one has all files open until its exec. So the mark of a run that this
    /// process has closed is checked again for a tenth of a second.
    private func isMarked(_ path: String, _ pause: () -> Void) -> Bool {
        var checks = name.processID == ProcessIdentity.current && !RunIdentity.isOpen(name) ? 10 : 1
        while SystemCalls.isInUse(path) {
            checks -= 1
            if checks == 0 { return true }
            pause()
        }
        return false
    }

    /// The pause between two checks of a mark.
    static func pause() { SystemCalls.sleep(milliseconds: 10) }

    private func isWriterAlive(_ state: RunState) -> Bool { ProcessIdentity.isRunning(state) && isOpenIfOwn }

    /// Whether this process writes the run, if the run has its number.
    ///
    /// `exec` ends the runs of a process, but not the process. On Apple systems, where nothing marks a file as in use, a
    /// run could belong to another copy of this module in the process.
    private var isOpenIfOwn: Bool {
        #if canImport(Darwin)
            true
        #else
            name.processID != ProcessIdentity.current || RunIdentity.isOpen(name)
        #endif
    }

    /// How the run ended; what its state file says applies only if no process writes it.
    func outcome(_ state: RunState?) -> LogRunOutcome {
        if isRunning(state) { return .stillRunning }
        switch state?.ending {
        case .clean: return .clean
        case .signal(let number): return .signalled(Int32(number))
        case .running, nil:
            if let state, !ProcessIdentity.boot.matches(state.bootID) { return .machineRestarted }
            return state?.place == .background ? .endedInBackground : .unclean
        }
    }

    func described() -> PriorRun {
        let state = state()
        return PriorRun(
            startedAt: LogTime(nanoseconds: state?.startedAt ?? name.startedAt), outcome: outcome(state),
            application: state?.application, lostLines: Int(clamping: state?.lost ?? 0), run: self)
    }

    /// Removes the run; returns whether it was removed.
    ///
    /// A run that a process may still write, or that failed and that no start has reported, remains. The state file is
    /// the last one, so that an interrupted removal can be repeated.
    @discardableResult
    func remove() -> Bool {
        guard !isInUse(state()), isReported || !hasFailed else { return false }
        for path in paths + [path(.reported), path(.state)] { FileSystem.remove(path) }
        return true
    }

    private var hasFailed: Bool { !paths.isEmpty && described().hasFailed }

    /// Whether a start has reported the failure of the run.
    var isReported: Bool { FileStatus(path(.reported), followingLinks: false) != nil }

    /// Marks the run as reported; returns `false` if another start has done so.
    ///
    /// Without room for the mark, a later start reports the run again.
    func markReported() -> Bool {
        let descriptor = SystemCalls.openForUpdating(path(.reported), creating: true)
        if descriptor >= 0 { SystemCalls.close(descriptor) }
        return descriptor != -SystemCalls.exists
    }

    /// Truncates the unused ends of the files, unless a process may still write them.
    func removeUnusedEnds() {
        if !isInUse(state()) { RunReader.removeUnusedEnds(of: paths) }
    }

    /// Returns the time at which the run began.
    ///
    /// The time in the name may be later than the clock, because the name sorts after the run before. Then the state
    /// file decides.
    func began(_ state: RunState?, now: Int64) -> Int64 {
        name.startedAt <= now ? name.startedAt : state?.startedAt ?? name.startedAt
    }

    /// Returns the time at which the run ended: that of its state file, or else of the last write to its files.
    ///
    /// If the clock was set back, the end lies before the start or in the future. Then the start in the name is returned,
    /// which is after the run before.
    func ended(_ state: RunState?) -> Int64 {
        let end = state.map(\.endedAt).flatMap { $0 > 0 ? $0 : nil } ?? lastWrite ?? 0
        return end > name.startedAt && end <= SystemCalls.wallClock() ? end : name.startedAt
    }

    var bytes: Int64 { paths.reduce(0) { $0 + (FileStatus($1, followingLinks: false)?.size ?? 0) } }

    /// Whether the state file was created less than a minute ago and the run has no lines.
    func isBeginning(now: Int64) -> Bool {
        guard paths.isEmpty, let file = FileStatus(path(.state), followingLinks: false) else { return false }
        return (now / 1_000_000_000 &- file.signature.modified.seconds).magnitude < 60
    }
}

/// The folder of the runs.
struct RunFolder: Sendable {
    let path: String

    /// Returns the runs in the folder, those that started last first, at most `limit`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of files, of whose names only those of the returned runs are parsed.
    func runs(newest limit: Int = .max) -> [RunFiles] {
        var runs: [RunFiles] = []
        var found: (run: RunName, parts: [RunFile.Part])?
        // The names are sorted, so the files of a run follow each other.
        for name in (FolderListing.names(in: path) ?? []).reversed() where runs.count < limit {
            guard let file = RunFile(name: name) else { continue }
            if found?.run == file.run {
                found?.parts.append(file.part)
                continue
            }
            if let found { runs.append(RunFiles(folder: path, name: found.run, parts: found.parts)) }
            found = (file.run, [file.part])
        }
        if let found, runs.count < limit { runs.append(RunFiles(folder: path, name: found.run, parts: found.parts)) }
        return runs
    }
}
