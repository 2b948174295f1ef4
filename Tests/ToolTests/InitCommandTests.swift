import Ashlar
import Foundation
import Testing

/// The package that `ashlar init` creates; `Scripts/check-init` builds it.
@Suite struct InitCommandTests {
    @Test(
        "A name that can't be that of the package, its module and its type is refused, and no folder is created",
        arguments: ["class", "Any", "Type", "Ashlar", "AshlarTool", "ashlar", "History", "Event", "Strings", "main"])
    func names(name: String) throws {
        try withFolder(["Ashlar/Package.swift": ""]) { folder in
            let run = try ToolProcess.run(["init", name, "--path", "Ashlar"], in: folder.appending(path: "Ashlar"))
            #expect(run.status == 2 && run.errors.hasPrefix("error: '\(name)' is a name of Swift or Ashlar"), "\(run)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Ashlar"])
        }
    }

    @Test("A folder without a package is refused; with one, every file is created")
    func path() throws {
        try withFolder(["Ashlar/Package.swift": ""]) { folder in
            let run = try ToolProcess.run(["init", "Pages", "--path", "./nowhere"], in: folder)
            #expect(run.status == 1 && run.output.isEmpty, "\(run)")
            #expect(run.errors == "error: ./nowhere: not a folder of Ashlar; it has no Package.swift\n")
            #expect(try ToolProcess.run(["init", "Pages", "--path", "./Ashlar"], in: folder).status == 0)
            let text = try String(contentsOf: folder.appending(path: "Pages/Package.swift"), encoding: .utf8)
            #expect(text.contains("path: \".././Ashlar\"") && !text.contains("__"))
            let quoted = try ToolProcess.run(["init", "Quoted", "--url", "https://a/\"\\(x)"], in: folder)
            let manifest = try String(contentsOf: folder.appending(path: "Quoted/Package.swift"), encoding: .utf8)
            #expect(quoted.status == 0 && manifest.contains(#"url: "https://a/\"\\(x)","#), "\(manifest)")
        }
    }

    #if os(Linux) || os(macOS)
        @Test("An error ends a program with a line on the standard error and the exit status 1")
        func run() async throws {
            let result = try await #require(
                processExitsWith: .exitCode(1), observing: [\.standardErrorContent, \.standardOutputContent]
            ) {
                await AshlarApp.run {
                    var configuration = AshlarApp.Configuration(resources: "/nonexistent", log: nil)
                    configuration.flavor = "none"
                    configuration.storage = .memory
                    _ = try await AshlarApp.start(configuration, requires: [.hosts])
                    print("started")
                }
            }
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.hasPrefix("error: hosts: ") && text.split(separator: "\n").count == 1, "\(text)")
            #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("started"))
        }

        @Test("A program without an error goes on")
        func success() async {
            await #expect(processExitsWith: .exitCode(7)) {
                await AshlarApp.run {}
                exit(7)
            }
        }
    #endif
}
