/// Removes finished runs that are surplus.
struct Retention: Sendable {
    let folder: RunFolder
    let policy: LogRetention
    let application: String
    /// The run being written; older ones may go.
    let own: RunName
    /// The newest prior run, which is always kept.
    var prior: RunName?

    /// Runs work that a start does not wait for; `false` if that is not possible.
    var inBackground: @Sendable (@escaping @Sendable () -> Void) -> Bool = { BackgroundThread.start($0) }

    /// How many runs a start looks at, and how many it removes, before it leaves the rest to the background.
    static let mostLooks = 24
    static let mostInline = 8

    /// Removes what is surplus of the runs before this one.
    ///
    /// A start does a small part itself, so that short-lived processes, whose background ends with them, keep the
    /// limits too.
    func apply(to older: RunListing, now: Int64 = SystemCalls.wallClock()) {
        var tally = Tally(retention: self, now: now)
        var runs = older.makeIterator()
        var last: RunName?
        for _ in 0..<Self.mostLooks where !tally.isFull {
            guard let run = runs.next() else { return remove(tally.surplus) }
            tally.count(run)
            last = run.name
        }
        guard tally.isFull, let last else {
            // More to look at than a start should; nothing has been removed yet.
            return leave { self.surplus(of: self.folder.listing(), now: now) }
        }
        // All that is left is surplus, but what is not ours or still running.
        let oldest = older.before(last).oldest(Self.mostInline + 1)
        let (counted, few) = (tally, oldest.prefix(Self.mostInline))
        remove(counted.surplus + few.reversed().filter { counted.concerns($0) })
        guard oldest.count > Self.mostInline else { return }
        leave { self.folder.listing().before(last).filter { counted.concerns($0) } }
    }

    /// Has runs found and removed in the background.
    ///
    /// One at a time: a process that starts again and again does not look through the folder twice at once.
    private func leave(_ find: @escaping @Sendable () -> [RunFiles]) {
        guard Self.busyFolders.withLock({ $0.insert(folder.path).inserted }) else { return }
        let work: @Sendable () -> Void = {
            self.remove(find())
            Self.busyFolders.withLock { _ = $0.remove(self.folder.path) }
        }
        if !inBackground(work) { work() }
    }

    private static let busyFolders = Guarded<Set<String>>([])
    static var forkLock: ForkSafeLock { busyFolders.lock }

    /// As in a new process.
    static func forgetBackground(of path: String) { busyFolders.withLock { _ = $0.remove(path) } }

    /// The runs that are surplus, newest first.
    func surplus(of older: RunListing, now: Int64) -> [RunFiles] {
        var tally = Tally(retention: self, now: now)
        for run in older { tally.count(run) }
        return tally.surplus
    }

    /// Counts finished runs, the newest first.
    struct Tally: Sendable {
        let retention: Retention
        let now: Int64
        private var kept = 0
        private var bytes: Int64 = 0
        private(set) var surplus: [RunFiles] = []
        /// Whether all runs that follow are surplus.
        private(set) var isFull = false

        init(retention: Retention, now: Int64) { (self.retention, self.now) = (retention, now) }

        mutating func count(_ run: RunFiles) {
            let state = run.state()
            guard concerns(run, state) else { return }
            let policy = retention.policy
            if !isFull {
                let (oldest, isForever) = now.subtractingReportingOverflow(policy.age.clampedNanoseconds)
                isFull = kept >= policy.runs || (!isForever && run.began(state, now: now) < oldest)
            }
            if !isFull {
                bytes += policy.bytes == .max ? 0 : run.bytes
                isFull = bytes > Int64(policy.bytes)
            }
            if run.name == retention.prior || !isFull { kept += 1 } else { surplus.append(run) }
        }

        /// Whether the run is finished and of the application that is started.
        func concerns(_ run: RunFiles) -> Bool { concerns(run, run.state()) }

        private func concerns(_ run: RunFiles, _ state: RunState?) -> Bool {
            guard run.name < retention.own else { return false }
            guard let state else { return !isBeginning(run) && !run.isRunning(nil) }
            return state.application == retention.application && run.outcome(state) != .stillRunning
        }

        /// Whether the run may be one whose process has made its state file and not written it yet.
        private func isBeginning(_ run: RunFiles) -> Bool {
            guard run.paths.isEmpty, let file = SystemCalls.status(path: "\(run.folder)/\(run.name.stateFile)") else {
                return false
            }
            return abs(now / 1_000_000_000 - file.changedAt) < 60
        }
    }

    /// Removes runs, the oldest first.
    private func remove(_ runs: [RunFiles]) {
        for run in runs.reversed() where run.name != prior { run.remove() }
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

extension PriorRun {
    /// Cuts off the zeros that a mapped segment has behind its last line when its process was killed.
    func repair() {
        for path in files {
            let descriptor = SystemCalls.openForUpdating(path)
            guard descriptor >= 0 else { continue }
            defer { SystemCalls.close(descriptor) }
            guard let status = SystemCalls.status(descriptor), status.isRegular else { continue }
            let bytes = SystemCalls.read(descriptor, offset: 0, limit: Int(status.size))
            if let end = bytes.firstIndex(of: 0) { _ = SystemCalls.truncate(descriptor, to: Int64(end)) }
        }
    }
}
