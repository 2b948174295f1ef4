import Foundation
import Testing

/// Runs the built sample on a copy of Resources/ with its own log folder.
struct SampleProgram {
    let folder: URL
    var resources: URL { folder.appendingPathComponent("Resources") }
    var logs: URL { folder.appendingPathComponent("logs") }

    /// The repository's root.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        .standardizedFileURL

    /// Copies Resources/ into a fresh temporary folder.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("field-notes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Self.root.appendingPathComponent("Resources"), to: resources)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// The output and exit status of a run.
    struct Outcome {
        /// The lines as printed.
        let screen: String
        /// The output with wrapped lines joined.
        var output: String { screen.replacing("\n          ", with: " ") }
        let status: Int32
        let wasSignalled: Bool

        var problems: [String] {
            output.split(separator: "\n").filter { $0.contains("problem: ") }.map(String.init)
        }
    }

    /// Runs the sample to its end.
    func run(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> Outcome {
        let (process, pipe) = try start(arguments, environment: environment)
        let output = pipe.readText()
        process.waitUntilExit()
        return Outcome(
            screen: output, status: process.terminationStatus,
            wasSignalled: process.terminationReason == .uncaughtSignal)
    }

    /// Runs the sample with `--hold`, kills it after it has printed `text`, and returns its output.
    func runAndKill(after text: String) throws -> String {
        let (process, pipe) = try start(["--hold"], environment: [:])
        let output = pipe.readText(until: text)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return output
    }

    private func start(_ arguments: [String], environment: [String: String]) throws -> (Process, Pipe) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = Self.root.appendingPathComponent("Examples/.build/debug/field-notes")
        process.arguments = ["--resources", resources.path, "--logs", logs.path] + arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder.path].merging(environment) {
            $1
        }
        process.standardOutput = pipe
        process.standardError = pipe
        // Nothing writes to this pipe, so `--hold` waits until the process is killed.
        process.standardInput = Pipe()
        try process.run()
        return (process, pipe)
    }
}
