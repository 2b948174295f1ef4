import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

/// The frames that follow the line of a fatal signal.
@Suite(.disabled(if: isThreadSanitized, "the sanitizer handles signals itself")) struct BacktraceTests {
    private struct Frame {
        let number: Int
        let address: UInt
        let image: String?
        let offset: UInt?

        init?(_ line: Substring) {
            let parts = line.split(separator: " ")
            guard parts.count >= 3, parts[0] == "frame", let number = Int(parts[1].dropLast()),
                parts[2].hasPrefix("0x"), let address = UInt(parts[2].dropFirst(2), radix: 16)
            else { return nil }
            (self.number, self.address) = (number, address)
            // A path may contain spaces.
            image = parts.count >= 5 ? parts[3..<(parts.count - 1)].joined(separator: " ") : nil
            offset = parts.count >= 5 ? UInt(parts[parts.count - 1].dropFirst(2), radix: 16) : nil
        }
    }

    private func crash(_ how: String, _ options: [String]) throws -> PriorRun {
        let folder = TemporaryFolder()
        _ = try TestChild("end", folder.path, ["how=\(how)", "runs=99"] + options).run()
        let run = try #require(PriorRun.all(in: folder.path).first)
        // The log is read now, because the folder is removed with this function.
        logs.withLock { $0[run.processID] = run.log }
        return run
    }

    private let logs = Guarded<[Int32: String]>([:])
    private func log(_ run: PriorRun) -> [Substring] {
        logs.withLock { $0[run.processID] ?? "" }.split(separator: "\n")
    }

    @Test(
        "A crash writes its signal and its frames, whose addresses are in loaded files", .timeLimit(.minutes(2)),
        arguments: ["writeThrough", "mapped"], ["trap", "null", "handled-null"])
    func frames(mode: String, how: String) throws {
        let run = try crash(how, ["mode=\(mode)", "notes"])
        let lines = log(run)
        let first = try #require(lines.firstIndex { $0.hasPrefix("fatal signal SIG") }, "\(lines)")
        if how != "trap" { #expect(lines[first] == "fatal signal SIGSEGV at address 0x10") }
        #expect(lines[..<first].last?.hasSuffix("the last line") == true)
        let frames = lines[(first + 1)...].compactMap(Frame.init)
        #expect(frames.count == lines.count - first - 1 && frames.map(\.number) == Array(0..<frames.count))
        #expect(frames.count >= 3, "\(lines)")
        let own = frames.filter { $0.image?.hasSuffix("/AshlarLoggingTestChild") == true }
        #expect(own.count >= 2 && own.allSatisfy { $0.offset != nil }, "\(lines)")
    }

    @Test(
        "A stack overflow is recorded with its frames: on the main thread, on a thread that has logged, and in a task",
        .timeLimit(.minutes(2)), arguments: ["overflow-main", "overflow-thread", "overflow-task"],
        ["writeThrough", "mapped"])
    func overflow(how: String, mode: String) throws {
        let run = try crash(how, ["mode=\(mode)", "notes"])
        #expect(run.outcome == .signalled(SIGSEGV) || run.outcome == .signalled(SIGBUS))
        let lines = log(run)
        #expect(lines.contains { $0.hasPrefix("fatal signal SIG") }, "\(lines)")
        let own = lines.compactMap(Frame.init).filter { $0.image?.hasSuffix("/AshlarLoggingTestChild") == true }
        #expect(own.count >= 10, "\(lines)")
    }

    #if os(Linux)
        @Test("A thread's second stack ends with the thread", .timeLimit(.minutes(2)))
        func stacks() throws {
            let folder = TemporaryFolder()
            let mappings = try TestChild("end", folder.path, ["how=threads", "notes"]).run()
            // 2,000 threads with a stack and its guard would leave 4,000.
            let count = try #require(Int(mappings.split(separator: "\n").last ?? ""))
            #expect(count > 0 && count < 1_000, "\(mappings)")
        }
    #endif

    @Test("A frame outside every image isn't printed", .timeLimit(.minutes(2)))
    func outside() throws {
        let lines = log(try crash("wild", ["notes"]))
        let first = try #require(lines.firstIndex { $0.hasPrefix("fatal signal SIG") }, "\(lines)")
        #expect(lines[(first + 1)...].allSatisfy { Frame($0)?.image != nil }, "\(lines)")
    }

    @Test(
        "After abort, the frames of the app are in the log", .timeLimit(.minutes(2)),
        arguments: [[], ["handles=abort"]] as [[String]])
    func abort(options: [String]) throws {
        let lines = log(try crash("abort", ["notes"] + options))
        let frames = lines.compactMap(Frame.init)
        #expect(frames.map(\.number) == Array(0..<frames.count) && frames.allSatisfy { $0.image != nil }, "\(lines)")
        let own = frames.filter { $0.image?.hasSuffix("/AshlarLoggingTestChild") == true }
        #expect(own.count >= 2, "\(lines)")
    }

    @Test(
        "Without signal handlers, and after a signal that isn't a crash, there are no frames", .timeLimit(.minutes(2)))
    func none() throws {
        for (how, options) in [("trap", []), ("\(SIGTERM)", ["notes"]), ("exit", ["notes"])] as [(String, [String])] {
            #expect(!log(try crash(how, options)).contains { $0.contains("fatal signal") || $0.contains("frame") })
        }
    }

    #if os(Linux)
        private static let symbolizer = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/llvm-symbolizer" }.first(where: FileManager.default.isExecutableFile(atPath:))

        @Test(
            "llvm-symbolizer resolves a frame to its function",
            .enabled(if: symbolizer != nil, "llvm-symbolizer is not installed"), .timeLimit(.minutes(2)))
        func symbols() throws {
            let tool = try #require(Self.symbolizer)
            let lines = log(try crash("null", ["notes"]))
            var functions: [String] = []
            for frame in lines.compactMap(Frame.init) {
                guard let image = frame.image, image.hasSuffix("TestChild"), let offset = frame.offset else { continue }
                let process = Process()
                process.executableURL = URL(fileURLWithPath: tool)
                process.arguments = ["--obj=\(image)", "0x" + String(offset, radix: 16)]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                functions.append(output.readText())
                process.waitUntilExit()
            }
            #expect(
                functions.contains { $0.contains("logAndEnd") && $0.contains("Child+Endings.swift") }, "\(functions)")
        }
    #endif
}
