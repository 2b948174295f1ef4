import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarLogging

@Suite struct RetentionTests {
    private let now = SystemCalls.wallClock()
    private static let day: Int64 = 86_400_000_000_000

    @Test("The number of finished runs is limited")
    func count() throws {
        let folder = TemporaryFolder()
        for index in 1...8 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let system = TestSystem(in: folder) { $0.retention.runs = 3 }
        #expect(runs(folder).dropFirst().map(\.startedAt.nanoseconds) == [now - 1000, now - 2000, now - 3000])
        #expect(system.report.priorRun?.log == "[INFO] A - old\n")
    }

    @Test("Runs are removed by age and size, except the prior one")
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

    @Test("Live runs, other applications' runs and foreign files are never touched")
    func untouched() throws {
        let folder = TemporaryFolder()
        let start = try #require(ProcessIdentity.start(of: getppid()))
        try folder.makeRun(startedAt: now - 9000, pid: getppid(), processStart: start)
        try folder.makeRun(startedAt: now - 8000, pid: 1, application: "other", ending: .clean)
        for index in 1...4 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let foreign = ["notes.txt", "run-1.log", "run-0000000000000000001-1-0000.logx"]
        for name in foreign { try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        _ = TestSystem(in: folder) { $0.retention = LogRetention(runs: 1, bytes: 0, age: .zero) }
        let kept = runs(folder).dropFirst().map(\.startedAt.nanoseconds)
        #expect(kept == [now - 1000, now - 8000, now - 9000])
        for name in foreign { #expect(folder.names.contains(name)) }
    }

    @Test("A start removes a few of a thousand old runs, and the others in the background")
    func many() throws {
        let folder = TemporaryFolder()
        for index in 1...1000 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        let left = Mutex<[@Sendable () -> Void]>([])
        var retention = retention(folder, LogRetention())
        retention.inBackground = { work in
            left.withLock { $0.append(work) }
            return true
        }
        let listing = RunFolder(path: folder.path).runs()
        retention.apply(to: listing, now: now)
        // One is found surplus on the way to the limit, and the oldest go with it.
        #expect(runs(folder).count == 1000 - Retention.mostRemoved - 1)
        #expect(runs(folder).last?.startedAt.nanoseconds == now - 992_000)
        // During this, another start has nothing to do.
        retention.apply(to: listing, now: now)
        let work = left.withLock { $0 }
        #expect(work.count == 1)
        work[0]()
        #expect(runs(folder).map(\.startedAt.nanoseconds) == (1...5).map { now - $0 * 1000 })
        #expect(folder.names.count == 10)
    }

    @Test("Short-lived processes maintain the limits without background work")
    func shortLived() throws {
        let folder = TemporaryFolder()
        for index in 1...60 { try folder.makeRun(startedAt: now - Int64(index) * 1000, pid: 1, ending: .clean) }
        var retention = retention(folder, LogRetention())
        // Accepts the work and never performs it, each time in another process.
        retention.inBackground = { _ in true }
        for round in 0..<10 {
            let before = runs(folder).count
            Retention.forgetBackground(of: folder.path)
            retention.apply(to: RunFolder(path: folder.path).runs(), now: now)
            // One is found surplus on the way to the limit, and the oldest go with it.
            #expect(runs(folder).count == max(5, before - Retention.mostRemoved - 1), "round \(round)")
        }
        #expect(runs(folder).map(\.startedAt.nanoseconds) == (1...5).map { now - $0 * 1000 })
    }

    @Test("The removed runs are those that a model removes", arguments: 1...40 as ClosedRange<UInt64>)
    func model(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = TemporaryFolder()
        let alive = try #require(ProcessIdentity.start(of: getppid()))
        struct Old {
            var start: Int64
            var bytes: Int
            var isOurs: Bool
            var isRunning: Bool
        }
        var old: [Old] = []
        for index in 1...Int64.random(in: 1...60, using: &random) {
            let run = Old(
                start: now - index * Self.day / 4, bytes: .random(in: 1...2000, using: &random),
                isOurs: .random(in: 0..<5, using: &random) > 0, isRunning: .random(in: 0..<8, using: &random) == 0)
            old.append(run)
            try folder.makeRun(
                startedAt: run.start, pid: run.isRunning ? getppid() : 1, processStart: run.isRunning ? alive : 1,
                application: run.isOurs ? "test" : "other", ending: run.isRunning ? .running : .clean,
                log: String(repeating: "x", count: run.bytes))
        }
        let policy = LogRetention(
            runs: .random(in: 1...10, using: &random), bytes: .random(in: 0...12_000, using: &random),
            age: .seconds(86_400 * Int64.random(in: 0...12, using: &random)))
        let finished = old.filter { $0.isOurs && !$0.isRunning }
        var (kept, bytes) = (Set(old.filter { !$0.isOurs || $0.isRunning }.map(\.start)), 0)
        for (index, run) in finished.enumerated() {
            bytes += run.bytes
            let fits =
                index < policy.runs && bytes <= policy.bytes && run.start >= now - policy.age.clampedNanoseconds
            guard fits || index == 0 else { break }
            kept.insert(run.start)
            guard fits else { break }
        }
        var retention = retention(folder, policy)
        retention.prior = finished.first.map { RunName(startedAt: $0.start, processID: 1, tag: 0) }
        retention.inBackground = { work in
            work()
            return true
        }
        retention.apply(to: RunFolder(path: folder.path).runs(), now: now)
        #expect(Set(runs(folder).map(\.startedAt.nanoseconds)) == kept)
    }

    #if os(Linux) || os(macOS)
        @Test("After many concurrent starts, the next one brings the folder within its limits")
        func concurrentStarts() async {
            // Child processes of other tests would have the files of these runs open for a moment.
            await #expect(processExitsWith: .success) {
                let folder = TemporaryFolder()
                DispatchQueue.concurrentPerform(iterations: 40) { index in
                    let system = TestSystem(in: folder) { $0.retention.runs = 3 }
                    system.log().info("run \(index)")
                    // The prior run exists when the next one reports it, whatever the others remove.
                    system.shutdown()
                }
                // A start leaves work in the background to an earlier one that is at work there.
                folder.waitForRetention()
                let runs = RunFolder(path: folder.path).runs()
                let newest = try #require(EndedRuns(runs).finished(of: "test").first)
                let system = TestSystem(in: folder) { $0.retention.runs = 3 }
                folder.waitForRetention()
                #expect(system.report.priorRun?.startedAt == newest.startedAt)
                #expect(system.report.priorRun?.log.hasPrefix("[INFO] A - run ") == true)
                #expect(PriorRun.all(in: folder.path).count == 4)
            }
        }
    #endif

    #if os(Linux)
        @Test("A child process that has the files of an ended run open until its exec doesn't make the run live")
        func startingChild() async {
            await #expect(processExitsWith: .success) {
                let folder = TemporaryFolder()
                var descriptors: [Int32] = []
                do {
                    let system = TestSystem(in: folder)
                    system.log().info("line")
                    // A copy of a descriptor is what a forked child has.
                    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                        if target?.hasPrefix(folder.path) == true { descriptors.append(dup(Int32(name) ?? -1)) }
                    }
                    let run = try #require(RunFolder(path: folder.path).runs().first)
                    var pauses = 0
                    #expect(run.isRunning(run.state()) { pauses += 1 } && pauses == 0, "the run hasn't ended")
                    system.shutdown()
                }
                let run = try #require(RunFolder(path: folder.path).runs().first)
                #expect(descriptors.count >= 2)
                var pauses = 0
                #expect(run.isRunning(run.state()) { pauses += 1 } && pauses == 9, "the child stays")
                pauses = 0
                let isInUse = run.isInUse(run.state()) {
                    pauses += 1
                    for descriptor in descriptors { close(descriptor) }
                }
                #expect(!isInUse && pauses == 1, "the child has called exec")
                #expect(run.described().outcome == .clean && run.remove())
            }
        }
    #endif

    @Test("A run whose state file isn't written yet is not removed")
    func beginning() throws {
        let folder = TemporaryFolder()
        try folder.make()
        for (index, age) in [1000, 120 * 1_000_000_000].enumerated() {
            let name = RunName(startedAt: now - Int64(age), processID: 1, tag: UInt16(index))
            let path = "\(folder.path)/\(name.stateFile)"
            try Data().write(to: URL(fileURLWithPath: path))
            let changed = Date(timeIntervalSince1970: Double((now - Int64(age)) / 1_000_000_000))
            try FileManager.default.setAttributes([.modificationDate: changed], ofItemAtPath: path)
        }
        retention(folder, LogRetention(runs: 1, bytes: 0, age: .zero))
            .apply(to: RunFolder(path: folder.path).runs(), now: now)
        #expect(runs(folder).map(\.startedAt.nanoseconds) == [now - 1000])
    }

    @Test("After the clock was set back, runs are still ordered by their starts")
    func clockSetBack() throws {
        let folder = TemporaryFolder()
        let future = now + 400 * Self.day
        try folder.makeRun(startedAt: future, pid: 1, ending: .signal(11), log: "[INFO] A - before\n")
        // A run is removed only when no process can write late lines.
        do {
            let first = TestSystem(in: folder)
            #expect(first.report.priorRun?.log == "[INFO] A - before\n")
            #expect(first.report.priorRun?.outcome == .signalled(11))
            #expect(first.report.priorRun?.startedAt.nanoseconds == future)
            first.log().info("first")
            first.shutdown()
            let second = TestSystem(in: folder)
            #expect(second.report.priorRun?.log == "[INFO] A - first\n")
            // By the clock, not by the name, which had to sort after the first.
            #expect(try #require(second.report.priorRun).startedAt.nanoseconds < now + Self.day)
            second.shutdown()
        }
        #expect(runs(folder).map { $0.tail(bytes: 100) } == ["", "[INFO] A - first\n", "[INFO] A - before\n"])
        // Their ages are reported by the clock too; one whose clock began in 1970 is as old as its name.
        let names = RunFolder(path: folder.path).runs().map(\.name.startedAt)
        #expect(names == [future + 2, future + 1, future])
        #expect(RunFolder(path: folder.path).runs()[0].began(nil, now: now) == future + 2)
        retention(folder, LogRetention(age: .seconds(60))).apply(
            to: RunFolder(path: folder.path).runs(), now: now + 3600 * 1_000_000_000)
        #expect(runs(folder).isEmpty)
        let reset = TemporaryFolder()
        try reset.makeRun(startedAt: now - 1000, pid: 1, ending: .clean)
        let path: String
        do {
            let run = try RunIdentity.create(
                in: reset.path, application: "test", after: RunFolder(path: reset.path).runs().first?.name, now: 5)
            run.end(.clean, lines: 0)
            path = run.path(.segment(0))
        }
        try Data("[INFO] A - 1970\n".utf8).write(to: URL(fileURLWithPath: path))
        let third = TestSystem(in: reset)
        #expect(third.report.priorRun?.log == "[INFO] A - 1970\n")
        #expect(third.report.priorRun?.startedAt.nanoseconds == 5)
        #expect(runs(reset).count == 3)
    }

    @Test("Runs are listed newest first", arguments: [1, 7, 8, 9, 40, 300])
    func order(count: Int) throws {
        let folder = TemporaryFolder()
        try folder.make()
        var random = SeededRandom(seed: UInt64(count))
        var names: [RunName] = []
        for _ in 0..<count {
            let name = RunName(startedAt: .random(in: 1...20, using: &random), processID: 1, tag: .random(in: 0...999))
            if !names.contains(name) { names.append(name) }
            for part in [RunFile.Part.state, .segment(0), .segment(2)] {
                let path = "\(folder.path)/\(RunFile(run: name, part: part).name)"
                try Data().write(to: URL(fileURLWithPath: path))
            }
        }
        let listing = RunFolder(path: folder.path).runs()
        let sorted = names.sorted(by: >)
        #expect(listing.map(\.name) == sorted)
        func logs(of run: RunName) -> [String] {
            [RunFile.Part.segment(0), .segment(2)].map { "\(folder.path)/\(RunFile(run: run, part: $0).name)" }
        }
        #expect(listing.map(\.paths) == sorted.map(logs))
        let newest = RunFolder(path: folder.path).runs(newest: 5)
        #expect(newest.map(\.name) == Array(sorted.prefix(5)))
        #expect(newest.map(\.paths) == sorted.prefix(5).map(logs))
    }

    private func retention(_ folder: TemporaryFolder, _ policy: LogRetention) -> Retention {
        Retention(
            folder: RunFolder(path: folder.path), policy: policy, application: "test",
            own: RunName(startedAt: RunName.latestStart, processID: 1, tag: 0), prior: nil)
    }

    @Test("The next start cuts a mapped segment of a killed run at its last line")
    func repair() throws {
        let folder = TemporaryFolder()
        let log = "[INFO] A - one\n[INFO] A - two\n"
        try folder.makeRun(startedAt: now - 1000, pid: 1, log: log + "\0garbage" + String(repeating: "\0", count: 5000))
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

    @Test("An old run that ended late doesn't take younger ones with it")
    func longRun() throws {
        let folder = TemporaryFolder()
        let long = now - 20 * Self.day
        try folder.makeRun(startedAt: long, pid: 1, ending: .clean)
        let base = RunName(startedAt: long, processID: 1, tag: 0).base
        for end in [".state", ".log"] { setModified("\(folder.path)/\(base)\(end)", now - Self.day / 24) }
        for index in 1...3 { try folder.makeRun(startedAt: now - Int64(index) * Self.day, pid: 1, ending: .clean) }
        _ = TestSystem(in: folder)
        // The old one is the prior run.
        #expect(runs(folder).count == 5)
    }

    #if os(Linux)
        @Test("A state file with an impossible time doesn't end the process")
        func impossibleTime() throws {
            let folder = TemporaryFolder(in: "/dev/shm")
            let path = try folder.write("", to: RunName(startedAt: 5, processID: 1, tag: 0).stateFile)
            let time = timespec(tv_sec: .min, tv_nsec: 0)
            let result = [time, time].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
            #expect(result == 0)
            let system = TestSystem(in: folder)
            system.log().info("a")
            #expect(system.lines == ["[INFO] A - a"])
        }
    #endif
}
