/// The steps by which a run begins: the folder, the prior run, the state file, the store of the asked mode.
struct RunOpening {
    let pipeline: LogPipeline
    let configuration: LogConfiguration

    struct Opened {
        var store: (any LineStore)?
        var report: StartReport
    }

    func open() -> Opened {
        guard let path = configuration.folder else { return inMemory(0) }
        let application = RunState.shortened(configuration.application)
        let folder = RunFolder(path: path)
        let there = folder.listing()
        switch RunIdentity.create(in: path, application: application, after: there.newest) {
        case .failure(let failure): return inMemory(failure.error)
        case .success(let run):
            let older = there.before(run.name)
            let prior = older.priorRun(of: application)
            if let prior, prior.outcome != .clean { prior.repair() }
            let retention = Retention(
                folder: folder, policy: configuration.retention, application: application, own: run.name,
                prior: prior?.name)
            switch store(of: run, retention) {
            case .failure(let failure):
                _ = SystemCalls.remove(run.path(.state))
                return inMemory(failure.error)
            case .success(let (store, mode)):
                var report = StartReport(
                    storage: .file(run.path(.segment(0))), mode: mode, priorRun: prior, earlyLines: 0, notices: [])
                if mode != configuration.mode {
                    report.notices = ["\(path): cannot be mapped safely; lines are written one by one"]
                }
                if configuration.notesSignals, pipeline === LogPipeline.shared { run.noteSignals() }
                retention.apply(to: older)
                return Opened(store: store, report: report)
            }
        }
    }

    private typealias Store = (any LineStore, LogStorageMode)

    private func store(of run: RunIdentity, _ retention: Retention) -> Result<Store, RunStoreError> {
        let (pipeline, rotation) = (
            pipeline, configuration.rotation.withinLimits(isMapped: configuration.mode == .mapped)
        )
        let notice: @Sendable (Int, String) -> [UInt8] = { lost, reason in
            pipeline.notice(lost: lost, reason: reason)
        }
        if configuration.mode == .mapped {
            let box = UncheckedRun(run: run)
            let mapped = MappedStore(
                run: run, rotation: rotation, counters: pipeline.counters,
                synchronizesAt: configuration.synchronizesAt
            ) { number in
                SegmentedFile.continue(
                    run: box.run, number: number, rotation: rotation, counters: pipeline.counters, notice: notice,
                    makeRoom: { retention.makeRoom() })
            }
            if pipeline === LogPipeline.shared { mapped?.serveSignals() }
            if let mapped { return .success((mapped, .mapped)) }
        }
        return SegmentedFile.create(
            run: run, rotation: rotation, counters: pipeline.counters, notice: notice,
            makeRoom: { retention.makeRoom() }
        ).map { file in
            file.servesSignals = pipeline === LogPipeline.shared
            guard case .buffered(let bytes, let milliseconds) = configuration.mode else {
                return (AppendingStore(file: file, synchronizesAt: configuration.synchronizesAt), .everyLine)
            }
            let store = BufferedStore(
                file: file, bytes: bytes, milliseconds: milliseconds, synchronizesAt: configuration.synchronizesAt)
            return (store, configuration.mode)
        }
    }

    /// The run for the closure of the mapped store, which calls it under its own lock only.
    private struct UncheckedRun: @unchecked Sendable {
        let run: RunIdentity
    }

    private func inMemory(_ error: Int32) -> Opened {
        var notices: [String] = []
        if error != 0, let folder = configuration.folder {
            notices = ["\(folder): \(SystemCalls.message(of: error)); the log is kept in memory only"]
        }
        return Opened(
            store: MemoryStore(counters: pipeline.counters),
            report: StartReport(
                storage: .memory(error), mode: configuration.mode, priorRun: nil, earlyLines: 0, notices: notices))
    }
}

extension LogPipeline {
    /// The line that tells of lost lines, in the format of the moment.
    func notice(lost: Int, reason: String) -> [UInt8] {
        let copy = LogRecord.Copy.notice("\(lost) lines lost: \(reason)", sequence: emittedLines)
        return Array((copy.formatted(as: format) + "\n").utf8)
    }
}
