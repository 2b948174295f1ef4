/// The files of one run, as found in the folder.
struct RunFiles: Sendable {
    let folder: String
    let name: RunName
    var parts: [RunFile.Part]

    var paths: [String] {
        parts.filter { $0 != .state }.sorted().map { "\(folder)/\(RunFile(run: name, part: $0).name)" }
    }

    func state() -> RunState? {
        let descriptor = SystemCalls.openForReading("\(folder)/\(name.stateFile)")
        guard descriptor >= 0 else { return nil }
        defer { SystemCalls.close(descriptor) }
        return RunState(bytes: SystemCalls.read(descriptor, offset: 0, limit: RunState.size))
    }

    /// Whether the process that writes the run is alive: by its start and boot, or because it holds the lock.
    ///
    /// The lock tells it for a process of another container too, whose number means nothing here. On Apple systems no
    /// lock is held: the system ends an app that is suspended while it holds one.
    func isRunning(_ state: RunState?) -> Bool {
        if let state, ProcessIdentity.isRunning(state) { return true }
        #if canImport(Darwin)
            return false
        #else
            let descriptor = SystemCalls.openForReading("\(folder)/\(name.stateFile)")
            guard descriptor >= 0 else { return false }
            defer { SystemCalls.close(descriptor) }
            return !SystemCalls.tryLock(descriptor)
        #endif
    }

    func outcome(_ state: RunState?) -> RunOutcome {
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
            processID: name.processID,
            application: state?.application, lostLines: Int(clamping: state?.lost ?? 0), files: paths, name: name)
    }

    /// Removes the run, its state file last: what is interrupted half-way is found again.
    func remove() {
        for path in paths { _ = SystemCalls.remove(path) }
        _ = SystemCalls.remove("\(folder)/\(name.stateFile)")
    }

    /// When the run began by the clock, for how old it is.
    ///
    /// Its name says it, but may have been pushed on by a run before it; then the state file does.
    func began(_ state: RunState?, now: Int64) -> Int64 {
        name.startedAt <= now ? name.startedAt : state?.startedAt ?? name.startedAt
    }

    var bytes: Int64 { paths.reduce(0) { $0 + (SystemCalls.status(path: $1)?.size ?? 0) } }
}

/// The folder in which runs lie.
struct RunFolder {
    let path: String

    /// All runs, the newest first.
    func runs() -> [RunFiles] { Array(listing()) }

    /// What lies in the folder now.
    func listing() -> RunListing {
        var found: [RunFile] = []
        found.reserveCapacity(256)
        SystemCalls.forEachName(in: path) { if let file = RunFile.parse($0) { found.append(file) } }
        return RunListing(folder: path, files: found)
    }
}

/// The runs in a folder, the newest first.
///
/// A start among many old runs wants the newest few: they are picked out one by one, and all the others sorted only if
/// someone goes on to look at them.
struct RunListing: Sequence, Sendable {
    fileprivate let folder: String
    fileprivate let files: [RunFile]

    /// The name of the newest run.
    var newest: RunName? { files.lazy.map(\.run).max() }

    /// Those that began before a run, to which the newest prior one belongs.
    func before(_ run: RunName) -> RunListing { RunListing(folder: folder, files: files.filter { $0.run < run }) }

    /// The oldest runs, the oldest first.
    func oldest(_ count: Int) -> [RunFiles] {
        var result: [RunFiles] = []
        var rest = files
        while result.count < count, let run = Self.take(from: &rest, first: { $0 < $1 }) {
            result.append(RunFiles(folder: folder, name: run.name, parts: run.parts))
        }
        return result
    }

    /// Takes the files of the run that goes before all others.
    fileprivate static func take(
        from files: inout [RunFile], first goesBefore: (RunName, RunName) -> Bool
    ) -> (name: RunName, parts: [RunFile.Part])? {
        guard var name = files.first?.run else { return nil }
        for file in files where goesBefore(file.run, name) { name = file.run }
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
        return (name, parts)
    }

    /// The newest finished run of an application.
    func priorRun(of application: String) -> PriorRun? {
        for run in self where !run.paths.isEmpty {
            let described = run.described()
            guard described.application == nil || described.application == application else { continue }
            if described.outcome != .stillRunning { return described }
        }
        return nil
    }

    func makeIterator() -> Iterator { Iterator(self) }

    struct Iterator: IteratorProtocol {
        private let folder: String
        private var files: [RunFile]
        private var isSorted = false
        private var picked = 0
        /// How many are picked out before the rest is sorted.
        private static let picks = 8

        fileprivate init(_ listing: RunListing) { (folder, files) = (listing.folder, listing.files) }

        mutating func next() -> RunFiles? {
            guard !isSorted else { return takeLast() }
            guard picked < Self.picks, files.count > 64 else {
                files.sort { $0.run < $1.run }
                isSorted = true
                return takeLast()
            }
            picked += 1
            return RunListing.take(from: &files, first: { $0 > $1 }).map {
                RunFiles(folder: folder, name: $0.name, parts: $0.parts)
            }
        }

        private mutating func takeLast() -> RunFiles? {
            guard let newest = files.last?.run else { return nil }
            var parts: [RunFile.Part] = []
            while let last = files.last, last.run == newest {
                parts.append(last.part)
                files.removeLast()
            }
            return RunFiles(folder: folder, name: newest, parts: parts)
        }
    }
}

/// Reads the log of a run back from its files.
enum RunReader {
    /// The contents of the files in order, or the last whole lines in at most `limit` bytes.
    ///
    /// A segment ends at its first zero byte: what is behind was reserved and not written.
    static func contents(of files: [String], limit: Int?) -> [UInt8] {
        var parts: [[UInt8]] = []
        var total = 0
        var known: Int?
        for path in files.reversed() {
            let number = segmentNumber(of: path)
            if let known, let number, known - number > 1, limit == nil {
                parts.append(
                    Array("... [segments \(number + 1) to \(known - 1) were removed: the run is too long] ...\n".utf8))
            }
            known = number ?? known
            let bytes = segment(path)
            parts.append(bytes)
            total += bytes.count
            if let limit, total > limit { break }
        }
        guard parts.count > 1 else {
            return limit.map { wholeLines(parts.first ?? [], limit: $0) } ?? parts.first ?? []
        }
        var all: [UInt8] = []
        all.reserveCapacity(total + 128)
        for part in parts.reversed() { all += part }
        guard let limit, all.count > limit else { return all }
        return wholeLines(all, limit: limit)
    }

    /// The last whole lines in at most `limit` bytes.
    static func wholeLines(_ all: [UInt8], limit: Int) -> [UInt8] {
        guard all.count > limit else { return all }
        guard limit > 0 else { return [] }
        let first = all.count - limit
        if all[first - 1] == 10 { return Array(all[first...]) }
        guard let end = all[first...].firstIndex(of: 10) else { return [] }
        return Array(all[(end + 1)...])
    }

    private static func segmentNumber(of path: String) -> Int? {
        guard let slash = path.lastIndex(of: "/"), let file = RunFile(name: String(path[path.index(after: slash)...]))
        else { return nil }
        if case .segment(let number) = file.part { return number }
        return nil
    }

    private static func segment(_ path: String) -> [UInt8] {
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else { return [] }
        defer { SystemCalls.close(descriptor) }
        guard let status = SystemCalls.status(descriptor), status.isRegular else { return [] }
        var bytes = SystemCalls.read(descriptor, offset: 0, limit: Int(status.size))
        if let end = bytes.withUnsafeBytes({
            SystemCalls.offset(of: 0, in: $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, $0.count)
        }) {
            bytes.removeSubrange(end...)
        }
        return bytes
    }
}
