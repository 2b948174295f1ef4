/// The steps that begin a run: folder, prior run, state file, store.
struct RunOpening {
    let pipeline: LogPipeline
    let configuration: LogConfiguration

    struct Opened {
        var store: (any LineStore)?
        var report: LogStartReport
    }

    func open() -> Opened {
        guard let path = configuration.folder else { return inMemory(0) }
        let application = RunState.shortened(configuration.application)
        let folder = RunFolder(path: path)
        let present = folder.listing()
        switch RunIdentity.create(in: path, application: application, after: present.newest) {
        case .failure(let failure): return inMemory(failure.error)
        case .success(let run):
            let older = present.before(run.name)
            let prior = older.priorRun(of: application)
            if let prior, prior.outcome != .clean { RunReader.removeUnusedEnds(of: prior.files) }
            let retention = Retention(
                folder: folder, policy: configuration.retention, application: application, own: run.name,
                prior: prior?.name)
            switch store(of: run, retention) {
            case .failure(let failure):
                SystemCalls.remove(run.path(.state))
                return inMemory(failure.error)
            case .success(let (store, mode)):
                var report = LogStartReport(
                    storage: .file(run.path(.segment(0))), mode: mode, priorRun: prior,
                    run: (folder, run.name, application))
                if isWritableByOthers(path) { report.notices.append("\(path): other users can write to this folder") }
                if mode != configuration.mode {
                    report.notices.append("\(path): files can't be mapped safely; using write-through mode")
                }
                retention.apply(to: older)
                return Opened(store: store, report: report)
            }
        }
    }

    /// Whether the folder belongs to another user and is writable by users other than its owner.
    private func isWritableByOthers(_ path: String) -> Bool {
        guard let status = SystemCalls.status(path: path + "/.") else { return false }
        return status.isWritableByOthers && status.owner != SystemCalls.userID
    }

    private func store(
        of run: RunIdentity, _ retention: Retention
    ) -> Result<(any LineStore, LogStorageMode), RunStoreError> {
        let pipeline = pipeline
        let settings = StoreSettings(
            rotation: configuration.rotation.withinLimits, counters: pipeline.counters,
            synchronizesAt: configuration.synchronizesAt, servesSignals: pipeline === LogPipeline.shared,
            // The pipeline holds the store.
            notice: { [weak pipeline] in pipeline?.notice(lost: $0, reason: $1) ?? [] },
            makeRoom: { retention.makeRoom() })
        if configuration.mode == .mapped, let mapped = MappedStore(run: run, settings: settings) {
            return .success((mapped, .mapped))
        }
        return SegmentedFile.create(run: run, settings).map { file in
            guard case .buffered(let bytes, let milliseconds) = configuration.mode else {
                return (AppendingStore(file: file), .writeThrough)
            }
            return (BufferedStore(file: file, bytes: bytes, milliseconds: milliseconds), configuration.mode)
        }
    }

    private func inMemory(_ error: Int32) -> Opened {
        var report = LogStartReport(storage: .memory(error), mode: configuration.mode)
        if error != 0, let folder = configuration.folder {
            report.notices = ["\(folder): \(SystemCalls.message(of: error)); the log is stored in memory only"]
        }
        return Opened(store: MemoryStore(counters: pipeline.counters), report: report)
    }
}

extension LogPipeline {
    /// Returns the line that reports lost lines, in the current format.
    func notice(lost: Int, reason: String) -> [UInt8] {
        let copy = LogRecord.Copy.notice("\(lost) lines lost: \(reason)", sequence: emittedLines)
        return Array((copy.formatted(as: format) + "\n").utf8)
    }
}
