/// Removes finished runs that are surplus.
struct Retention {
    let folder: RunFolder
    let policy: LogRetention
    let application: String
    /// The run being written; older ones may go.
    let own: RunName
    /// The newest prior run, which is always kept.
    let prior: RunName?

    /// With more runs than this, a start does not wait for their removal.
    static let mostInline = 24

    /// Removes what is surplus, in the background if there is much to look at.
    func apply(to runs: [RunFiles], now: Int64 = SystemCalls.wallClock()) {
        let older = runs.filter { $0.name < own }
        if older.count <= Self.mostInline {
            remove(older, now)
        } else if !BackgroundThread.start({ [self] in remove(older, now) }) {
            remove(older, now)
        }
    }

    /// The runs that are surplus, of those given newest first.
    func surplus(of older: [RunFiles], now: Int64) -> [RunFiles] {
        let (oldest, _) = now.subtractingReportingOverflow(policy.age.clampedNanoseconds)
        var kept = 0
        var bytes: Int64 = 0
        var result: [RunFiles] = []
        for run in older where run.name < own {
            let state = run.state()
            guard state == nil || state?.application == application, run.outcome(state) != .stillRunning else {
                continue
            }
            if run.name == prior {
                (kept, bytes) = (kept + 1, bytes + run.bytes)
                continue
            }
            let isSurplus = kept >= policy.runs || run.name.startedAt < oldest
            let size = isSurplus ? 0 : run.bytes
            if isSurplus || bytes + size > Int64(policy.bytes) {
                result.append(run)
            } else {
                (kept, bytes) = (kept + 1, bytes + size)
            }
        }
        return result
    }

    private func remove(_ older: [RunFiles], _ now: Int64) {
        for run in surplus(of: older, now: now).reversed() { run.remove() }
    }

    /// Removes the oldest finished run to make room on a full disk; never the newest prior one.
    func makeRoom() {
        for run in folder.runs().reversed() where run.name < own && run.name != prior {
            let state = run.state()
            guard state?.application == application, run.outcome(state) != .stillRunning else { continue }
            run.remove()
            return
        }
    }
}

extension RunFiles {
    /// Cuts off the zeros that a mapped segment has behind its last line when its process was killed.
    func repair() {
        for path in paths {
            let descriptor = SystemCalls.openForUpdating(path)
            guard descriptor >= 0 else { continue }
            defer { SystemCalls.close(descriptor) }
            guard let status = SystemCalls.status(descriptor), status.isRegular else { continue }
            let bytes = SystemCalls.read(descriptor, offset: 0, limit: Int(status.size))
            if let end = bytes.firstIndex(of: 0) { _ = SystemCalls.truncate(descriptor, to: Int64(end)) }
        }
    }
}
