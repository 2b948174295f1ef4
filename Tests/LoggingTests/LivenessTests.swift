import AshlarTestSupport
import CAshlarLogging
import Foundation
import Testing

@testable import AshlarLogging

/// What a start does to the log of a process that is still running.
@Suite(.disabled(if: isThreadSanitized, "the sanitizer handles signals itself")) struct LivenessTests {
    private func stateFile(in folder: TemporaryFolder) throws -> String {
        folder.file(try #require(folder.names.first { $0.hasSuffix(".state") }))
    }

    /// Overwrites the state file in place, so that it remains locked by its writer.
    private func changeState(in folder: TemporaryFolder, _ change: (inout RunState) -> Void) throws {
        let path = try stateFile(in: folder)
        var state = try #require(RunState(bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
        change(&state)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(state.bytes))
        if case .signal(let signal) = state.ending { ashlar_log_record_signal(file.fileDescriptor, Int32(signal)) }
        try file.close()
    }

    @Test(
        "A start neither truncates nor removes the log of a live process, however its state looks",
        .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"],
        [
            "running", "handled", "marked", "shutdown", "foreign ID", "other boot", "ID of another process", "damaged",
            "deleted",
        ])
    func live(mode: String, how: String) throws {
        let parent = TemporaryFolder()
        try parent.make()
        let folder = TemporaryFolder(in: parent.path)
        let child = try TestChild(
            "live", folder.path, ["how=\(how)", "mode=\(mode)", "notes", "application=child", "segment=4096"])
        try child.process.run()
        let pid = Int32(child.firstLine().split(separator: "\n").first ?? "")
        switch how {
        case "marked": try changeState(in: folder) { $0.ending = .signal(1) }
        case "foreign ID": try changeState(in: folder) { $0.processID = 0x7FFF_FFF0 }
        case "other boot": try changeState(in: folder) { $0.bootID = $0.bootID.map { ~$0 } }
        case "ID of another process": try changeState(in: folder) { $0.processID = getpid() }
        case "damaged":
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: stateFile(in: folder)))
            try file.write(contentsOf: Data(count: 128))
            try file.close()
        case "deleted": try FileManager.default.removeItem(atPath: stateFile(in: folder))
        default: break
        }
        let run = try #require(PriorRun.all(in: folder.path).first)
        #expect(run.outcome == .stillRunning && run.processID == pid)
        // The second and third start have a newer prior run, so the first run is surplus.
        for _ in 0..<3 {
            let answer = try TestChild("prior", folder.path, ["runs=1", "application=child"]).run()
            #expect(!answer.contains("line 0"), "the live run is a prior run: \(answer)")
            _ = try TestChild("write", folder.path, ["runs=1", "application=child"]).run()
        }
        try parent.write("", to: URL(fileURLWithPath: folder.path).lastPathComponent + "-continue")
        #expect(child.finish().hasSuffix("done\n"))
        let after = try #require(PriorRun.all(in: folder.path).last)
        let lines = after.log.split(separator: "\n").map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
        #expect(lines == (0...400).map { "[INFO] Live - line \($0)" }, "\(lines.count) lines")
        let outcome: LogRunOutcome =
            switch how {
            case "shutdown": .clean
            case "marked": .signalled(1)
            case "other boot": .machineRestarted
            default: .unclean
            }
        #expect(after.outcome == outcome)
    }

    @Test(
        "After a second start, signals are recorded in the new run, and handled ones leave no mark",
        .timeLimit(.minutes(2)), arguments: ["writeThrough", "mapped"], ["first", "shutdown", "second"])
    func secondStart(mode: String, option: String) throws {
        for signal in [SIGTERM, SIGKILL] {
            let parent = TemporaryFolder()
            try parent.make()
            let folder = TemporaryFolder(in: parent.path)
            _ = try TestChild("restart", folder.path, ["mode=\(mode)", "signal=\(signal)", option]).run()
            let run = try #require(PriorRun.all(in: folder.path).first)
            #expect(run.outcome == (signal == SIGTERM ? .signalled(SIGTERM) : .unclean))
            #expect(run.log.contains("from a handler\n"), "\(run.log)")
            let first =
                option == "shutdown"
                ? PriorRun.all(in: folder.path).last : PriorRun.all(in: folder.path + "-first").first
            #expect(first?.outcome == .clean)
        }
    }

    @Test(
        "A run of a killed process isn't running when another process, or another logger, gets its ID",
        .enabled(if: canChooseProcessIDs, "this process can't choose the IDs of others"), .timeLimit(.minutes(2)),
        arguments: ["writeThrough", "mapped"], ["sleep", "forever"])
    func reusedID(mode: String, next: String) throws {
        let parent = TemporaryFolder()
        try parent.make()
        let folder = TemporaryFolder(in: parent.path)
        let script = """
            program=$0 folder=$1 mode=mode=$2
            lines() { until grep -q 20 "$1"; do sleep 0.01; done; }
            "$program" forever "$folder" silent throttle $mode >"$folder-first" & first=$!
            lines "$folder-first"
            kill -9 $first
            wait $first
            echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
            if [ $3 = sleep ]; then
                sleep 60 & second=$!
            else
                "$program" forever "$folder" silent throttle $mode >"$folder-second" & second=$!
                lines "$folder-second"
            fi
            [ $first = $second ] || echo "other ID"
            "$program" prior "$folder" runs=1 | head -n 2
            kill -0 $second && echo alive
            kill -9 $second
            wait $second
            exec "$program" prior "$folder"
            """
        let child = try TestChild("prior", folder.path)
        let program = try #require(child.process.executableURL).path
        child.process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        child.process.arguments = [
            "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c", script, program, folder.path, mode, next,
        ]
        let output = try child.run().split(separator: "\n")
        try #require(output.count > 3, "\(output)")
        #expect(output[0].hasPrefix("unclean "), "\(output[0])")
        #expect(output[1].contains(" line 1 ") && output[2] == "alive", "\(output[1...2])")
        // Then the newest run is that of the second logger, or still the first one.
        #expect(output[3].hasPrefix("unclean ") && output[4].contains(" line 1 "), "\(output[3...4])")
        #expect(Set(output[3...].filter { $0.contains(" line ") }).count >= 20)
    }
}

/// Whether this process can make a namespace of processes and choose the next ID in it.
private let canChooseProcessIDs =
    shell(
        "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c",
        "echo 100 >/proc/sys/kernel/ns_last_pid; sleep 0 & wait; [ $! = 101 ]") == 0
