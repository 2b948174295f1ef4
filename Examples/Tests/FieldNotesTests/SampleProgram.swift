import Foundation
import Testing

/// The built sample, run as a person would run it, on a copy of Resources/ and a log folder of its own.
struct SampleProgram {
    let folder: URL
    var resources: URL { folder.appendingPathComponent("Resources") }
    var logs: URL { folder.appendingPathComponent("logs") }

    /// The repository's root, found from this file.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        .standardizedFileURL

    /// Copies Resources/ into a fresh temporary folder.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("field-notes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Self.root.appendingPathComponent("Resources"), to: resources)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// What a finished run printed and how it ended.
    struct Outcome {
        let output: String
        let status: Int32
        let wasSignalled: Bool

        var problems: [String] {
            output.split(separator: "\n").filter { $0.contains("problem: ") }.map(String.init)
        }
    }

    /// Runs the sample to its end.
    func run(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> Outcome {
        let (process, pipe) = try start(arguments, environment: environment)
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(
            output: output, status: process.terminationStatus,
            wasSignalled: process.terminationReason == .uncaughtSignal)
    }

    /// Runs the sample with `--hold` and kills it once it has printed `text`; returns what it had printed.
    func runAndKill(after text: String) throws -> String {
        let (process, pipe) = try start(["--hold"], environment: [:])
        var output = ""
        while !output.contains(text) {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            output += String(decoding: data, as: UTF8.self)
        }
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
        // A pipe that is never written to: `--hold` waits on it until the process is killed.
        process.standardInput = Pipe()
        try process.run()
        return (process, pipe)
    }
}
