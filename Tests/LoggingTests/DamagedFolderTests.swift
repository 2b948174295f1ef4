import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

#if canImport(Glibc)
    import Glibc
#endif

/// Folders that a power cut, another program or another process has damaged.
@Suite struct DamagedFolderTests {
    private static let line = "[INFO] A - line\n"

    @Test("A zeroed block inside a prior run is retained and marked, zeros at the end are removed", arguments: modes)
    func innerHole(mode: LogStorageMode) throws {
        let folder = TemporaryFolder()
        let half = String(repeating: Self.line, count: 500)
        let hole = String(repeating: "\0", count: 4096)
        try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, log: half + hole + half + hole)
        let system = TestSystem(in: folder) { $0.mode = mode }
        let prior = try #require(system.report.priorRun)
        #expect(prior.log == half + "[4,096 bytes lost]\n" + half)
        #expect(prior.log.utf8.count { $0 == 10 } == 1001)
        let size = try #require(FileStatus(prior.files[0])?.size)
        #expect(size == Int64((half + hole + half).utf8.count))
    }

    @Test(
        "An unfinished last line is removed with the zeros at its start, a lost block before a line is marked",
        arguments: [1, 2, 7, 8, 12, 100, 4095, 4096],
        ["fragment", "rest of a line\n", "rest\n  | continued\n", "rest\0\0with a gap\n"])
    func unfinishedLine(zeros: Int, rest: String) throws {
        let start = String(repeating: "\0", count: zeros)
        for lines in ["", Self.line, Self.line + Self.line] {
            let folder = TemporaryFolder()
            let free = String(repeating: "\0", count: 5000)
            try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, log: lines + start + rest + free)
            let prior = try #require(TestSystem(in: folder).report.priorRun)
            let shown = rest.replacingOccurrences(of: "\0", with: "\\x00")
            #expect(prior.log == (zeros < 4096 ? lines : lines + "[4,096 bytes lost]\n" + shown))
        }
    }

    @Test("A zero byte in the text of a signal handler doesn't hide lines")
    func zeroInSignalText() throws {
        let folder = TemporaryFolder()
        let answer = try TestChild("handler", folder.path, ["zero"]).run()
        #expect(answer.contains("behind"), "\(answer)")
    }

    @Test(
        "Under a file-size limit, mapped mode falls back to plain writes and the process lives",
        .timeLimit(.minutes(5)), arguments: [64 * 1024, 100 * 1024, 300 * 1024])
    func mappedUnderLimit(limit: Int) throws {
        let folder = TemporaryFolder()
        let answer = try TestChild("limit", folder.path, ["mode=mapped", "limit=\(limit)"]).run()
        #expect(answer.hasPrefix("alive 2000 0"), "limit \(limit): \(answer)")
    }

    @Test(
        "A live run without its state file is neither truncated nor deleted", .timeLimit(.minutes(15)),
        arguments: ["mapped", "writeThrough"])
    func liveSibling(mode: String) throws {
        let folder = TemporaryFolder()
        let child = try TestChild("forever", folder.path, ["mode=\(mode)", "application=test"])
        try child.process.run()
        var output = child.firstLine()
        #expect(!output.isEmpty)
        let state = try #require(folder.names.first { $0.hasSuffix(".state") })
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(state)")
        for _ in 0..<8 {
            let system = TestSystem(in: folder) { $0.retention = LogRetention(runs: 1, bytes: 0, age: .zero) }
            system.log().info("sibling")
            system.shutdown()
        }
        #expect(child.process.isRunning)
        folder.waitForRetention()
        // A loaded machine can delay the child's first acknowledgment.
        while child.process.isRunning, output.split(separator: "\n").last.flatMap({ Int($0) }) == nil {
            output += child.firstLine()
        }
        let live = try #require(PriorRun.all(in: folder.path).first { $0.processID == child.process.processIdentifier })
        #expect(live.outcome == .stillRunning)
        kill(child.process.processIdentifier, SIGKILL)
        output += child.finish()
        let acknowledged = output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
        #expect(child.process.terminationStatus == SIGKILL)
        let lines = live.log.split(separator: "\n").count
        #expect(acknowledged > 0 && lines >= acknowledged, "\(acknowledged) acknowledged, \(lines) in the log")
    }

    @Test(
        "A run that continued in new files after the folder was listed is running, without its state file too",
        arguments: modes)
    func staleListing(mode: LogStorageMode) throws {
        let folder = TemporaryFolder()
        let system = TestSystem(in: folder) {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        let log = system.log()
        func fill() {
            for index in 0..<4000 { log.info("line \(index)") }
            system.flush(sync: false)
        }
        fill()
        let stale = RunFolder(path: folder.path).runs()
        fill()
        try #require(stale[0].paths.count < RunFolder(path: folder.path).runs()[0].paths.count)
        try FileManager.default.removeItem(atPath: folder.path + "/" + stale[0].name.stateFile)
        #expect(stale[0].outcome(nil) == .stillRunning)
        system.shutdown()
    }

    @Test(
        "A FIFO instead of a file blocks neither a start nor a reader", .timeLimit(.minutes(5)),
        arguments: ["state", "log", "1.log", "child7.log"])
    func fifo(part: String) throws {
        let folder = TemporaryFolder()
        let now = SystemCalls.wallClock()
        try folder.makeRun(startedAt: now - 2000, pid: 0x7FFF_FFF0, application: "child")
        let name = RunName(startedAt: now - 1000, processID: 0x7FFF_FFF0, tag: 0)
        let path = "\(folder.path)/\(name.base).\(part)"
        try #require(mkfifo(path, 0o600) == 0)
        let answer = try TestChild("prior", folder.path).run()
        #expect(answer.contains("[INFO] A - old"), "\(answer)")
        #expect(PriorRun.all(in: folder.path).map(\.log).contains("[INFO] A - old\n"))
    }

    @Test(
        "A folder that others can write to causes a notice", .disabled(if: getuid() != 0, "needs another user's folder")
    )
    func foreignFolder() throws {
        let folder = TemporaryFolder()
        try folder.make()
        try #require(chown(folder.path, 12345, 12345) == 0)
        try #require(chmod(folder.path, 0o777) == 0)
        let notices = TestSystem(in: folder).report.notices
        #expect(notices == ["\(folder.path): other users can write to this folder"])
        try #require(chmod(folder.path, 0o755) == 0)
        #expect(TestSystem(in: folder).report.notices.isEmpty)
    }

    @Test("A second start applies what can change and reports the rest")
    func secondStart() throws {
        let system = TestSystem { $0.notesSignals = true }
        var other = LogConfiguration(folder: system.folder.path, threshold: .verbose, sinks: [])
        other.readsEnvironment = false
        other.application = "other"
        other.mode = .mapped
        other.rotation = LogRotation(segmentBytes: 1 << 16)
        other.format = .logfmt
        other.maximumLineBytes = 2000
        let report = system.pipeline.start(other)
        #expect(
            report.notices == [
                "application: still \"test\"; it is set by the first start of a run",
                "mode: still writeThrough; it is set by the first start of a run",
                "rotation: unchanged; it is set by the first start of a run",
                "notesSignals: still on; handlers stay installed",
            ])
        #expect(report.mode == .writeThrough)
        system.log().info("x", ["k": 1])
        #expect(system.live.contains("msg=x k=1"))
        #expect(TestSystem(in: system.folder).pipeline.start(system.configuration).notices.isEmpty)
    }

    @Test("The prior run is the newest that failed or has lines; all are listed")
    func priorRunChoice() throws {
        let folder = TemporaryFolder()
        let now = SystemCalls.wallClock()
        try folder.makeRun(startedAt: now - 3, pid: 0x7FFF_FFF0, log: "[INFO] A - crashed\n")
        try folder.makeRun(startedAt: now - 2, pid: 0x7FFF_FFF1, ending: .clean, log: "")
        try folder.makeRun(startedAt: now - 1, pid: 0x7FFF_FFF2, application: "other", log: "[INFO] A - other\n")
        let system = TestSystem(in: folder)
        #expect(system.report.priorRun?.log == "[INFO] A - crashed\n")
        #expect(system.report.priorRuns.map(\.startedAt.nanoseconds) == [now - 2, now - 3])
    }

    @Test("A run with an impossible name doesn't remain the newest")
    func impossibleName() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: .max, pid: 0x7FFF_FFF0, log: "[INFO] A - forever\n")
        let first = TestSystem(in: folder)
        first.log().info("first")
        first.shutdown()
        #expect(TestSystem(in: folder).report.priorRun?.log == "[INFO] A - first\n")
    }

    @Test("Mapped mode leaves no empty file")
    func noEmptyFiles() throws {
        let folder = TemporaryFolder()
        _ = try TestChild("write", folder.path, ["mode=mapped"]).run()
        #expect(folder.names.count == 2, "\(folder.names)")
    }

    @Test(
        "Signals and quick_exit are reported by name", .timeLimit(.minutes(5)),
        .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"),
        arguments: [
            ("quick_exit", "clean"), ("\(SIGPIPE)", "signalled(\(SIGPIPE))"), ("\(SIGALRM)", "signalled(\(SIGALRM))"),
            ("\(SIGXCPU)", "signalled(\(SIGXCPU))"), ("\(SIGUSR1)", "signalled(\(SIGUSR1))"),
        ])
    func endings(how: String, outcome: String) throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=\(how)", "notes"]).run()
        #expect(try TestChild("prior", folder.path).run().hasPrefix("\(outcome) "))
    }

    @Test(
        "A start among damaged runs of every kind finds the prior run and leaves live and foreign files alone",
        arguments: modes)
    func matrix(mode: LogStorageMode) throws {
        let folder = TemporaryFolder()
        try folder.makeDamagedRuns()
        // Otherwise, each of these would be reported once.
        for run in RunFolder(path: folder.path).runs() { #expect(run.markReported()) }
        let now = SystemCalls.wallClock()
        try folder.makeRun(startedAt: now - 1, pid: 0x7FFF_FFF0, log: "[INFO] A - prior\n")
        let foreign = folder.names.filter { !$0.hasPrefix("run-") }
        for _ in 0..<5 {
            let system = TestSystem(in: folder) { $0.mode = mode }
            #expect(system.report.priorRun?.log.hasSuffix(" - prior\n") == true)
            system.log().info("x - prior")
            #expect(system.lines == ["[INFO] A - x - prior"])
            system.shutdown()
        }
        #expect(folder.names.filter { !$0.hasPrefix("run-") } == foreign)
    }

    @Test(
        "Two processes with mapped files lose no line while their state files are deleted",
        .timeLimit(.minutes(isSoak ? 20 : 2)))
    func twoProcesses() throws {
        let folder = TemporaryFolder()
        let children = try (0..<2).map { _ in
            try TestChild(
                "forever", folder.path, ["mode=mapped", "application=test", "segment=16384", "throttle", "silent"])
        }
        for child in children { try child.process.run() }
        var outputs = children.map { $0.firstLine() }
        var random = SeededRandom(seed: 17)
        let end = Date() + (isSoak ? 600 : 3)
        while Date() < end {
            for name in folder.names where name.hasSuffix(".state") && Int.random(in: 0..<3, using: &random) == 0 {
                try? FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
            }
            let system = TestSystem(in: folder) { $0.retention = LogRetention(runs: 1, bytes: 0, age: .zero) }
            system.log().info("sibling")
            system.shutdown()
            for (index, child) in children.enumerated() {
                outputs[index] += child.firstLine()
                #expect(child.process.isRunning)
            }
        }
        folder.waitForRetention()
        for (index, child) in children.enumerated() {
            kill(child.process.processIdentifier, SIGKILL)
            outputs[index] += child.finish()
            #expect(child.process.terminationStatus == SIGKILL)
            let acknowledged = outputs[index].split(separator: "\n").last.flatMap { Int($0) } ?? 0
            let runs = PriorRun.all(in: folder.path)
            let run = try #require(runs.first { $0.processID == child.process.processIdentifier })
            let lines = run.log.split(separator: "\n")
            let written = lines.map { $0.split(separator: " ").dropFirst(4).first.flatMap { Int($0) } ?? 0 }
            #expect(
                acknowledged > 0 && written.count >= acknowledged && written == Array(1...max(1, written.count)),
                """
                \(acknowledged) acknowledged, \(lines.count) in \(run.files.count) files of \(folder.names.count), \
                from \(lines.first ?? ""), gaps after \(zip(written, written.dropFirst()).filter { $1 != $0 + 1 }), \
                the log ends with \(lines.suffix(3))
                """)
        }
    }
}

extension TemporaryFolder {
    /// Waits for background work of the last start, which also removes runs that were killed after the start.
    func waitForRetention() {
        while Retention.isBusy(with: path) { usleep(1000) }
    }

    /// Puts damaged runs of many kinds into the folder, all older than a minute, and files that belong to no run.
    func makeDamagedRuns() throws {
        let start = SystemCalls.wallClock() - 120_000_000_000
        let line = "[INFO] A - old\n"
        let hole = String(repeating: "\0", count: 4096)
        func name(_ index: Int64) -> String {
            "\(path)/" + RunName(startedAt: start + index, processID: 1, tag: 0).base
        }
        for (index, log) in ["", line, line + hole + line, hole, line + "\0unfinished" + hole].enumerated() {
            try makeRun(startedAt: start + Int64(index), pid: 1, log: log)
        }
        try makeRun(startedAt: start + 10, pid: 1, application: "other")
        try FileManager.default.removeItem(atPath: name(1) + ".state")
        try Data("short".utf8).write(to: URL(fileURLWithPath: name(2) + ".state"))
        mkfifo(name(20) + ".state", 0o600)
        mkfifo(name(21) + ".log", 0o600)
        mkfifo(name(0) + ".1.log", 0o600)
        try FileManager.default.createDirectory(atPath: name(22) + ".log", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: name(23) + ".log", withDestinationPath: "/etc/hostname")
        for file in names { setModified("\(path)/\(file)", start) }
        for foreign in ["notes.txt", "run-1.log", "run-0000000000000000005-1-0000.log.bak"] {
            try Data("mine\n".utf8).write(to: URL(fileURLWithPath: "\(path)/\(foreign)"))
        }
    }
}
