import AshlarTestSupport
import Foundation
import Testing

@testable import Ashlar

@Suite(.timeLimit(.minutes(5))) struct LogExportTests {
    #if os(Linux) || os(macOS)
        @Test("An export has the last runs and this one in order, without secrets, in one private file")
        func export() async throws {
            let folder = TemporaryFolder()
            for number in 0..<5 {
                await #expect(processExitsWith: .success) { [home = folder.path as String, number = number as Int] in
                    _ = StorageTests.start(home: home)
                    Log("App").info("this is run \(number), password=hunter\(number)")
                    exit(0)
                }
            }
            await #expect(processExitsWith: .success) { [home = folder.path as String] in
                let app = StorageTests.start(home: home)
                Log("App").info("this is the last run")
                let file = try app.exportLog(in: URL(fileURLWithPath: home))
                let text = try String(contentsOf: file, encoding: .utf8)
                let runs = text.split(separator: "\n").filter { $0.contains("this is") }
                #expect(
                    runs.count == 4
                        && zip(runs, ["run 2", "run 3", "run 4", "last run"]).allSatisfy { $0.contains($1) })
                #expect(!text.contains("hunter") && text.components(separatedBy: "clean =====").count == 4)
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
                #expect(mode as? Int == 0o600)
                // A second export replaces the first one, and each run has its limit.
                Log("App").info("\(String(repeating: "x", count: 5_000))")
                let short = try app.exportLog(in: URL(fileURLWithPath: home), runs: 0, bytes: 2_000)
                let size = try Data(contentsOf: file).count
                #expect(short == file && size < 2_200)
                #expect(throws: (any Error).self) { try app.exportLog(in: URL(fileURLWithPath: home + "/none")) }
            }
        }

        @Test("A slash in the application's name doesn't hinder an export")
        func slash() async throws {
            let folder = TemporaryFolder()
            await #expect(processExitsWith: .success) { [home = folder.path as String] in
                var log = LogConfiguration(sinks: [])
                log.application = "Acme/Notes"
                let app = StorageTests.start(home: home, log: log)
                let file = try app.exportLog(in: URL(fileURLWithPath: home))
                #expect(file.lastPathComponent == "Acme_Notes-log.txt")
            }
        }
    #endif
}
