import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Logs of several runs, and of a crash.
@Suite struct LogsCommandTests {
    private func withRuns(_ body: (String) throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for run in ["first", "second"] {
            #if os(Linux) || os(macOS)
                await #expect(processExitsWith: .success) { [folder = folder as String, run = run as String] in
                    LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                    Log("Tool").info("\(run) info")
                    Log("Other").error("\(run) error", ["code": 7])
                }
            #endif
        }
        try body(folder)
    }

    @Test("Options select the lines of a run; merge prints those of all runs in order of time")
    func selection() async throws {
        try await withRuns { folder in
            func lines(_ arguments: [String]) throws -> [Substring] {
                try ToolProcess.run(["logs"] + arguments).output.split(separator: "\n")
            }
            #expect(try lines(["show", folder]).count == 2)
            for selection in [["--level", "error"], ["-cOther"], ["--text", "ERROR"], ["--field", "code=7"]] {
                let found = try lines(["show", folder, "2"] + selection)
                #expect(found.count == 1 && found[0].contains("first error"), "\(selection): \(found)")
            }
            let merged = try lines(["merge", folder])
            #expect(merged.count == 4 && merged.first?.contains("first info") == true)
            #expect(merged.last?.contains("second error") == true)
            #expect(try lines(["merge", folder, folder, "-lerror"]).count == 4)
            let objects = try lines(["merge", folder, folder + "/.", "-lerror", "--json"]).map {
                try JSONEntity(parsing: String($0))
            }
            #expect(objects.count == 4 && objects.allSatisfy { $0["pid"].int() ?? 0 > 0 })
            #expect(Set(objects.map { $0["folder"].string() }) == [folder, folder + "/."])
            #expect(objects[0]["message"].string() == "first error" && objects[0]["fields"]["code"].int() == 7)
            #expect(objects[0]["level"].string() == "ERROR" && objects[0]["context"].string() == "Other")
            let runs = try ToolProcess.run(["logs", "runs", folder, "--json"]).output
            #expect(runs.contains(#""outcome": "clean""#) && runs.contains(#""run": 2"#))
        }
    }

    @Test("A follower prints lines from the start as they are written", .timeLimit(.minutes(2)))
    func follow() async throws {
        try await withRuns { folder in
            let process = Process()
            process.executableURL = try ToolProcess.program()
            process.arguments = ["logs", "follow", folder, "--from-start", "--level", "error"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            // Without the lines, the test fails and doesn't wait forever.
            let watchdog = DispatchWorkItem { process.terminate() }
            DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
            defer { watchdog.cancel() }
            var text = ""
            while text.count(where: { $0 == "\n" }) < 2, case let more = pipe.readSome(), !more.isEmpty {
                text += String(decoding: more, as: UTF8.self)
            }
            process.terminate()
            process.waitUntilExit()
            #expect(text.contains("first error") && text.contains("second error") && !text.contains("info"))
        }
    }

    #if os(Linux)
        @Test("The frames of a crash get their functions, files and lines", .timeLimit(.minutes(3)))
        func symbols() throws {
            try withFolder { folder in
                let child = try ToolProcess.program().deletingLastPathComponent().appending(
                    path: "AshlarLoggingTestChild")
                _ = try ToolProcess.run(child, ["end", folder.path, "how=null", "runs=99", "notes"])
                let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
                let symbolizer = try #require(
                    paths.split(separator: ":").map { "\($0)/llvm-symbolizer" }
                        .first(where: FileManager.default.isExecutableFile(atPath:)))
                let run = try ToolProcess.run(["logs", "symbolicate", folder.path, "--symbolizer", symbolizer])
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.output.contains("fatal signal SIGSEGV"))
                #expect(run.output.contains("AshlarLoggingTestChild.Child.logAndEnd()"), "\(run.output)")
                #expect(run.output.contains("Child+Endings.swift:"))
                let missing = try ToolProcess.run(["logs", "symbolicate", folder.path, "--symbolizer", "/no/such"])
                #expect(missing.status == 1 && missing.errors.contains("/no/such"))
            }
        }
    #endif
}
