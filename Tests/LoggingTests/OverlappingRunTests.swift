import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// Which run a start reports, and which runs it removes, when runs overlap.
@Suite struct OverlappingRunTests {
    @Test(
        "A process that is killed after others started and ended beside it is reported with all its lines",
        .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"])
    func longRun(mode: String) throws {
        let folder = TemporaryFolder()
        let long = try TestChild("forever", folder.path, ["mode=\(mode)", "throttle", "silent"])
        try long.process.run()
        var output = long.firstLine()
        for _ in 0..<8 { _ = try TestChild("write", folder.path, ["count=1"]).run() }
        kill(long.process.processIdentifier, SIGKILL)
        output += long.finish()
        let acknowledged = try #require(output.split(separator: "\n").last.flatMap { Int($0) })
        let answer = try TestChild("prior", folder.path).run()
        #expect(answer.hasPrefix("unclean "), "\(answer.prefix(100))")
        #expect(answer.split(separator: "\n").count { $0.contains("] Kill - line ") } >= acknowledged)
        // It was reported, so the run that reports nothing else is followed by the newest one with lines.
        _ = try TestChild("write", folder.path, ["count=1"]).run()
        #expect(try TestChild("prior", folder.path).run().hasPrefix("clean "))
    }

    @Test("Room on a full disk is made by removing runs, but none whose failure no start has reported")
    func makeRoom() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, ending: .signal(11))
        try folder.makeRun(startedAt: 6, pid: 0x7FFF_FFF1, ending: .clean)
        let retention = Retention(
            folder: RunFolder(path: folder.path), policy: LogRetention(), application: "test",
            own: RunName(startedAt: RunName.latestStart, processID: 1, tag: 0))
        for _ in 0..<3 { retention.makeRoom() }
        #expect(PriorRun.all(in: folder.path).map(\.startedAt.nanoseconds) == [5])
        #expect(RunFolder(path: folder.path).runs()[0].markReported())
        #expect(!RunFolder(path: folder.path).runs()[0].markReported())
        retention.makeRoom()
        #expect(folder.names.isEmpty)
    }

    @Test("A run ended when its state file says, or with its last write, but not before its start or in the future")
    func ends() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: 1000, pid: 1)
        let run = try #require(RunFolder(path: folder.path).runs().first)
        for path in run.paths { setModified(path, 5000) }
        var state = try #require(run.state())
        for (time, end) in [(3000, 3000), (0, 5000), (999, 1000), (.max, 1000)] as [(Int64, Int64)] {
            state.endedAt = time
            #expect(run.ended(state) == end, "\(time)")
        }
        #expect(run.ended(nil) == 5000)
    }

    // Elsewhere, a run of this process is running until the process ends.
    #if os(Linux)
        @Test("Starts report and retain the runs that a model does", .timeLimit(.minutes(5)))
        func model() async {
            // Child processes of other tests would have the files of these runs open for a moment.
            await #expect(processExitsWith: .success) {
                for seed in UInt64(1)...60 {
                    for mode in modes {
                        var model = OverlappingRuns(seed: seed, mode: mode)
                        try model.run()
                    }
                }
            }
        }
    #endif
}

/// Runs that start, log and end in random order, and what is expected of each start.
private struct OverlappingRuns {
    private struct Run {
        let name: RunName
        let system: TestSystem
        var log = ""
    }

    private struct EndedRun {
        let name: RunName
        let log: String
        let hasFailed: Bool
        var isReported = false
    }

    private let seed: UInt64
    private let mode: LogStorageMode
    private var random: SeededRandom
    private let folder = TemporaryFolder()
    /// The number of retained runs.
    private let limit: Int
    private var living: [Run] = []
    /// The finished runs by their ends, the newest first.
    private var ended: [EndedRun] = []

    init(seed: UInt64, mode: LogStorageMode) {
        self.seed = seed
        self.mode = mode
        random = SeededRandom(seed: seed)
        limit = .random(in: 1...5, using: &random)
    }

    mutating func run() throws {
        var waiting = Int.random(in: 1...20, using: &random)
        while waiting > 0 || !living.isEmpty {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where waiting > 0:
                waiting -= 1
                try start()
            case 1 where !living.isEmpty: log()
            case 2 where !living.isEmpty: end(bySignal: .random(using: &random))
            default: break
            }
        }
        try start()
    }

    private mutating func start() throws {
        let expected =
            ended.firstIndex { $0.hasFailed && !$0.isReported }
            ?? ended.firstIndex { $0.hasFailed || !$0.log.isEmpty } ?? ended.indices.first
        let system = TestSystem(in: folder) {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096)
            $0.retention.runs = limit
        }
        folder.waitForRetention()
        let prior = system.report.priorRun
        let state = "seed \(seed), \(mode), \(ended.count) ended, \(living.count) living"
        try #require(prior?.run.name == expected.map { ended[$0].name }, "\(state)")
        try #require(prior?.log == expected.map { ended[$0].log }, "\(state)")
        if let expected { ended[expected].isReported = true }
        ended = ended.enumerated().filter { index, run in
            index < limit || index == expected || run.hasFailed && !run.isReported
        }.map(\.element)
        let present = PriorRun.all(in: folder.path).filter { $0.outcome != .stillRunning }
        try #require(Set(present.map(\.baseName)) == Set(ended.map(\.name.base)), "\(state)")
        living.append(Run(name: try #require(system.report.run).name, system: system))
    }

    private mutating func log() {
        let index = living.indices.randomElement(using: &random) ?? 0
        living[index].system.log().info("\(living[index].name.base)")
        living[index].log += "[INFO] A - \(living[index].name.base)\n"
    }

    /// Ends a run; one that isn't shut down has files like those of a killed process.
    private mutating func end(bySignal: Bool) {
        let run = living.remove(at: living.indices.randomElement(using: &random) ?? 0)
        ended.insert(EndedRun(name: run.name, log: run.log, hasFailed: bySignal), at: 0)
        if bySignal {
            // Its last write is now. The kernel's time of a write is up to 10 ms old, so runs would seem to end together.
            for name in folder.names where name.hasPrefix(run.name.base) {
                setModified(folder.file(name), SystemCalls.wallClock())
            }
        } else {
            run.system.shutdown()
        }
    }
}
