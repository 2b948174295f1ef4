import AshlarTestSupport
import CAshlarLogging
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct VerdictTests {
    @Test(
        "The next run reports how the previous one ended", .timeLimit(.minutes(5)),
        arguments: [
            ("return", "clean"), ("exit", "clean"), ("exit3", "clean"), ("shutdown", "clean"), ("_exit", "unclean"),
            ("abort", "unclean"), ("trap", "unclean"), ("exec", "unclean"), ("\(SIGTERM)", "unclean"),
            ("\(SIGKILL)", "unclean"), ("\(SIGSEGV)", "unclean"), ("\(SIGINT)", "unclean"), ("fork-exit", "unclean"),
            ("fork-fine", "clean"),
        ])
    func matrix(how: String, outcome: String) throws {
        for mode in ["writeThrough", "mapped"] {
            let folder = TemporaryFolder()
            _ = try TestChild("end", folder.path, ["how=\(how)", "mode=\(mode)"]).run()
            let answer = try TestChild("prior", folder.path).run()
            #expect(answer.hasPrefix("\(outcome) "), "\(how) in \(mode): \(answer)")
            #expect(answer.contains("[INFO] End - the last line\n"))
        }
    }

    @Test(
        "With handlers, the signal is named", .timeLimit(.minutes(5)),
        .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"),
        arguments: [SIGTERM, SIGSEGV, SIGABRT, SIGINT, SIGHUP, SIGQUIT, SIGBUS, SIGFPE, SIGILL])
    func signals(signal: Int32) throws {
        let folder = TemporaryFolder()
        let child = try TestChild("end", folder.path, ["how=\(signal)", "notes"])
        _ = try child.run()
        #expect(child.process.terminationReason == .uncaughtSignal)
        #expect(child.process.terminationStatus == signal)
        #expect(try TestChild("prior", folder.path).run().hasPrefix("signalled(\(signal)) "))
    }

    @Test(
        "With a handler of SIGABRT that returns, abort is a crash, and a signal from another process is handled",
        .timeLimit(.minutes(2)), .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"),
        arguments: [
            ("abort", LogRunOutcome.signalled(SIGABRT), false), ("receive-abort", .unclean, true),
            ("raise-abort", .clean, false),
        ])
    func handledAbort(how: String, outcome: LogRunOutcome, continues: Bool) throws {
        for mode in ["writeThrough", "mapped"] {
            let folder = TemporaryFolder()
            _ = try TestChild("end", folder.path, ["how=\(how)", "handles=abort", "mode=\(mode)", "notes"]).run()
            let run = try #require(PriorRun.all(in: folder.path).first)
            #expect(run.outcome == outcome, "\(mode)")
            #expect(run.log.contains("fatal signal SIGABRT\n"), "\(mode): \(run.log)")
            #expect(run.log.contains("the signal was handled, and the process continues") == continues, "\(mode)")
        }
    }

    @Test(
        "A forked child that has not started a log writes nothing and doesn't change the outcome of its parent",
        .timeLimit(.minutes(2)), .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"),
        arguments: ["writeThrough", "mapped"], [[], ["notes"]] as [[String]])
    func forkedChild(mode: String, options: [String]) throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=fork-crash", "mode=\(mode)"] + options).run()
        let run = try #require(PriorRun.all(in: folder.path).first)
        #expect(PriorRun.all(in: folder.path).count == 1 && run.outcome == .unclean)
        let lines = run.log.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("the last line") }, "\(run.log)")
    }

    @Test(
        "A daemon whose parent has exited isn't clean while it runs, whether it has its own log or not",
        .timeLimit(.minutes(2)), arguments: ["writeThrough", "mapped"], [true, false])
    func daemon(mode: String, hasOwnLog: Bool) throws {
        let folder = TemporaryFolder()
        let options = ["how=daemon", "mode=\(mode)", "notes"] + (hasOwnLog ? ["own"] : [])
        let parent = try TestChild("end", folder.path, options)
        try parent.process.run()
        let daemon = try #require(Int32(parent.firstLine().split(separator: "\n").first ?? ""))
        // Foundation waits for the descriptors of a process, which the daemon has, too.
        let exit = ContinuousClock.now + .seconds(30)
        while ProcessIdentity.start(of: parent.process.processIdentifier) != nil, .now < exit { usleep(1000) }
        let runs = PriorRun.all(in: folder.path)
        #expect(runs.count == (hasOwnLog ? 2 : 1))
        #expect(runs.first?.outcome == .stillRunning)
        let logs = runs.map(\.log)
        #expect(logs.last?.contains("the last line") == true && logs.last?.contains("from the daemon") == false)
        if hasOwnLog { #expect(runs.first?.processID == daemon && logs[0].contains("from the daemon")) }
        kill(daemon, SIGKILL)
        _ = parent.finish()
        let limit = ContinuousClock.now + .seconds(30)
        while PriorRun.all(in: folder.path).contains(where: { $0.outcome == .stillRunning }), .now < limit {
            usleep(1000)
        }
        #expect(PriorRun.all(in: folder.path).map(\.outcome) == (hasOwnLog ? [.unclean, .clean] : [.clean]))
    }

    @Test("A trap is reported by its signal, SIGKILL is not", .timeLimit(.minutes(5)))
    func trap() throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=trap", "notes"]).run()
        #expect(try TestChild("prior", folder.path).run().hasPrefix("signalled("))
        _ = try TestChild("end", folder.path, ["how=\(SIGKILL)", "notes"]).run()
        #expect(try TestChild("prior", folder.path).run().hasPrefix("unclean "))
    }

    @Test(
        "A fault on a thread of the module is recorded, too", .timeLimit(.minutes(2)),
        .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"))
    func helperThread() throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=helper-null", "notes"]).run()
        #expect(PriorRun.all(in: folder.path).first?.outcome == .signalled(SIGSEGV))
    }

    #if os(Linux)
        @Test(
            "After a fault is recorded, it is repeated with its details, which the system's report shows",
            .timeLimit(.minutes(2)), .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"))
        func repeatedFault() throws {
            let folder = TemporaryFolder()
            let output = try TestChild("end", folder.path, ["how=traced", "notes"]).run()
            let lines = output.split(separator: "\n").map(String.init)
            // 1 is the code of an address without memory; a signal that a process sends has a code below 1.
            #expect(lines == ["signal 11 code 1", "signal 11 code 1", "ended by 11"], "\(output)")
        }
    #endif

    @Test("A second live process is still running and never a prior run", .timeLimit(.minutes(5)))
    func live() throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=abort"]).run()
        let second = try TestChild("forever", folder.path)
        try second.process.run()
        #expect(!second.firstLine().isEmpty)
        let answer = try TestChild("prior", folder.path).run()
        #expect(answer.hasPrefix("unclean "))
        #expect(answer.contains("the last line"))
        let outcomes = PriorRun.all(in: folder.path).map(\.outcome)
        #expect(outcomes == [.clean, .stillRunning, .unclean])
        kill(second.process.processIdentifier, SIGKILL)
        _ = second.finish()
        #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.clean, .unclean, .unclean])
    }

    @Test("The run of another application is not the prior run")
    func applications() throws {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=abort", "application=mine"]).run()
        _ = try TestChild("end", folder.path, ["how=exit", "application=other"]).run()
        #expect(try TestChild("prior", folder.path, ["application=mine"]).run().hasPrefix("unclean "))
        #expect(try TestChild("prior", folder.path, ["application=third"]).run() == "none\n")
    }

    @Test("The state file distinguishes a dead process from a later one with its number and from another boot")
    func identities() throws {
        // The parent of the tests: a run of this process itself is running only while it is open.
        let parent = getppid()
        let start = try #require(ProcessIdentity.start(of: parent))
        let boot = ProcessIdentity.boot.bytes
        #expect(boot.contains { $0 != 0 })
        let otherBoot = boot.map { $0 ^ 0xFF }
        let cases: [(pid: Int32, start: UInt64, boot: [UInt8], LogRunOutcome)] = [
            (parent, start, boot, .stillRunning), (parent, start + 1, boot, .unclean),
            (parent, start, otherBoot, .machineRestarted), (0x7FFF_FFF0, start, boot, .unclean),
        ]
        for (pid, start, boot, outcome) in cases {
            let folder = TemporaryFolder()
            try folder.makeRun(startedAt: 5, pid: pid, processStart: start, boot: boot)
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [outcome])
        }
    }

    #if !canImport(Darwin)
        @Test("A run whose state file is marked as in use is still running")
        func locked() throws {
            let folder = TemporaryFolder()
            try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0)
            let path = "\(folder.path)/run-0000000000000000005-\(0x7FFF_FFF0)-0000.state"
            let descriptor = SystemCalls.openForUpdating(path)
            try #require(descriptor >= 0)
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.unclean])
            SystemCalls.markInUse(descriptor)
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.stillRunning])
            let second = SystemCalls.openForUpdating(path)
            SystemCalls.markInUse(second)
            SystemCalls.close(descriptor)
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.stillRunning])
            SystemCalls.close(second)
            // Other tests start processes, which have the file open until they run their program.
            let limit = ContinuousClock.now + .seconds(30)
            while PriorRun.all(in: folder.path).map(\.outcome) != [.unclean], .now < limit {
                SystemCalls.sleep(milliseconds: 1)
            }
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [.unclean])
        }
    #endif

    @Test(
        "A missing, short, damaged or newer state file means unclean, of an unknown application"
    )
    func damage() throws {
        for damage in 0..<5 {
            let folder = TemporaryFolder()
            try folder.makeRun(startedAt: 5, pid: 1, ending: .clean)
            let path = "\(folder.path)/run-0000000000000000005-1-0000.state"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes.count == 128)
            switch damage {
            case 0: bytes = Data()
            case 1: bytes = bytes.prefix(127)
            case 2: bytes[20] ^= 1
            case 3: bytes[8] = 2
            default: bytes[0] = 0
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            let run = try #require(PriorRun.all(in: folder.path).first)
            #expect(run.outcome == .unclean)
            #expect(run.application == nil)
            #expect(run.log == "[INFO] A - old\n")
            try FileManager.default.removeItem(atPath: path)
            #expect(PriorRun.all(in: folder.path).first?.outcome == .unclean)
        }
    }

    @Test("State files round-trip, and any changed byte of the identity is detected")
    func stateRoundTrip() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<200 {
            var state = RunState(
                processID: .random(in: 0...Int32.max, using: &random),
                startedAt: .random(in: 0...Int64.max, using: &random),
                processStart: random.next(), bootID: (0..<16).map { _ in .random(in: 0...255, using: &random) },
                application: RunState.shortened("appλication-with-a-long-name-\(random.next())"))
            state.ending = [.running, .clean].randomElement(using: &random)!
            (state.lines, state.lost) = (random.next(), random.next())
            state.endedAt = .random(in: 0...Int64.max, using: &random)
            var bytes = state.bytes
            #expect(bytes.count == 128)
            #expect(RunState(bytes: bytes) == state)
            bytes[.random(in: 0..<96, using: &random)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            #expect(RunState(bytes: bytes) == nil)
        }
    }

    @Test("Names of files are parsed strictly")
    func names() {
        let good = RunFile(
            run: RunName(startedAt: 1_795_180_952_123_456_789, processID: 42, tag: 0xAB), part: .segment(0))
        #expect(good.name == "run-1795180952123456789-42-00ab.log")
        for part in [RunFile.Part.state, .segment(0), .segment(12), .child(7), .reported] {
            let file = RunFile(run: good.run, part: part)
            #expect(RunFile(name: file.name) == file)
        }
        for bad in [
            "run-1795180952123456789-42-00ab.log/../x", "run-179518095212345678-42-00ab.log",
            "run-1795180952123456789-42-00AB.log", "run-1795180952123456789-42-0ab.log",
            "run-1795180952123456789--00ab.log",
            "run-1795180952123456789-42-00ab.0.log", "run-1795180952123456789-42-00ab.txt",
            "run-1795180952123456789-42-00ab",
            "run-9999999999999999999-42-00ab.log", "run-1795180952123456789-99999999999-00ab.log", "", "run-", "x",
            "run-1795180952123456789-42-00ab.-1.log", "run-1795180952123456789-42-00ab.1.log ",
            " run-1795180952123456789-42-00ab.log",
        ] {
            #expect(RunFile(name: bad) == nil, "\(bad)")
        }
    }
}

extension TemporaryFolder {
    /// Puts a run into the folder as if a process had left it; it ended when it started.
    func makeRun(
        startedAt: Int64, pid: Int32, processStart: UInt64 = 1, boot: [UInt8] = ProcessIdentity.boot.bytes,
        application: String = "test", ending: RunState.Ending = .running, place: RunState.Place = .unknown,
        log: String = "[INFO] A - old\n"
    ) throws {
        try? make()
        let name = RunName(startedAt: startedAt, processID: pid, tag: 0)
        var state = RunState(
            processID: pid, startedAt: startedAt, processStart: processStart, bootID: boot, application: application)
        state.ending = ending
        state.place = place
        try Data(state.bytes).write(to: URL(fileURLWithPath: "\(path)/\(name.stateFile)"))
        if case .signal(let signal) = ending {
            let descriptor = SystemCalls.openForUpdating("\(path)/\(name.stateFile)")
            ashlar_log_record_signal(descriptor, Int32(signal))
            SystemCalls.close(descriptor)
        }
        try Data(log.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name.base).log"))
        for file in [name.stateFile, name.base + ".log"] { setModified("\(path)/\(file)", startedAt) }
    }
}

/// Sets the time of a file's last write, in nanoseconds since 1970.
func setModified(_ path: String, _ nanoseconds: Int64) {
    let time = timespec(tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    _ = [time, time].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, AT_SYMLINK_NOFOLLOW) }
}
