internal import Synchronization

/// The files of one run in its folder.
struct RunFiles: Sendable {
    let folder: String
    let name: RunName
    var parts: [RunFile.Part]

    /// The paths of the log files, in order.
    var paths: [String] { parts.filter { $0 != .state }.sorted().map(path) }

    private func path(_ part: RunFile.Part) -> String { "\(folder)/\(RunFile(run: name, part: part).name)" }

    func state() -> RunState? {
        let descriptor = SystemCalls.openForReading(path(.state))
        guard descriptor >= 0 else { return nil }
        defer { SystemCalls.close(descriptor) }
        return RunState(bytes: SystemCalls.read(descriptor, offset: 0, limit: RunState.size))
    }

    /// Whether the process that writes the run is running.
    ///
    /// The state file contains the process ID. A lock on the state file or on a segment also detects processes of other
    /// containers, and runs whose state file is missing. Apple systems end suspended apps that hold a lock, so the
    /// process ID in the file name decides there.
    func isRunning(_ state: RunState?) -> Bool {
        if let state, ProcessIdentity.isRunning(state), isOpenIfOwn { return true }
        #if canImport(Darwin)
            return state == nil && ProcessIdentity.mayOwn(name, start: ProcessIdentity.start(of: name.processID))
        #else
            return SystemCalls.isInUse(path(.state)) || state == nil && paths.contains { SystemCalls.isInUse($0) }
        #endif
    }

    /// Whether this process writes the run, if the run has its number.
    ///
    /// `exec` ends the runs of a process, but not the process. On Apple systems, where nothing marks a file as in use, a
    /// run could belong to another copy of this module in the process.
    private var isOpenIfOwn: Bool {
        #if canImport(Darwin)
            true
        #else
            name.processID != SystemCalls.processID || RunIdentity.isOpen(name)
        #endif
    }

    func outcome(_ state: RunState?) -> LogRunOutcome {
        switch state?.ending {
        case .clean: return .clean
        case .signal(let number): return .signalled(Int32(number))
        case .running, nil:
            if isRunning(state) { return .stillRunning }
            if let state, !ProcessIdentity.boot.matches(state.bootID) { return .machineRestarted }
            return .unclean
        }
    }

    func described() -> PriorRun {
        let state = state()
        return PriorRun(
            startedAt: LogTime(nanoseconds: state?.startedAt ?? name.startedAt), outcome: outcome(state),
            processID: name.processID, application: state?.application, lostLines: Int(clamping: state?.lost ?? 0),
            files: paths, name: name)
    }

    /// Removes the run with its state file last, so that an interrupted removal can be repeated.
    func remove() {
        for path in paths + [path(.state)] { SystemCalls.remove(path) }
    }

    /// Returns the time at which the run began.
    ///
    /// The time in the name may be later than the clock, because the name sorts after the run before. Then the state
    /// file decides.
    func began(_ state: RunState?, now: Int64) -> Int64 {
        name.startedAt <= now ? name.startedAt : state?.startedAt ?? name.startedAt
    }

    var bytes: Int64 { paths.reduce(0) { $0 + (SystemCalls.status(path: $1)?.size ?? 0) } }

    /// Whether the state file was created less than a minute ago and the run has no lines.
    func isBeginning(now: Int64) -> Bool {
        guard paths.isEmpty, let file = SystemCalls.status(path: path(.state)) else { return false }
        return abs(now / 1_000_000_000 - file.changedAt) < 60
    }
}

/// The folder of the runs.
struct RunFolder {
    let path: String

    /// All runs, the newest first.
    func runs() -> [RunFiles] { Array(listing()) }

    /// Lists the files in the folder.
    func listing() -> RunListing {
        var found: [RunFile] = []
        found.reserveCapacity(256)
        SystemCalls.forEachName(in: path) { if let file = RunFile.parse($0) { found.append(file) } }
        return RunListing(folder: path, files: found)
    }
}

/// Records whether the process has forked.
enum ForkCount {
    static let hasForked = Atomic<Bool>(false)
}

/// The runs in a folder, the newest first.
///
/// A start with many old runs needs only the newest few, so the iterator sorts the files in growing batches.
struct RunListing: Sequence, Sendable {
    fileprivate let folder: String
    fileprivate let files: [RunFile]

    /// The name of the newest run.
    var newest: RunName? { files.lazy.map(\.run).max() }

    /// Returns the runs before a run.
    func before(_ run: RunName) -> RunListing { RunListing(folder: folder, files: files.filter { $0.run < run }) }

    /// Returns the oldest runs, the oldest first.
    func oldest(_ count: Int) -> [RunFiles] {
        var result: [RunFiles] = []
        var rest = files
        while result.count < count, let run = take(from: &rest, first: { $0 < $1 }) { result.append(run) }
        return result
    }

    /// Removes and returns the files of the first run in an order.
    fileprivate func take(
        from files: inout [RunFile], first isBefore: (RunName, RunName) -> Bool
    ) -> RunFiles? {
        guard var name = files.first?.run else { return nil }
        for file in files where isBefore(file.run, name) { name = file.run }
        var parts: [RunFile.Part] = []
        var index = 0
        while index < files.count {
            if files[index].run == name {
                parts.append(files[index].part)
                files.swapAt(index, files.count - 1)
                files.removeLast()
            } else {
                index += 1
            }
        }
        return RunFiles(folder: folder, name: name, parts: parts)
    }

    /// Returns the finished runs of an application, the newest first.
    func finishedRuns(of application: String) -> some Sequence<PriorRun> {
        lazy.filter { !$0.paths.isEmpty }.map { $0.described() }.filter {
            ($0.application == nil || $0.application == application) && $0.outcome != .stillRunning
        }
    }

    /// Returns the newest finished run of an application that failed or has lines; if there is none, the newest one.
    func priorRun(of application: String) -> PriorRun? {
        var newest: PriorRun?
        for run in finishedRuns(of: application) {
            if run.isOfInterest { return run }
            newest = newest ?? run
        }
        return newest
    }

    func makeIterator() -> Iterator { Iterator(listing: self, files: files) }

    struct Iterator: IteratorProtocol {
        private let folder: String
        /// The files of the next runs, sorted.
        private var ready: [RunFile] = []
        /// The unsorted files of older runs.
        private var older: [RunFile]
        /// The number of files that are sorted next.
        private var batch = 64

        fileprivate init(listing: RunListing, files: [RunFile]) { (folder, older) = (listing.folder, files) }

        mutating func next() -> RunFiles? {
            if ready.isEmpty { prepare() }
            guard let newest = ready.last?.run else { return nil }
            var parts: [RunFile.Part] = []
            while let last = ready.last, last.run == newest {
                parts.append(last.part)
                ready.removeLast()
            }
            return RunFiles(folder: folder, name: newest, parts: parts)
        }

        /// Sorts the newest files, which most callers need only, and twice as many the next time.
        private mutating func prepare() {
            var newest: [RunName] = []
            for run in older.lazy.map(\.run) {
                if newest.count == batch {
                    guard newest[0] < run else { continue }
                    newest.removeFirst()
                }
                newest.insert(run, at: newest.firstIndex { run < $0 } ?? newest.count)
            }
            guard let oldest = newest.first else { return }
            ready = older.filter { $0.run >= oldest }.sorted { $0.run < $1.run }
            older.removeAll { $0.run >= oldest }
            batch *= 2
        }
    }
}
