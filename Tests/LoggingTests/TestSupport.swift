import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// A separate logging system for one test, so that tests run in parallel.
///
/// `LogSystem` forwards to one such system; the child program and `SystemTests` use it itself.
struct TestSystem {
    let folder: TemporaryFolder
    let pipeline = LogPipeline()
    let report: LogStartReport
    let configuration: LogConfiguration

    init(
        in folder: TemporaryFolder = TemporaryFolder(), threshold: LogLevel = .verbose,
        _ change: (inout LogConfiguration) -> Void = { _ in }
    ) {
        self.folder = folder
        var configuration = LogConfiguration(folder: folder.path, threshold: threshold, sinks: [])
        configuration.readsEnvironment = false
        configuration.application = "test"
        configuration.format = .myLogger
        change(&configuration)
        self.configuration = configuration
        report = pipeline.start(configuration)
    }

    func log(_ context: String = "A", level: LogLevel? = nil) -> Log {
        Log(context, level: level, pipeline: pipeline)
    }

    /// The log in the file.
    var live: String { String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self) }
    var lines: [String] { live.split(separator: "\n").map(String.init) }

    // The operations of `LogSystem`.

    var counters: LogCounters { pipeline.readCounters() }

    var isEnabled: Bool {
        get { pipeline.table.isEnabled }
        nonmutating set { pipeline.table.isEnabled = newValue }
    }

    var thresholds: LogThresholds {
        get { pipeline.table.thresholds }
        nonmutating set { pipeline.table.thresholds = newValue }
    }

    var format: LogFormat {
        get { pipeline.format }
        nonmutating set { pipeline.format = newValue }
    }

    @discardableResult
    func flush(sync: Bool) -> Bool { pipeline.flush(sync: sync) }

    func liveTail(bytes: Int) -> String { String(decoding: pipeline.liveBytes(limit: bytes), as: UTF8.self) }

    func shutdown() { pipeline.shutdown() }

    /// The content of a file of the run.
    func file(_ part: RunFile.Part = .segment(0)) throws -> String {
        guard case .file(let path) = report.storage else { throw CocoaError(.fileNoSuchFile) }
        let name = (path as NSString).lastPathComponent
        let run = try #require(RunFile(name: name)).run
        return try String(contentsOfFile: "\(folder.path)/\(RunFile(run: run, part: part).name)", encoding: .utf8)
    }
}

/// A sink that stores all records.
final class RecordingSink: LogSink {
    private let stored = Guarded<[LogRecord]>([])

    var records: [LogRecord] { stored.withLock { $0 } }

    func receive(_ record: LogRecord) -> Bool {
        stored.withLock { $0.append(record) }
        return true
    }
}

/// Whether the thread sanitizer is active.
///
/// It slows down the start of a process and handles signals itself.
let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// Runs a command; returns its status, or -1 if it can't run.
func shell(_ command: String...) -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
}

/// Whether the tests can mount a small file system.
let canMountTemporaryFileSystem: Bool = {
    let folder = TemporaryFolder()
    guard (try? folder.make()) != nil, shell("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path) == 0 else {
        return false
    }
    return shell("umount", folder.path) == 0
}()

extension TestChild {
    /// Prepares the test program of this module.
    init(_ command: String, _ folder: String, _ options: [String] = [], environment: [String: String] = [:]) throws {
        try self.init("AshlarLoggingTestChild", [command, folder] + options, environment: environment)
    }
}
