import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct NeverHarmsTests {
    @Test("A deleted file is created again, and its run continues")
    func deletedFile() throws {
        let system = TestSystem()
        system.log().info("one")
        let name = try #require(system.folder.names.first { $0.hasSuffix(".log") })
        try FileManager.default.removeItem(atPath: "\(system.folder.path)/\(name)")
        for index in 1...600 { system.log().info("line \(index)") }
        let lines = system.lines
        #expect(lines.count >= 600 - RunSegments.checkInterval)
        #expect(lines.last == "[INFO] A - line 600")
    }

    @Test("A deleted folder is created again", arguments: modes)
    func deletedFolder(mode: LogStorageMode) throws {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        system.log().info("one")
        try FileManager.default.removeItem(atPath: system.folder.path)
        for index in 1...600 { system.log().info("line \(index)") }
        #expect(system.lines.last == "[INFO] A - line 600")
    }

    @Test("A truncated file continues at its new end")
    func truncated() throws {
        let system = TestSystem()
        for index in 1...10 { system.log().info("line \(index)") }
        guard case .file(let path) = system.report.storage else { return #expect(Bool(false)) }
        truncate(path, 0)
        system.log().info("behind")
        #expect(system.live == "[INFO] A - behind\n")
    }

    @Test("A full disk loses only lines that don't fit into memory; they are counted and reported later")
    func fullDisk() throws {
        let system = TestSystem()
        let store = try #require(system.pipeline.settings.store as? FileStore)
        system.log().info("before")
        try system.breakDisk(store)
        for index in 1...5000 { system.log().info("line \(index) \(String(repeating: "x", count: 40))") }
        let lost = system.counters.droppedByStorage
        #expect(lost > 0)
        #expect(system.counters.failedWrites == 1)
        // The newest 64 KiB wait in memory and are part of the log.
        #expect(system.lines.last?.hasPrefix("[INFO] A - line 5000 ") == true)
        #expect(system.flush(sync: false) == false)
        // If the process ended now, what waits would be lost too, and the state file says so.
        let waiting = store.file.contents(limit: nil).count { $0 == 10 }
        let state = try #require(RunFolder(path: system.folder.path + ".moved").runs().first?.state())
        #expect(Int(state.lost) == lost + waiting)
        try system.mendDisk()
        #expect(system.flush(sync: false))
        system.log().info("after")
        let lines = system.lines
        let notice = try #require(lines.firstIndex { $0.hasPrefix("[WARNING] AshlarLogging - ") })
        #expect(lines[notice] == "[WARNING] AshlarLogging - \(lost) lines lost: \(String(cString: strerror(ENOSPC)))")
        let kept = lines[(notice + 1)...].dropLast()
        #expect(kept.count == 5000 - lost)
        #expect(kept.first?.hasPrefix("[INFO] A - line \(lost + 1) ") == true)
        #expect(kept.last?.hasPrefix("[INFO] A - line 5000 ") == true)
        #expect(lines.last == "[INFO] A - after")
        #expect(kept.joined().utf8.count > 60_000)
        #expect(PriorRun.all(in: system.folder.path).map(\.lostLines) == [lost])
    }

    @Test("Writing is retried every 256 lines without a flush")
    func recoversByItself() throws {
        let system = TestSystem()
        let store = try #require(system.pipeline.settings.store as? FileStore)
        try system.breakDisk(store)
        for index in 1...10 { system.log().info("line \(index)") }
        try system.mendDisk()
        for index in 11...600 { system.log().info("line \(index)") }
        #expect(system.counters.droppedByStorage == 0)
        #expect(PriorRun.all(in: system.folder.path).first?.log == system.live)
        #expect(system.lines == (1...600).map { "[INFO] A - line \($0)" })
    }

    @Test(
        "On a small file system, every line is in the log or counted, and nothing traps",
        .enabled(if: canMountTemporaryFileSystem, "no file system can be mounted"), .timeLimit(.minutes(5)),
        arguments: ["writeThrough", "mapped"])
    func smallFileSystem(mode: String) throws {
        let folder = TemporaryFolder()
        try folder.make()
        try #require(shell("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder.path) == 0)
        defer { _ = shell("umount", "-l", folder.path) }
        // Room for the time after: the program removes this file when lines have been lost.
        try Data(count: 150_000).write(to: URL(fileURLWithPath: folder.path + "/ballast"))
        let child = try TestChild("full", folder.path, ["mode=\(mode)", "segment=65536"])
        let reported = try child.run().split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) } ?? []
        #expect(child.process.terminationReason == .exit)
        try #require(reported.count == 2)
        let (logged, lost) = (reported[0], reported[1])
        #expect(lost >= 100)
        let run = try #require(PriorRun.all(in: folder.path).first)
        #expect(run.outcome == .clean)
        let lines = run.log.split(separator: "\n")
        let notices = lines.filter { $0.hasPrefix("[WARNING] AshlarLogging - ") }
        #expect(notices == ["[WARNING] AshlarLogging - \(lost) lines lost: No space left on device"])
        let numbers = lines.compactMap {
            $0.wholeMatch(of: /\[INFO\] Full - line (\d+) x{80} end/).flatMap { Int($0.1) }
        }
        #expect(Set(numbers).count == logged - lost)
        #expect(numbers.last == logged)
        #expect(run.lostLines == lost)
    }

    @Test("The file-size limit doesn't end the process; the run continues in further files", .timeLimit(.minutes(5)))
    func fileSizeLimit() throws {
        let folder = TemporaryFolder()
        // A profile of the coverage would exceed the limit, too.
        let child = try TestChild("limit", folder.path, environment: ["LLVM_PROFILE_FILE": "/dev/null"])
        #expect(try child.run() == "alive 2000 0\n")
        #expect(child.process.terminationReason == .exit)
    }

    @Test("A standard error stream without a reader doesn't end the process", .timeLimit(.minutes(5)))
    func brokenPipe() throws {
        let folder = TemporaryFolder()
        let child = try TestChild("pipe", folder.path)
        // With one line about the first failure.
        #expect(try child.run() == "alive 11 10\n")
        #expect(child.process.terminationReason == .exit)
    }

    @Test(
        "Descriptors that the app closed are opened again, and the app's files receive no line",
        .timeLimit(.minutes(5)),
        arguments: ["writeThrough", "mapped"])
    func closedDescriptors(mode: String) throws {
        let folder = TemporaryFolder()
        let child = try TestChild("closed", folder.path, ["mode=\(mode)"])
        let precious = folder.path + "-precious"
        defer { try? FileManager.default.removeItem(atPath: precious) }
        // With one line about the first failure of standard error.
        #expect(try child.run() == "alive 1001\n")
        #expect(child.process.terminationReason == .exit)
        #expect(try Data(contentsOf: URL(fileURLWithPath: precious)).isEmpty)
        #expect(PriorRun.all(in: folder.path).first?.outcome == .clean)
    }

    @Test("A signal handler's line is one write", .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"])
    func signalHandler(mode: String) throws {
        let folder = TemporaryFolder()
        let log = try TestChild("handler", folder.path, ["mode=\(mode)"]).run()
        #expect(log.contains("caught USR1\n"))
        #expect(log.contains("[INFO] Handler - before\n"))
        #expect(log.contains("[INFO] Handler - behind\n"))
    }

    @Test("Lines that wait when another run begins are counted as lost")
    func waitingAtRestart() throws {
        let system = TestSystem()
        system.log().info("before")
        try system.breakDisk(try #require(system.pipeline.settings.store as? FileStore))
        for index in 1...3 { system.log().info("line \(index)") }
        let other = TemporaryFolder()
        var configuration = system.configuration
        configuration.folder = other.path
        _ = system.pipeline.start(configuration)
        #expect(system.counters.lost == 3)
    }
}

extension TestSystem {
    /// Makes every write fail as on a full disk, and the folder unusable for opening the file again.
    func breakDisk(_ store: FileStore) throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        dup2(full, store.file.descriptor)
        close(full)
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + ".moved")
        try Data().write(to: URL(fileURLWithPath: folder.path))
    }

    func mendDisk() throws {
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: folder.path + ".moved", toPath: folder.path)
    }
}
