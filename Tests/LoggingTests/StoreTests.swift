import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

let modes: [LogStorageMode] = [.writeThrough, .mapped]

@Suite struct StoreTests {
    @Test("A released pipeline releases its store", arguments: modes)
    func release(mode: LogStorageMode) {
        weak var released: LogPipeline?
        do {
            let system = TestSystem { $0.mode = mode }
            system.log().info("x")
            released = system.pipeline
            system.shutdown()
        }
        #expect(released == nil)
    }

    @Test("A line is in the file when the call returns", arguments: modes)
    func atOnce(mode: LogStorageMode) throws {
        let system = TestSystem { $0.mode = mode }
        #expect(system.report.mode == mode)
        for index in 1...5 {
            system.log().info("line \(index)")
            let text = try system.file()
            #expect(text.prefix { $0 != "\0" } == (1...index).map { "[INFO] A - line \($0)\n" }.joined())
        }
    }

    @Test("The log is the same in all modes, and its tail has whole lines", arguments: modes)
    func liveLog(mode: LogStorageMode) {
        let system = TestSystem { $0.mode = mode }
        for index in 1...100 { system.log().info("line \(index)") }
        let all = (1...100).map { "[INFO] A - line \($0)\n" }.joined()
        #expect(system.live == all)
        func tail(_ bytes: Int) -> String { system.liveTail(bytes: bytes) }
        #expect(tail(100_000) == all)
        #expect(tail(21) == "[INFO] A - line 100\n")
        #expect(tail(20) == "[INFO] A - line 100\n")
        #expect(tail(19).isEmpty)
        #expect(tail(0).isEmpty)
        #expect(tail(41) == "[INFO] A - line 99\n[INFO] A - line 100\n")
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
            for _ in 0..<2 { system.shutdown() }
            system.log().info("late")
            #expect(
                TestSystem(in: system.folder, change).report.priorRun?.tail(bytes: 30) == "[INFO] A - late late=true\n")
        }
        for limit in [Int.min, 0, .max] {
            #expect(LogRotation(segmentBytes: limit, runBytes: limit).segmentBytes >= 4096)
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
                if index % 10 == 0 { system.flush(sync: index % 100 == 0) }
                if index % 50 == 0 { _ = system.pipeline.liveBytes(limit: 500) }
                if index == 150, thread == 0 { system.shutdown() }
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
                    if thread == 0, index == 40 + round % 20 { system.shutdown() }
                    system.log("T\(thread)").info("\(index)", ["padding": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"])
                }
            }
            #expect(system.lines.count == 500, "round \(round)")
        }
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
            let words = line.split(separator: " ")
            let thread = try #require(words.count > 1 ? Int(words[1].dropFirst()) : nil, "\(line)")
            try #require(last.indices.contains(thread), "\(line)")
            last[thread] += 1
            let index = last[thread]
            try #require(line == "[INFO] T\(thread) - line \(index) \(index * 7919) end")
        }
        #expect(last.allSatisfy { $0 == count })
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
}
