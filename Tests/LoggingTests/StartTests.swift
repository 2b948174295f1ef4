import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct StartTests {
    @Test("Without a usable folder the log is stored in memory")
    func memory() throws {
        let none = TestSystem { $0.folder = nil }
        none.log().info("x")
        #expect(none.report.storage == .memory(0))
        #expect(none.live == "[INFO] A - x\n")
        let folder = TemporaryFolder()
        try folder.make()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let blocked = TestSystem { $0.folder = folder.path + "/file" }
        blocked.log().info("y")
        #expect(blocked.report.storage == .memory(ENOTDIR))
        #expect(blocked.report.priorRun == nil)
        #expect(blocked.report.notices.count == 1)
        #expect(blocked.live == "[INFO] A - y\n")
        for index in 0..<20_000 { blocked.log().info("line \(index) \(index)") }
        #expect(blocked.live.utf8.count <= 256 * 1024)
        #expect(blocked.live.hasSuffix("line 19999 19999\n"))
        #expect(blocked.counters.droppedByStorage > 0)
    }

    @Test("A start tries an unusable folder again, and writes the lines in memory")
    func folderBecomesUsable() throws {
        let folder = TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let system = TestSystem(in: folder)
        system.log().info("one")
        #expect(system.report.storage == .memory(ENOTDIR))
        #expect(system.pipeline.start(system.configuration).storage == .memory(ENOTDIR))
        system.log().info("two")
        try FileManager.default.removeItem(atPath: folder.path)
        let report = system.pipeline.start(system.configuration)
        guard case .file(let path) = report.storage else {
            Issue.record("still in memory: \(report)")
            return
        }
        system.log().info("three")
        let expected = "[INFO] A - one\n[INFO] A - two\n[INFO] A - three\n"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == expected)
        #expect(report.notices.isEmpty)
    }

    @Test("A second start changes the settings; with another folder, a new run begins and the old one ends cleanly")
    func restart() {
        let system = TestSystem()
        system.log().info("one")
        var configuration = LogConfiguration(folder: system.folder.path, threshold: .error, sinks: [])
        configuration.format = .myLogger
        configuration.readsEnvironment = false
        let again = system.pipeline.start(configuration)
        #expect(again.storage == system.report.storage)
        system.log().info("hidden")
        system.log().error("two")
        #expect(system.lines == ["[INFO] A - one", "[ERROR] A - two"])
        let other = TemporaryFolder()
        configuration.folder = other.path
        #expect(system.pipeline.start(configuration).storage != system.report.storage)
        system.log().error("three")
        #expect(system.lines == ["[ERROR] A - three"])
        #expect(PriorRun.all(in: system.folder.path).map(\.outcome) == [.clean])
        #expect(PriorRun.all(in: other.path).map(\.outcome) == [.stillRunning])
    }

    @Test("The sinks and closures of an earlier start are released without a lock")
    func releasedSinks() {
        let system = TestSystem()
        let released = Counter()
        @Sendable func reader() -> OnRelease {
            OnRelease { [pipeline = system.pipeline] in
                _ = pipeline.report
                released.next()
            }
        }
        var configuration = system.configuration
        configuration.sinks = [ClosureSink { [reader = reader()] _ in withExtendedLifetime(reader) { true } }]
        configuration.fieldProvider = { [reader = reader()] in withExtendedLifetime(reader) { [:] } }
        system.shutdown()
        _ = system.pipeline.start(configuration)
        configuration = system.configuration
        system.shutdown()
        _ = system.pipeline.start(configuration)
        #expect(released.value == 2)
    }

    @Test("A start writes earlier lines; late ones are marked")
    func earlyAndLate() {
        let folder = TemporaryFolder()
        let pipeline = LogPipeline()
        pipeline.format = .myLogger
        let log = Log("A", pipeline: pipeline)
        log.info("early", ["k": 1])
        log.debug("below the default threshold")
        #expect(String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self) == "[INFO] A - early k=1\n")
        var configuration = LogConfiguration(folder: folder.path, sinks: [])
        configuration.format = .myLogger
        configuration.readsEnvironment = false
        #expect(pipeline.start(configuration).earlyLines == 1)
        log.info("then")
        pipeline.shutdown()
        log.info("late")
        let live = String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self)
        #expect(live == "[INFO] A - early k=1\n[INFO] A - then\n[INFO] A - late late=true\n")
        #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.clean])
    }

    @Test("Before the start, lines go to the early sinks at once, and later to sinks that print elsewhere")
    func earlySinks() {
        let (early, later) = (RecordingSink(), RecordingSink())
        let pipeline = LogPipeline(earlySinks: [early])
        let log = Log("A", pipeline: pipeline)
        log.error("bad")
        log.debug("below the default threshold")
        #expect(early.records.map(\.message) == ["bad"])
        let printing: [any LogSink] = [
            StandardErrorSink(), .console, StandardErrorSink().queued(),
            StandardErrorSink().filtered(by: LogThresholds()),
        ]
        #expect(printing.allSatisfy(\.isStandardErrorPrinter) && !later.isStandardErrorPrinter)
        #expect(!later.queued().isStandardErrorPrinter)
        var configuration = LogConfiguration(sinks: [later, StandardErrorSink(threshold: .unrecoverable)])
        configuration.readsEnvironment = false
        #expect(pipeline.start(configuration).earlyLines == 1)
        log.info("then")
        #expect(later.records.map(\.message) == ["bad", "then"])
        #expect(early.records == [later.records[0]], "the whole line is the same")
    }

    @Test("Early lines beyond 64 KiB are dropped, the oldest first, and counted")
    func earlyOverflow() {
        let pipeline = LogPipeline()
        pipeline.format = .myLogger
        let log = Log("A", pipeline: pipeline)
        for index in 1...1000 { log.info("line \(index)") }
        let dropped = pipeline.readCounters().droppedEarly
        #expect(dropped > 0)
        var configuration = LogConfiguration(sinks: [])
        configuration.format = .myLogger
        configuration.readsEnvironment = false
        #expect(pipeline.start(configuration).earlyLines == 1000 - dropped)
        let live = String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self)
        let notice = "[WARNING] AshlarLogging - \(dropped) lines lost: the memory for lines before the start was full\n"
        #expect(live.hasPrefix("\(notice)[INFO] A - line \(dropped + 1)\n"))
        #expect(live.hasSuffix("line 1000\n"))
    }

    @Test("Early public fields stay public, unless the start adds names of secrets", arguments: [false, true])
    func earlyPublic(hasNewSecrets: Bool) {
        let pipeline = LogPipeline()
        Log("A", pipeline: pipeline).info("early", ["token": .public("known")])
        var configuration = LogConfiguration(sinks: [])
        configuration.format = .myLogger
        configuration.readsEnvironment = false
        if hasNewSecrets { configuration.additionalSecrets = ["codename"] }
        _ = pipeline.start(configuration)
        let value = hasNewSecrets ? "<redacted>" : "known"
        #expect(String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self) == "[INFO] A - early token=\(value)\n")
    }

    @Test("Lines logged while the log moves into its folder aren't lost", .timeLimit(.minutes(5)))
    func concurrentMove() throws {
        for _ in 0..<20 {
            let folder = TemporaryFolder()
            try Data().write(to: URL(fileURLWithPath: folder.path))
            let system = TestSystem(in: folder)
            for index in 0..<2000 { system.log().info("before \(index)") }
            try FileManager.default.removeItem(atPath: folder.path)
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 {
                    _ = system.pipeline.start(system.configuration)
                } else {
                    for index in 0..<3000 { system.log().info("during \(index)") }
                }
            }
            #expect(system.lines.count == 5000)
        }
    }

    @Test("Nested early fields are hidden by names that the start adds")
    func earlyNested() {
        let pipeline = LogPipeline()
        Log("A", pipeline: pipeline).info(
            "early", ["user": ["pseudonym": "falcon99"], "all": [["pseudonym": "falcon99"]]])
        var configuration = LogConfiguration(sinks: [])
        configuration.readsEnvironment = false
        configuration.additionalSecrets = ["pseudonym"]
        _ = pipeline.start(configuration)
        let log = String(decoding: pipeline.liveBytes(limit: nil), as: UTF8.self)
        #expect(log.contains("early") && !log.contains("falcon99"))
    }
}
