import Foundation
import Testing

@testable import AshlarLogging

@Suite struct RetentionTests {
    private let now = SystemCalls.wallClock()
    private static let day: Int64 = 86_400_000_000_000

    @Test("Only so many finished runs are kept")
    func count() throws {
        let folder = TemporaryFolder()
        for index in 1...8 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let system = TestSystem(in: folder) { $0.retention.runs = 3 }
        #expect(runs(folder).dropFirst().map(\.startedAt.nanoseconds) == [now - 1000, now - 2000, now - 3000])
        #expect(system.report.priorRun?.log == "[INFO] A - old\n")
    }

    @Test("Runs go when they are too old or too many bytes, but never the newest prior one")
    func ageAndBytes() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: now - 20 * Self.day, pid: 1, ending: .clean)
        _ = TestSystem(in: folder)
        #expect(runs(folder).count == 2)
        let big = String(repeating: "[INFO] A - x\n", count: 1000)
        let other = TemporaryFolder()
        for index in 1...4 {
            try other.makeRun(startedAt: now - Int64(index) * Self.day, pid: 1, ending: .clean, log: big)
        }
        try other.makeRun(startedAt: now - 15 * Self.day, pid: 1, ending: .clean)
        _ = TestSystem(in: other) { $0.retention.bytes = big.utf8.count * 2 + 10 }
        #expect(runs(other).dropFirst().map(\.startedAt.nanoseconds) == [now - Self.day, now - 2 * Self.day])
    }

    @Test("Runs that are alive, of another application, or not ours at all are never touched")
    func untouched() throws {
        let folder = TemporaryFolder()
        let start = try #require(ProcessIdentity.start(of: getpid()))
        try folder.makeRun(startedAt: now - 9000, pid: getpid(), processStart: start)
        try folder.makeRun(startedAt: now - 8000, pid: 1, application: "other", ending: .clean)
        for index in 1...4 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let foreign = ["notes.txt", "run-1.log", "run-0000000000000000001-1-0000.logx"]
        for name in foreign { try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        _ = TestSystem(in: folder) { $0.retention = LogRetention(runs: 1, bytes: 0, age: .zero) }
        let kept = runs(folder).dropFirst().map(\.startedAt.nanoseconds)
        #expect(kept == [now - 1000, now - 8000, now - 9000])
        for name in foreign { #expect(folder.names.contains(name)) }
    }

    @Test("A thousand old runs are removed without the start waiting for it", .timeLimit(.minutes(5)))
    func many() async throws {
        let folder = TemporaryFolder()
        for index in 1...1000 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let system = TestSystem(in: folder)
        #expect(system.report.priorRun?.startedAt.nanoseconds == now - 1000)
        while runs(folder).count > 6 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(runs(folder).count == 6)
        #expect(folder.names.count == 12)
    }

    @Test("A mapped segment of a killed run is cut at its last line by the next start")
    func repair() throws {
        let folder = TemporaryFolder()
        let log = "[INFO] A - one\n[INFO] A - two\n"
        try folder.makeRun(startedAt: now - 1000, pid: 1, log: log + String(repeating: "\0", count: 5000) + "garbage")
        try folder.makeRun(startedAt: now - 2000, pid: 1, log: log + String(repeating: "\0", count: 5000))
        #expect(PriorRun.all(in: folder.path).map(\.log) == [log, log])
        let system = TestSystem(in: folder)
        #expect(system.report.priorRun?.log == log)
        #expect(system.report.priorRun?.tail(bytes: 20) == "[INFO] A - two\n")
        let path = try #require(system.report.priorRun?.files.first)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == log.utf8.count)
    }

    @Test("Symbolic links in the folder are not followed")
    func links() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: now - 1000, pid: 1)
        let secret = folder.path + "/secret"
        try Data("secret\n".utf8).write(to: URL(fileURLWithPath: secret))
        let log = "\(folder.path)/\(RunName(startedAt: now - 1000, processID: 1, tag: 0).base).log"
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: secret)
        #expect(PriorRun.all(in: folder.path).map(\.log) == [""])
    }

    private func runs(_ folder: TemporaryFolder) -> [PriorRun] { PriorRun.all(in: folder.path) }
}
