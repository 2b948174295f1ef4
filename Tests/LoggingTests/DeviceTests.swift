import AshlarBase
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// What a log does on a device that is locked, suspends apps and hides other processes, apart from its system's calls.
@Suite struct DeviceTests {
    @Test("A file is mapped only if its pages stay readable while the device is locked")
    func mapping() {
        let classes: [DataProtection.Class] = [.complete, .unlessOpen, .untilFirstUnlock, .none]
        #expect(classes.map(\.allowsMapping) == [false, false, true, true])
        #expect(classes.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test("The mark that excludes a file from backups is a property list with the name of the backup service")
    func backups() throws {
        let list = try PropertyListSerialization.propertyList(
            from: Data(DataProtection.backupMark), options: [], format: nil)
        #expect(list as? String == "com.apple.backupd")
    }

    @Test(
        "Each system has its default folder",
        arguments: [
            (.apple, [:], nil), (.tvOS, [:], nil), (.other, [:], nil),
            (.apple, ["HOME": "/h"], "/h/Library/Application Support/a/Logs"),
            (.tvOS, ["HOME": "/h"], "/h/Library/Caches/a/Logs"),
            (.other, ["HOME": "/h"], "/h/.local/state/a/logs"),
            (.other, ["HOME": "/h", "XDG_STATE_HOME": "/s"], "/s/a/logs"),
        ] as [(LogConfiguration.HostSystem, [String: String], String?)])
    func folders(system: LogConfiguration.HostSystem, environment: [String: String], folder: String?) {
        #expect(LogConfiguration.defaultFolder(application: "a", on: system) { environment[$0] } == folder)
    }

    @Test(
        "A process that ends in the background didn't end uncleanly; a crash there is a crash", .timeLimit(.minutes(2)),
        .disabled(if: isThreadSanitized, "the sanitizer handles signals itself"),
        arguments: [
            ("background", LogRunOutcome.endedInBackground), ("foreground", .unclean),
            ("crash", .signalled(SIGSEGV)), ("shutdown", .clean),
        ])
    func background(then: String, outcome: LogRunOutcome) throws {
        for mode in ["writeThrough", "mapped"] {
            let folder = TemporaryFolder()
            _ = try TestChild("end", folder.path, ["how=background", "then=\(then)", "mode=\(mode)", "notes"]).run()
            #expect(PriorRun.all(in: folder.path).map(\.outcome) == [outcome], "\(mode)")
        }
        #expect(LogRunOutcome.endedInBackground.description == "ended in the background")
    }

    @Test("An ordinary end in the background doesn't hide an earlier crash, and its last segment is cut")
    func priorRun() throws {
        let folder = TemporaryFolder()
        try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, ending: .signal(11))
        try folder.makeRun(startedAt: 6, pid: 0x7FFF_FFF0, place: .background, log: "")
        #expect(TestSystem(in: folder).report.priorRun?.outcome == .signalled(11))
    }

    @Test("Where other processes are invisible, their recent runs are neither removed nor cut")
    func invisible() throws {
        let folder = TemporaryFolder()
        let log = "[INFO] A - old\n" + String(repeating: "\0", count: 100)
        for (index, boot) in [ProcessIdentity.boot.bytes, [UInt8](repeating: 7, count: 16)].enumerated() {
            try folder.makeRun(startedAt: Int64(5 + index), pid: 0x7FFF_FFF0, boot: boot, log: log)
        }
        for name in folder.names { setModified(folder.file(name), SystemCalls.wallClock()) }
        let runs = RunFolder(path: folder.path).runs()
        #expect(runs.map { $0.isInUse($0.state(), seesProcesses: true) } == [false, false])
        #expect(runs.map { $0.isInUse($0.state(), seesProcesses: false) } == [false, true])
        // After a day without lines, nobody writes the run.
        for name in folder.names {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: folder.file(name))
        }
        #expect(runs.map { $0.isInUse($0.state(), seesProcesses: false) } == [false, false])
    }

    @Test("When protected data becomes available, the log moves from memory into its folder")
    func protectedData() throws {
        let parent = TemporaryFolder()
        try parent.make()
        try parent.write("", to: "locked")
        let system = TestSystem(in: TemporaryFolder(in: parent.file("locked")))
        guard case .memory = system.report.storage else {
            Issue.record("\(system.report.storage)")
            return
        }
        system.log().info("one")
        system.pipeline.handle(.protectedDataIsAvailable)
        system.log().info("two")
        #expect(system.lines == ["[INFO] A - one", "[INFO] A - two"])
        system.thresholds.global = .warning
        try FileManager.default.removeItem(atPath: parent.file("locked"))
        for _ in 0..<2 { system.pipeline.handle(.protectedDataIsAvailable) }
        system.log().warning("three")
        system.log().info("below the threshold")
        #expect(
            PriorRun.all(in: system.folder.path).map(\.log) == ["[INFO] A - one\n[INFO] A - two\n[WARNING] A - three\n"]
        )
        #expect(PriorRun.all(in: system.folder.path).first?.outcome == .stillRunning)
    }
}
