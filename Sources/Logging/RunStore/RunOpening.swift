/// The steps by which a run begins: the folder, the prior run, the state file, the store of the asked mode.
struct RunOpening {
    let pipeline: LogPipeline
    let configuration: LogConfiguration

    struct Opened {
        var store: (any LineStore)?
        var report: StartReport
    }

    func open() -> Opened {
        guard let folder = configuration.folder else { return inMemory(0) }
        let application = RunState.shortened(configuration.application)
        switch RunIdentity.create(in: folder, application: application) {
        case .failure(let failure): return inMemory(failure.error)
        case .success(let run):
            let folder = RunFolder(path: folder)
            let runs = folder.runs()
            let prior = folder.priorRun(of: application, before: run.name, in: runs)
            switch file(of: run) {
            case .failure(let failure):
                _ = SystemCalls.remove(run.path(.state))
                return inMemory(failure.error)
            case .success(let file):
                let report = StartReport(
                    storage: .file(run.path(.segment(0))), mode: .everyLine, priorRun: prior, earlyLines: 0,
                    notices: [])
                return Opened(
                    store: AppendingStore(file: file, synchronizesAt: configuration.synchronizesAt), report: report)
            }
        }
    }

    private func file(of run: RunIdentity) -> Result<SegmentedFile, RunStoreError> {
        let pipeline = pipeline
        return SegmentedFile.create(
            run: run, rotation: configuration.rotation, counters: pipeline.counters,
            notice: { lost, reason in pipeline.notice(lost: lost, reason: reason) }, makeRoom: {})
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
        let copy = LogRecord.Copy(
            sequence: emittedLines, level: .warning, time: .now, depth: 0, context: "AshlarLogging",
            message: "\(lost) lines lost: \(reason)", fields: [:], file: #fileID, function: "notice()", line: 0,
            threadID: 0)
        return Array((copy.formatted(as: format) + "\n").utf8)
    }
}
