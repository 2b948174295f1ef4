import AshlarLogging
import Foundation
import Testing

/// A folder that is removed when the test is over.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "ashlar-logging-" + UUID().uuidString
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// The program that ends in many ways.
struct TestChild {
    let process = Process()
    private let output = Pipe()

    init(_ command: String, _ folder: String, _ options: String..., environment: [String: String] = [:]) throws {
        process.executableURL = try Self.program()
        process.arguments = [command, folder] + options
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
    }

    /// Runs the program to its end and returns what it told.
    func run() throws -> String {
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Starts the program, kills it as soon as `moment` has passed, and returns what it told.
    func runAndKill(after moment: Duration) throws -> String {
        try process.run()
        let parts = moment.components
        usleep(UInt32(parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000))
        kill(process.processIdentifier, SIGKILL)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

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

/// The suites that use the one `LogSystem` of the process; they run one after the other.
@Suite(.serialized) struct SharedLogSystemTests {
    /// Starts a fresh run in a folder, with nothing of the tests before.
    static func start(
        _ folder: TemporaryFolder, threshold: LogLevel = .verbose, _ change: (inout LogConfiguration) -> Void = { _ in }
    ) -> StartReport {
        var configuration = LogConfiguration(folder: folder.path, threshold: threshold, sinks: [])
        configuration.readsEnvironment = false
        change(&configuration)
        return LogSystem.start(configuration)
    }
}
