import AshlarTestSupport
import Foundation

@testable import AshlarLogging

/// A separate logging system for one test, so that tests run in parallel.
struct TestSystem {
    let folder: TemporaryFolder
    let pipeline = LogPipeline()
    let report: LogStartReport

    init(in folder: TemporaryFolder = TemporaryFolder(), _ change: (inout LogConfiguration) -> Void = { _ in }) {
        self.folder = folder
        var configuration = LogConfiguration(folder: folder.path, threshold: .verbose, sinks: [])
        configuration.readsEnvironment = false
        configuration.application = "test"
        configuration.format = .standard
        change(&configuration)
        report = pipeline.start(configuration)
    }

    func log(_ context: String = "A") -> Log { Log(context, pipeline: pipeline) }
}

let modes: [LogStorageMode] = [.writeThrough, .mapped]

extension TemporaryFolder {
    /// Creates the files of a run, as its process would have left them.
    func makeRun(
        startedAt: Int64, pid: Int32, processStart: UInt64 = 1, boot: [UInt8] = ProcessIdentity.boot.bytes,
        application: String = "test", ending: RunState.Ending = .running, log: String = "[INFO] A - old\n"
    ) throws {
        try? make()
        let name = RunName(startedAt: startedAt, processID: pid, tag: 0)
        var state = RunState(
            processID: pid, startedAt: startedAt, processStart: processStart, bootID: boot, application: application)
        state.ending = ending
        try Data(state.bytes).write(to: URL(fileURLWithPath: "\(path)/\(name.stateFile)"))
        try Data(log.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name.base).log"))
    }
}
