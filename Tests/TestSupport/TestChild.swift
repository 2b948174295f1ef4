public import Foundation
import Synchronization

/// A test program that runs as a child process.
public struct TestChild: Sendable {
    /// The process, which isn't started yet.
    public let process = Process()
    private let output = Pipe()
    /// The time after which ``finish()`` kills the program.
    private let limit: Duration

    /// Prepares a program that the tests' target depends on.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], limit: Duration = .seconds(30)
    ) throws {
        self.limit = limit
        process.executableURL = try Self.executable(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
    }

    /// Runs the program to its end and returns its output.
    public func run() throws -> String {
        try process.run()
        return finish()
    }

    /// Starts the program and kills it after a delay from its first output, or from its start.
    public func runAndKill(afterMicroseconds moment: UInt32, ofItsWork: Bool) throws -> String {
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

    /// Waits for the end of the program and returns its output; after the limit, kills it and says so.
    public func finish() -> String {
        let pid = process.processIdentifier
        let isLate = Atomic(false)
        let watchdog = DispatchWorkItem {
            isLate.store(true, ordering: .relaxed)
            kill(pid, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds)), execute: watchdog)
        defer { watchdog.cancel() }
        let text = output.readText()
        process.waitUntilExit()
        return text + (isLate.load(ordering: .relaxed) ? "killed after \(limit)\n" : "")
    }

    /// Waits for output of the program.
    public func firstLine() -> String { String(decoding: output.readSome(), as: UTF8.self) }

    /// Returns the place of a program that the tests' target depends on.
    public static func executable(_ name: String) throws -> URL {
        var folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for folder in folders {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}

/// Whether the long tests run with their full counts.
public let isSoak = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
