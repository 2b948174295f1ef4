import Foundation
import Testing

@testable import AshlarLogging

/// A folder that is removed at the end of the test.
final class TemporaryFolder: Sendable {
    let path: String

    init(in parent: String = NSTemporaryDirectory()) {
        path = (parent.hasSuffix("/") ? parent : parent + "/") + "ashlar-logging-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
}

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
    var counters: LogCounters { pipeline.readCounters() }

    /// The content of a file of the run.
    func file(_ part: RunFile.Part = .segment(0)) throws -> String {
        guard case .file(let path) = report.storage else { throw CocoaError(.fileNoSuchFile) }
        let name = (path as NSString).lastPathComponent
        let run = try #require(RunFile(name: name)).run
        return try String(contentsOfFile: "\(folder.path)/\(RunFile(run: run, part: part).name)", encoding: .utf8)
    }
}

/// The test program.
struct TestChild {
    let process = Process()
    private let output = Pipe()

    init(_ command: String, _ folder: String, _ options: [String] = [], environment: [String: String] = [:]) throws {
        process.executableURL = try Self.program()
        process.arguments = [command, folder] + options
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
    }

    /// Runs the program to its end and returns its output.
    func run() throws -> String {
        try process.run()
        return finish()
    }

    /// Starts the program and kills it after a delay from its first output, or from its start.
    func runAndKill(afterMicroseconds moment: UInt32, ofItsWork: Bool) throws -> String {
        try process.run()
        let pid = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watchdog)
        defer { watchdog.cancel() }
        let first = ofItsWork ? firstLine() : ""
        usleep(moment)
        kill(pid, SIGKILL)
        return first + finish()
    }

    /// Waits for the end of the program, which is killed after half a minute.
    func finish() -> String {
        let pid = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watchdog)
        defer { watchdog.cancel() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Waits for output of the program.
    func firstLine() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

    private static func program() throws -> URL {
        var folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for folder in folders {
            let candidate = folder.appendingPathComponent("AshlarLoggingTestChild")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// Whether the thread sanitizer is active.
///
/// It slows down the start of a process and handles signals itself.
let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// Whether the long tests run with their full counts.
let isSoak = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

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
