import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct SegmentTests {
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
            system.log().info("\(text)")
            expected += "[INFO] A - \(text)\n"
        }
        #expect(system.live == expected)
        system.flush(sync: true)
        system.shutdown()
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
        system.shutdown()
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
        system.log().info("\(long)")
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
        for line in lines { system.log().info("\(line)") }
        system.flush(sync: true)
        #expect(try system.file() == lines.map { "[INFO] A - \($0)\n" }.joined())
        #expect(try system.file().utf8.count == 4096)
        system.log().info("next")
        system.flush(sync: false)
        #expect(try system.file(.segment(1)).hasPrefix("[INFO] A - next\n"))
        let tail = system.liveTail(bytes: 16 + 2 * 64)
        #expect(tail == "[INFO] A - \(lines[62])\n[INFO] A - \(lines[63])\n[INFO] A - next\n")
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

    #if os(Linux)
        @Test("Signal handlers use one descriptor for all mapped segments")
        func handlerDescriptor() async {
            await #expect(processExitsWith: .success) {
                let folder = TemporaryFolder()
                var configuration = LogConfiguration(folder: folder.path, sinks: [])
                configuration.mode = .mapped
                configuration.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
                try #require(LogSystem.start(configuration).mode == .mapped)
                for _ in 0..<20 {
                    #expect(LogSystem.signalSafe("handler"))
                    Log("A").info("\(String(repeating: "x", count: 3000))")
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
                }
                #expect(files.filter { $0.contains(".child") }.count == 1)
            }
        }
    #endif
}
