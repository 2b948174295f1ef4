import AshlarCore
import AshlarEventBus
import AshlarLogging
import AshlarTelemetry
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Logs of several processes", .serialized,
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"), .timeLimit(.minutes(10)))
struct LogTests {
    private func child(_ server: NatsServer, _ role: String, _ folder: TemporaryFolder, lines: Int) throws -> TestChild
    {
        try TestChild(
            "AshlarFleetTestChild", ["log", server.url, role, folder.path, "\(lines)"], limit: .seconds(200))
    }

    /// A fleet that shares the finished runs of a folder.
    private func sweeper(_ server: NatsServer, _ folder: TemporaryFolder) throws -> Fleet {
        var options = FleetOptions()
        options.role = "sweeper"
        options.logFolder = folder.path
        options.maximumPayload = 4096
        options.reconnectPause = .milliseconds(20)
        return try Fleet(EventBus(), server.url, options, FleetTopics())
    }

    private func stored(_ server: NatsServer, _ query: LogQuery = LogQuery()) async throws -> [FleetLogLine] {
        var lines: [FleetLogLine] = []
        for try await line in try await FleetLogReader(server.url).lines(matching: query) { lines.append(line) }
        return lines
    }

    /// The lines that the runs of a folder contain, by the process and the start of the run.
    private func written(_ folder: TemporaryFolder) -> [[String]: [String]] {
        var lines: [[String]: [String]] = [:]
        let reader = LogReader(folder: folder.path)
        for run in reader.runs { lines[["\(run.startedAt)", "\(run.processID)"]] = reader.lines(of: run).map(\.text) }
        return lines.filter { !$0.value.isEmpty }
    }

    private func byRun(_ lines: [FleetLogLine]) -> [[String]: [String]] {
        Dictionary(grouping: lines.filter { !$0.line.text.contains(" run - ") }) {
            ["\($0.line.runStartedAt)", "\($0.line.processID)"]
        }.mapValues { $0.map(\.line.text) }
    }

    /// Expects equal lines, and prints only the first difference.
    private func expectSame(_ lines: [String], _ expected: [String]) {
        let index = zip(lines, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.count, expected.count)
        guard index < max(lines.count, expected.count) else { return }
        let (got, wanted) = (lines.dropFirst(index).prefix(2), expected.dropFirst(index).prefix(2))
        Issue.record("line \(index) of \(expected.count) (\(lines.count) stored) is \(got) instead of \(wanted)")
    }

    /// Waits until the files of a folder have grown, or the processes that write them have ended.
    private func waitForLines(of children: [TestChild], in folder: TemporaryFolder, bytes: Int) async throws {
        func size() -> Int {
            PriorRun.all(in: folder.path).flatMap(\.files).reduce(0) { $0 + Int(FileStatus($1)?.size ?? 0) }
        }
        let start = size()
        try await until("the processes have logged \(bytes) bytes") {
            size() - start >= bytes || children.allSatisfy { !$0.process.isRunning }
        }
    }

    @Test("Each line of a run file is stored once while processes and the server are killed at random moments")
    func kills() async throws {
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        try folder.make()
        var children: [TestChild] = []
        for round in 0..<(isSoak ? 60 : 5) {
            // Two processes share the folder, and each also publishes the runs that the other one has left.
            let new = try ["web", "worker"].map { try child(server, $0, folder, lines: random.below(20_000)) }
            for child in new { try child.process.run() }
            children += new
            try await waitForLines(of: new, in: folder, bytes: random.below(400_000))
            if random.chance(60) { try await server.restart() }
            if round % 3 == 2 { server.kill() }
            try await waitForLines(of: new, in: folder, bytes: random.below(200_000))
            for child in new where random.chance(70) { kill(child.process.processIdentifier, SIGKILL) }
            if round % 3 == 2 {
                try server.start()
                try await server.waitUntilReady()
            }
        }
        // A child that was killed early has printed nothing, and perhaps begun no run.
        for child in children { #expect(["", "started\n"].contains(child.finish())) }
        let fleet = try sweeper(server, folder)
        defer { withExtendedLifetime(fleet) {} }
        let runs = PriorRun.all(in: folder.path)
        #expect(runs.count <= children.count && runs.allSatisfy { $0.outcome != .stillRunning })
        try await until("the outcome of each run is stored") {
            try await stored(server, LogQuery(context: "run")).count == runs.count
        }
        let (all, expected) = (byRun(try await stored(server)), written(folder))
        #expect(Set(all.keys) == Set(expected.keys))
        for (run, lines) in expected { expectSame(all[run] ?? [], lines) }
        #expect(expected.values.joined().count > 1000)
        await fleet.close()
    }

    @Test("Runs that ended without a server are stored later, and none of their lines again")
    func offline() async throws {
        let server = try await NatsServer()
        server.kill()
        let folder = TemporaryFolder()
        try folder.make()
        for _ in 0..<2 { #expect(try child(server, "kiosk", folder, lines: 500).run() == "started\n") }
        let killed = try child(server, "kiosk", folder, lines: 10_000_000)
        try killed.process.run()
        try await until { written(folder).count == 3 }
        kill(killed.process.processIdentifier, SIGKILL)
        _ = killed.finish()
        let expected = written(folder)
        try server.start()
        try await server.waitUntilReady()
        for _ in 0..<3 {
            let fleet = try sweeper(server, folder)
            defer { withExtendedLifetime(fleet) {} }
            try await until("the outcomes are stored") {
                try await stored(server, LogQuery(context: "run")).count >= 3
            }
            // Another pass over the folder.
            await fleet.close()
        }
        let lines = try await stored(server)
        for (run, written) in expected { expectSame(byRun(lines)[run] ?? [], written) }
        #expect(
            lines.allSatisfy { $0.role == "sweeper" && $0.application == "AshlarFleetTestChild" && !$0.host.isEmpty })
        let verdicts = lines.filter { $0.line.record?.context == "run" }
        #expect(verdicts.map { $0.line.record?.level } == [.info, .info, .warning])
        #expect(verdicts.last?.line.record?.message.hasSuffix("has ended: killed") == true)
    }

    @Test("A large run is read once, not once for each message")
    func largeRun() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        try folder.make()
        #expect(try child(server, "kiosk", folder, lines: 0).run() == "started\n")
        let path = try #require(PriorRun.all(in: folder.path).first?.files.last)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let line = "2026-01-02T03:04:05.678Z [INFO] work - kiosk " + String(repeating: "x", count: 80) + "\n"
        let size = 6 << 20
        try (text + String(repeating: line, count: size / line.utf8.count)).write(
            toFile: path, atomically: false, encoding: .utf8)
        let fleet = try sweeper(server, folder)
        defer { withExtendedLifetime(fleet) {} }
        // With 4 KB for each message, 1,500 reads of the file would take minutes.
        let start = ContinuousClock.now
        try await until("the outcome is stored") {
            let wanted = [("subjects_filter", JSONEntity("app_logs.*.state"))]
            let info = try? await fleet.connection.call("STREAM.INFO.app_logs", wanted)
            return info?["state"]["subjects"].keys.isEmpty == false
        }
        #expect(start.duration(to: .now) < .seconds(60))
        await fleet.close()
    }

    @Test("A run that ended before the clock was set back is stored")
    func futureRun() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        try folder.make()
        #expect(try child(server, "kiosk", folder, lines: 20).run() == "started\n")
        server.kill()
        #expect(try child(server, "kiosk", folder, lines: 30).run() == "started\n")
        for run in PriorRun.all(in: folder.path) {
            for file in run.files {
                let future = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: 24 * 3600)]
                try FileManager.default.setAttributes(future, ofItemAtPath: file)
            }
        }
        try await server.restart()
        let fleet = try sweeper(server, folder)
        defer { withExtendedLifetime(fleet) {} }
        try await until("the outcomes are stored") {
            try await stored(server, LogQuery(context: "run")).count == 2
        }
        #expect(try await stored(server, LogQuery(context: "work")).count == 50)
        await fleet.close()
    }

    @Test("A query selects lines, and new ones are followed through a restart of the server")
    func follow() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        try folder.make()
        var query = LogQuery(level: .info, context: "work")
        query.fields["number"] = 7
        let seen = Recorder<String>()
        let asked = Recorder<String>()
        let observer = try NatsConnection(server.url, FleetOptions())
        let requests = try observer.subscribe(to: "$JS.API.STREAM.INFO.*") { asked.note($0.subject) }
        defer { withExtendedLifetime(requests) {} }
        let following = Task { [query] in
            for try await line in try await FleetLogReader(server.url).follow(matching: query) { seen.note("\(line)") }
        }
        // The reader has asked for the stream, which doesn't exist yet.
        try await until { !asked.items.isEmpty }
        #expect(try child(server, "web", folder, lines: 10).run() == "started\n")
        try await until { seen.items.count == 1 }
        try await server.restart()
        #expect(try child(server, "web", folder, lines: 20).run() == "started\n")
        try await until { seen.items.count == 2 }
        #expect(seen.items.allSatisfy { $0.hasPrefix("web@") && $0.contains("[INFO] work - web 7") })
        following.cancel()
        #expect(try await stored(server, query).count == 2)
        #expect(try await stored(server, LogQuery(text: "WITH another")).count == 2)
        #expect(try await stored(server, LogQuery(level: .error)).isEmpty)
    }

    @Test("The tool prints the stored lines that its options select")
    func tool() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        try folder.make()
        #expect(try child(server, "web", folder, lines: 20).run() == "started\n")
        func run(_ options: String...) throws -> [Substring] {
            try TestChild("ashlar", ["logs", "follow", "--fleet", server.url, "--stored"] + options).run()
                .split(separator: "\n")
        }
        let all = try run("--context", "work")
        #expect(all.count == 20 && all.allSatisfy { $0.hasPrefix("web@") && $0.contains(" work - web ") })
        #expect(try run("--field", "number=7", "--level", "info", "--context", "work").count == 1)
        #expect(try run("--text", "web 1", "--level", "error").isEmpty && run("--prefix", "other").isEmpty)
        server.kill()
        let failed = try TestChild("ashlar", ["logs", "follow", "--fleet", server.url, "--stored"])
        #expect(try failed.run() == "" && failed.process.terminationStatus == 1)
    }
}
