/// The files of one run, as found in the folder.
struct RunFiles {
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
            if let state, state.bootID != ProcessIdentity.boot { return .machineRestarted }
            return .unclean
        }
    }

    func described() -> PriorRun {
        let state = state()
        return PriorRun(
            startedAt: LogTime(nanoseconds: name.startedAt), outcome: outcome(state), processID: name.processID,
            application: state?.application, lostLines: Int(clamping: state?.lost ?? 0), files: paths, name: name)
    }

    /// Removes the run, its state file last: what is interrupted half-way is found again.
    func remove() {
        for path in paths { _ = SystemCalls.remove(path) }
        _ = SystemCalls.remove("\(folder)/\(name.stateFile)")
    }

    var bytes: Int64 { paths.reduce(0) { $0 + (SystemCalls.status(path: $1)?.size ?? 0) } }
}

/// The folder in which runs lie.
struct RunFolder {
    let path: String

    /// All runs, the newest first.
    func runs() -> [RunFiles] {
        var found: [RunFile] = []
        SystemCalls.forEachName(in: path) { if let file = RunFile.parse($0) { found.append(file) } }
        found.sort { $0.run > $1.run }
        var runs: [RunFiles] = []
        var first = 0
        while first < found.count {
            let name = found[first].run
            var parts: [RunFile.Part] = []
            while first < found.count, found[first].run == name {
                parts.append(found[first].part)
                first += 1
            }
            runs.append(RunFiles(folder: path, name: name, parts: parts))
        }
        return runs
    }

    /// The newest finished run of an application that began before `own`.
    func priorRun(of application: String, before own: RunName, in runs: [RunFiles]) -> PriorRun? {
        for run in runs where run.name < own && !run.paths.isEmpty {
            let described = run.described()
            guard described.application == nil || described.application == application else { continue }
            if described.outcome != .stillRunning { return described }
        }
        return nil
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
