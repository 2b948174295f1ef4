import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

/// Tests of whole processes through the public `LogSystem`.
@Suite struct ProcessTests {
    @Test("Eight processes write into one folder without mixing or losing lines", .timeLimit(.minutes(5)))
    func eightProcesses() throws {
        let folder = TemporaryFolder()
        let count = isSoak ? 125_000 : 12_500
        let children = try (1...8).map {
            try TestChild("write", folder.path, ["id=P\($0)", "count=\(count)", "padding=60", "runs=20"])
        }
        for child in children { try child.process.run() }
        for child in children { _ = child.finish() }
        let runs = PriorRun.all(in: folder.path)
        #expect(runs.count == 8)
        let padding = String(repeating: "x", count: 60)
        var identities: Set<Substring> = []
        for run in runs {
            #expect(run.outcome == .clean)
            let lines = run.log.split(separator: "\n")
            try #require(lines.count == count)
            let identity = try #require(lines[0].split(separator: " ").dropFirst().first)
            identities.insert(identity)
            for (index, line) in lines.enumerated()
            where line != "[DEBUG] \(identity) - line \(index + 1) \(padding) end" {
                Issue.record("\(identity): line \(index + 1) reads \(line)")
                break
            }
        }
        #expect(identities.count == 8)
    }

    @Test("Lines before the start and after the end are stored and marked", .timeLimit(.minutes(5)))
    func earlyAndLate() throws {
        let folder = TemporaryFolder()
        let reported = try TestChild("early", folder.path).run()
        #expect(
            reported == """
                1
                [INFO] Early - before 1 k=1
                [DEBUG] Early - started
                [INFO] Early - after late=true


                """)
    }

    @Test("Without a start, a line is on standard error when its call returns", .timeLimit(.minutes(5)))
    func withoutStart() throws {
        for starts in [false, true] {
            let folder = TemporaryFolder()
            let child = try TestChild("first", folder.path, starts ? ["start"] : [])
            let pipe = Pipe()
            child.process.standardError = pipe
            let output = try child.run()
            let lines = pipe.readText().split(separator: "\n").map { String($0.drop { $0 != "[" }) }
            #expect(
                lines == ["[INFO] First - hi k=1", "[ERROR] First - bad"] + (starts ? ["[INFO] First - then"] : []))
            let stored = "[INFO] First - hi k=1\n[ERROR] First - bad\n[INFO] First - then\n\n"
            #expect(output == (starts ? stored : ""))
        }
    }

    @Test("The environment sets thresholds, and its errors are reported", .timeLimit(.minutes(5)))
    func environment() throws {
        let folder = TemporaryFolder()
        let reported = try TestChild(
            "environment", folder.path, environment: ["ASHLAR_LOG": "info,net=debug,net.cache=off,loud"]
        ).run()
        #expect(
            reported == """
                net DEBUG
                net.cache OFF
                other INFO
                ASHLAR_LOG: "info,net=debug,net.cache=off,loud": expected level or context=level or context=off, found "loud"
                then 0

                """)
    }

    @Test(
        "After exec, the run before it is reported as ended",
        .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"])
    func replaced(mode: String) throws {
        let folder = TemporaryFolder()
        let output = try TestChild("replace", folder.path, ["mode=\(mode)"]).run().split(separator: "\n")
        // Both have the same process.
        #expect(output.count == 3, "\(output)")
        #expect(output.first?.hasPrefix("process ") == true)
        #expect(output.dropFirst().first == "unclean \(output.first?.dropFirst(8) ?? "")")
        #expect(output.last == "[INFO] Replace - before")
    }

    @Test(
        "Files stay in their folders when the process changes its working directory",
        .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"])
    func moved(mode: String) throws {
        let folder = TemporaryFolder()
        try folder.make()
        let child = try TestChild("move", "logs", ["mode=\(mode)", "segment=4096", "absolute=\(folder.path)/logs"])
        child.process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        #expect(try child.run() == "0\ntrue\n")
        #expect(folder.names == ["file.log", "file.log.1", "logs"])
        let runs = PriorRun.all(in: folder.path + "/logs")
        let padding = String(repeating: "x", count: 100)
        #expect(runs.count == 1 && (runs.first?.files.count ?? 0) > 4)
        #expect(runs.first?.log == (1...200).map { "[DEBUG] Move - line \($0) \(padding)\n" }.joined())
    }

    @Test(
        "A hundred starts and ends leave no descriptor, thread, mapping or file behind",
        .timeLimit(.minutes(5)), arguments: ["writeThrough", "mapped"])
    func cycles(mode: String) throws {
        let folder = TemporaryFolder()
        let output = try TestChild("cycles", folder.path, ["mode=\(mode)", "runs=3", "count=100"]).run()
        let figures = output.split(separator: "\n").map(String.init)
        #expect(figures.count == 2 && figures.first == figures.last, "\(figures)")
        let runs = PriorRun.all(in: folder.path)
        #expect(runs.count <= 4 && runs.allSatisfy { $0.outcome == .clean && $0.log == "[INFO] Cycle - line\n" })
    }

    @Test("Lines on standard error are in color only if the environment asks for it", .timeLimit(.minutes(5)))
    func standardError() throws {
        for (variables, colored) in [(["NO_COLOR": ""], false), (["NO_COLOR": "", "CLICOLOR_FORCE": "1"], true)]
            as [([String: String], Bool)]
        {
            let folder = TemporaryFolder()
            let child = try TestChild("stderr", folder.path, environment: variables)
            let pipe = Pipe()
            child.process.standardError = pipe
            _ = try child.run()
            let text = pipe.readText()
            let plain = "[WARNING] Console - careful\n  [DEBUG] Console - details\n"
            let colors =
                "\u{1B}[33m[WARNING] Console - careful\u{1B}[0m\n\u{1B}[0m  [DEBUG] Console - details\u{1B}[0m\n"
            #expect(text == (colored ? colors : plain))
        }
    }

    @Test(
        "NO_COLOR takes precedence over CLICOLOR_FORCE, CLICOLOR and TERM, in this order",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false),
            (true, ["NO_COLOR": ""], true), (false, ["CLICOLOR_FORCE": "1"], true),
            (false, ["CLICOLOR_FORCE": "0"], false),
            (true, ["CLICOLOR": "0"], false), (true, ["CLICOLOR": "0", "CLICOLOR_FORCE": "yes"], true),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm", "CLICOLOR": "1"], true),
            (false, ["CLICOLOR": "1"], false), (false, ["TERM": "dumb", "CLICOLOR_FORCE": "1"], true),
        ] as [(Bool, [String: String], Bool)])
    func colors(isTerminal: Bool, environment: [String: String], colored: Bool) {
        #expect(StandardErrorSink.wantsColor(isTerminal: isTerminal) { environment[$0] } == colored)
    }
}
