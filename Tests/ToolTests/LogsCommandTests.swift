import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Logs of several runs.
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

    @Test("Options select the lines of a run")
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
            let objects = try lines(["show", folder, "2", "-lerror", "--json"]).map {
                try JSONEntity(parsing: String($0))
            }
            #expect(objects.count == 1 && objects.allSatisfy { $0["pid"].int() ?? 0 > 0 })
            #expect(objects[0]["message"].string() == "first error" && objects[0]["fields"]["code"].int() == 7)
            #expect(objects[0]["level"].string() == "ERROR" && objects[0]["context"].string() == "Other")
            let runs = try ToolProcess.run(["logs", "runs", folder, "--json"]).output
            #expect(runs.contains(#""outcome": "clean""#) && runs.contains(#""run": 2"#))
        }
    }

    @Test("--tail counts lines, also of a selection; a message of several lines is one")
    func tail() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #if os(Linux) || os(macOS)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                LogSystem.start(LogConfiguration(folder: folder, sinks: []))
                for number in 1...5 { Log("Tool").info("\(number) first\n\(number) second") }
                Log("Tool").error("last")
            }
        #endif
        func output(_ arguments: [String]) throws -> String {
            try ToolProcess.run(["logs", "show", folder] + arguments).output
        }
        #expect(try output([]).ranges(of: " second").count == 5)
        let two = try output(["-n", "2"])
        #expect(two.contains("5 first") && two.contains("5 second") && two.contains("last") && !two.contains("4 "))
        let infos = try output(["-n1", "--text", "first", "--json"])
        #expect(infos.split(separator: "\n").count == 1 && infos.contains("5 second"), "\(infos)")
        #expect(try output(["--tail", "99"]) == output([]))
        let runs = try JSONEntity(parsing: try ToolProcess.run(["logs", "runs", folder, "--json"]).output)
        #expect(runs[0]["process"].int() ?? 0 > 0)
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
}
