import AshlarTestSupport
import Foundation
import Testing

/// A run of the tool as a child process.
struct ToolRun {
    let output: String
    let errors: String
    let status: Int32

    /// The run as a golden file holds it.
    var transcript: String {
        (errors.isEmpty ? output : output + "--- standard error\n" + errors) + "--- exit status \(status)\n"
    }
}

enum ToolProcess {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// The tool's program next to the test program.
    static func program() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        while folder.path.count > 1 {
            for name in ["AshlarTool", "ashlar"] {
                let candidate = folder.appending(path: name)
                if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                    return candidate
                }
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Runs the tool in a folder, by default the package's.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL = root
    ) throws -> ToolRun {
        try run(try program(), arguments, environment, in: folder)
    }

    /// Runs a command in a terminal of its own, with lines of input; its errors are part of the output.
    static func runInTerminal(
        _ command: String, input: String = "", environment: [String: String] = [:], in folder: URL = root
    ) throws -> ToolRun {
        let path = try program().path
        let command = "stty cols 60 -echo; " + command.replacing("ashlar", with: "'\(path)'")
        return try run(
            URL(filePath: "/usr/bin/script"), ["-qec", command, "/dev/null"], input: input, environment, in: folder)
    }

    /// Runs a program.
    static func run(
        _ program: URL, _ arguments: [String], input: String = "", _ environment: [String: String] = [:],
        in folder: URL = root
    ) throws -> ToolRun {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["LANG": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"]
            .merging(environment) { $1 }
        let capture = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: capture, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: capture) }
        let files = [capture.appending(path: "out"), capture.appending(path: "err")]
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let given = capture.appending(path: "in")
        try Data(input.utf8).write(to: given)
        process.standardInput = try FileHandle(forReadingFrom: given)
        try process.run()
        process.waitUntilExit()
        return ToolRun(
            output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8),
            status: process.terminationStatus)
    }
}

/// A new folder with files, removed after use.
func withFolder<R>(_ files: [String: String] = [:], _ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    return try body(folder)
}
