import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

let modes: [LogStorageMode] = [.writeThrough, .mapped, .buffered(bytes: 4096, milliseconds: 20)]

@Suite struct StoreTests {
    @Test(
        "A released pipeline releases its store",
        arguments: [LogStorageMode.writeThrough, .mapped, .buffered(bytes: 4096, milliseconds: 10)])
    func release(mode: LogStorageMode) {
        weak var released: LogPipeline?
        do {
            let system = TestSystem { $0.mode = mode }
            system.log().info("x")
            released = system.pipeline
            system.pipeline.shutdown()
        }
        #expect(released == nil)
    }

    @Test("A line is in the file when the call returns", arguments: [LogStorageMode.writeThrough, .mapped])
    func atOnce(mode: LogStorageMode) throws {
        let system = TestSystem { $0.mode = mode }
        #expect(system.report.mode == mode)
        for index in 1...5 {
            system.log().info("line \(index)")
            let text = try system.file()
            #expect(text.prefix { $0 != "\0" } == (1...index).map { "[INFO] A - line \($0)\n" }.joined())
        }
    }

    @Test("Buffered lines are written if they are many, old or critical")
    func buffered() throws {
        let system = TestSystem { $0.mode = .buffered(bytes: 100, milliseconds: 10_000) }
        system.log().info("one")
        #expect(try system.file().isEmpty)
        system.log().critical("two")
        #expect(try system.file() == "[INFO] A - one\n[CRITICAL] A - two\n")
        for index in 1...10 { system.log().info("line \(index)") }
        let held = try system.live.utf8.count - system.file().utf8.count
        #expect(held <= 100)
        let quick = TestSystem { $0.mode = .buffered(bytes: 100_000, milliseconds: 5) }
        let written = DispatchSemaphore(value: 0)
        try #require(quick.pipeline.settings.store as? BufferedStore).whenWritten { written.signal() }
        quick.log().info("soon")
        written.wait()
        #expect(try quick.file() == "[INFO] A - soon\n")
    }

    @Test("The log is the same in all modes, and its tail has whole lines", arguments: modes)
    func liveLog(mode: LogStorageMode) {
        let system = TestSystem { $0.mode = mode }
        for index in 1...100 { system.log().info("line \(index)") }
        let all = (1...100).map { "[INFO] A - line \($0)\n" }.joined()
        #expect(system.live == all)
        func tail(_ bytes: Int) -> String { String(decoding: system.pipeline.liveBytes(limit: bytes), as: UTF8.self) }
        #expect(tail(100_000) == all)
        #expect(tail(21) == "[INFO] A - line 100\n")
        #expect(tail(20) == "[INFO] A - line 100\n")
        #expect(tail(19).isEmpty)
        #expect(tail(0).isEmpty)
        #expect(tail(41) == "[INFO] A - line 99\n[INFO] A - line 100\n" || tail(41) == "[INFO] A - line 100\n")
    }

    @Test("Segments continue without splitting or losing a line", arguments: modes)
    func rotation(mode: LogStorageMode) throws {
        var random = SeededRandom(seed: 5)
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 8192, runBytes: 1 << 20)
        }
        var expected = ""
        for index in 1...3000 {
            let text = "\(index) " + String(repeating: "y", count: Int.random(in: 0...120, using: &random))
            system.log().info(text)
            expected += "[INFO] A - \(text)\n"
        }
        #expect(system.live == expected)
        _ = system.pipeline.flush(sync: true)
        system.pipeline.shutdown()
        let segments = system.folder.names.filter { $0.hasSuffix(".log") }
        #expect(segments.count > 20)
        for name in segments {
            let bytes = try #require(FileManager.default.contents(atPath: "\(system.folder.path)/\(name)"))
            #expect(bytes.count <= 8192)
            #expect(bytes.isEmpty || bytes.last == 10)
            #expect(bytes.starts(with: Data("[INFO]".utf8)) || bytes.isEmpty)
        }
        #expect(system.live == expected)
    }

    @Test("A run retains its first segment and the newest ones", arguments: modes)
    func runLimit(mode: LogStorageMode) throws {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 8192, runBytes: 32768)
        }
        for index in 1...10_000 { system.log().info("line \(index)") }
        system.pipeline.shutdown()
        let live = system.live
        #expect(live.hasPrefix("[INFO] A - line 1\n"))
        #expect(live.hasSuffix("[INFO] A - line 10000\n"))
        #expect(live.contains("\n... [segments "))
        #expect(live.contains(" were removed: the run is too long] ...\n"))
        let run = try #require(PriorRun.all(in: system.folder.path).first)
        #expect(run.log == live)
        #expect(system.counters.removedSegments > 10)
        let total = system.folder.names.reduce(0) {
            $0
                + ((try? FileManager.default.attributesOfItem(atPath: "\(system.folder.path)/\($1)")[.size] as? Int)
                    ?? 0)
        }
        #expect(total <= 32768 + 128)
    }

    @Test("A line longer than a segment has its own segment", arguments: modes)
    func longLine(mode: LogStorageMode) {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        let long = String(repeating: "z", count: 20_000)
        system.log().info("before")
        system.log().info(long)
        system.log().info("after")
        #expect(system.live == "[INFO] A - before\n[INFO] A - \(long)\n[INFO] A - after\n")
    }

    @Test("Lines that fill a segment exactly stay in it, and the tail crosses segments", arguments: modes)
    func exactFit(mode: LogStorageMode) throws {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        let lines = (0..<64).map { "\(1000 + $0) " + String(repeating: "x", count: 47) }
        for line in lines { system.log().info(line) }
        _ = system.pipeline.flush(sync: true)
        #expect(try system.file() == lines.map { "[INFO] A - \($0)\n" }.joined())
        #expect(try system.file().utf8.count == 4096)
        system.log().info("next")
        _ = system.pipeline.flush(sync: false)
        #expect(try system.file(.segment(1)).hasPrefix("[INFO] A - next\n"))
        let tail = String(decoding: system.pipeline.liveBytes(limit: 16 + 2 * 64), as: UTF8.self)
        #expect(tail == "[INFO] A - \(lines[62])\n[INFO] A - \(lines[63])\n[INFO] A - next\n")
    }

    @Test("Impossible limits are corrected, and lines are stored", arguments: modes)
    func senselessLimits(mode: LogStorageMode) {
        for limit in [Int.min, -1, 0, 1, 4097, .max] where mode != .mapped || limit != .max {
            let change: (inout LogConfiguration) -> Void = {
                $0.mode = mode
                ($0.rotation.segmentBytes, $0.rotation.runBytes, $0.maximumLineBytes) = (limit, limit, limit)
                $0.retention.runs = limit
                ($0.retention.bytes, $0.retention.age) = (limit, .seconds(Int64(limit)))
            }
            let system = TestSystem(change)
            for index in 0..<300 { system.log().info("line \(index)") }
            #expect(system.lines.last == "[INFO] A - line 299", "\(limit)")
            for _ in 0..<2 { system.pipeline.shutdown() }
            system.log().info("late")
            #expect(
                TestSystem(in: system.folder, change).report.priorRun?.tail(bytes: 30) == "[INFO] A - late late=true\n")
        }
        for limit in [Int.min, 0, .max] {
            #expect(LogRotation(segmentBytes: limit, runBytes: limit).segmentBytes >= 4096)
            #expect(MemorySink(bytes: limit).log.isEmpty)
        }
        for limit in [LogRateLimit.lines(0, per: .zero), .lines(-5, per: .seconds(Int64.min)), .oneOf(0), .oneOf(.max)]
        {
            let system = TestSystem { $0.rateLimit = limit }
            for index in 0..<5 { system.log().info("i \(index)").error("e \(index)") }
            #expect(system.lines.first == "[INFO] A - i 0")
            #expect(system.lines.count { $0.hasPrefix("[ERROR]") } == 5)
        }
    }

    @Test("Concurrent logging, flushing, reading and shutdown lose no line", arguments: modes)
    func everythingAtOnce(mode: LogStorageMode) {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            for index in 0..<300 {
                system.log("T\(thread)").info("\(index)")
                if index % 10 == 0 { _ = system.pipeline.flush(sync: index % 100 == 0) }
                if index % 50 == 0 { _ = system.pipeline.liveBytes(limit: 500) }
                if index == 150, thread == 0 { system.pipeline.shutdown() }
            }
        }
        #expect(system.lines.count == 1800)
    }

    @Test("A shutdown while threads wait for the next segment loses no line")
    func shutdownAmongWaiting() {
        for round in 0..<60 {
            let system = TestSystem {
                $0.mode = .mapped
                $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
            }
            DispatchQueue.concurrentPerform(iterations: 5) { thread in
                for index in 0..<100 {
                    if thread == 0, index == 40 + round % 20 { system.pipeline.shutdown() }
                    system.log("T\(thread)").info("\(index)", ["padding": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"])
                }
            }
            #expect(system.lines.count == 500, "round \(round)")
        }
    }

    @Test("Segments also end after the interval", arguments: [LogStorageMode.writeThrough, .mapped])
    func interval(mode: LogStorageMode) {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, interval: .zero)
        }
        for index in 1...3 { system.log().info("line \(index)") }
        #expect(system.folder.names.count { $0.hasSuffix(".log") } == 3)
        #expect(system.lines == (1...3).map { "[INFO] A - line \($0)" })
    }

    @Test("An enormous interval is no interval", arguments: [LogStorageMode.writeThrough, .mapped])
    func endlessInterval(mode: LogStorageMode) {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(interval: .seconds(Int64.max))
            $0.retention.age = .seconds(Int64.max)
        }
        for index in 1...3 { system.log().info("line \(index)") }
        #expect(system.folder.names.count { $0.hasSuffix(".log") } == 1)
    }

    @Test(
        "Concurrent threads neither lose nor mix lines, and the lines of each are in order", .timeLimit(.minutes(5)),
        arguments: modes)
    func threads(mode: LogStorageMode) throws {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 1 << 20, runBytes: 1 << 30)
        }
        let (threads, count) = (8, isSoak ? 50_000 : 1500)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let log = system.log("T\(thread)")
            for index in 1...count { log.info("line \(index) \(index * 7919) end") }
        }
        var last = [Int](repeating: 0, count: threads)
        for line in system.lines {
            let parts = try #require(line.wholeMatch(of: /\[INFO\] T(\d) - line (\d+) (\d+) end/), "\(line)")
            let (thread, index) = (try #require(Int(parts.1)), try #require(Int(parts.2)))
            #expect(index == last[thread] + 1)
            #expect(parts.3 == "\(index * 7919)")
            last[thread] = index
        }
        #expect(last.allSatisfy { $0 == count })
    }

    @Test("Threads that wait for the file share one write, each line once", .timeLimit(.minutes(5)))
    func groupCommit() throws {
        let system = TestSystem()
        let store = try #require(system.pipeline.settings.store as? AppendingStore)
        let (writer, done) = (store.forkLocks[0], DispatchSemaphore(value: 0))
        let queued = DispatchSemaphore(value: 0)
        for round in 1...20 {
            let before = system.lines.count
            writer.lock()
            store.whenQueued.withLock { $0 = { queued.signal() } }
            for thread in 1...4 {
                Thread.detachNewThread {
                    system.log("T\(thread)").info("round \(round)")
                    done.signal()
                }
            }
            for _ in 1...4 { queued.wait() }
            #expect(store.waitingLines == 4)
            writer.unlock()
            for _ in 1...4 { done.wait() }
            store.whenQueued.withLock { $0 = nil }
            #expect(store.waitingLines == 0)
            #expect(
                Set(system.lines.dropFirst(before)) == Set((1...4).map { "[INFO] T\($0) - round \(round)" }))
            // A single thread doesn't wait for the earlier ones.
            system.log().info("alone")
            #expect(system.lines.count == before + 5)
        }
    }

    @Test("Folder and files are for the owner only")
    func permissions() throws {
        let folder = TemporaryFolder()
        let nested = folder.path + "/a/b"
        let system = TestSystem { $0.folder = nested }
        system.log().info("x")
        let manager = FileManager.default
        #expect(try manager.attributesOfItem(atPath: nested)[.posixPermissions] as? Int == 0o700)
        for name in try manager.contentsOfDirectory(atPath: nested) {
            #expect(try manager.attributesOfItem(atPath: "\(nested)/\(name)")[.posixPermissions] as? Int == 0o600)
        }
    }

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
        #expect(live.hasPrefix("[INFO] A - line \(dropped + 1)\n"))
        #expect(live.hasSuffix("line 1000\n"))
    }
}
