import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

/// Kills a logging process at random moments, with damaged runs in its folder.
///
/// A line is acknowledged when its call returned.
@Suite(.disabled(if: isThreadSanitized, "the sanitizer starts too slowly")) struct KillTests {
    static let kills = isSoak ? 1000 : 60

    @Test(
        "A killed process loses no acknowledged line", .timeLimit(.minutes(isSoak ? 20 : 5)),
        arguments: ["writeThrough", "mapped"])
    func nothingLost(mode: String) throws {
        var acknowledged = 0
        for kill in 0..<Self.kills {
            let (reported, lines) = try killed(mode: mode, seed: UInt64(kill))
            #expect(lines >= reported, "kill \(kill): \(reported) acknowledged, \(lines) in the log")
            acknowledged += reported
        }
        print("\(Self.kills) kills, \(mode): \(acknowledged) acknowledged lines")
        // The loop proves something only if the processes were at work, on a busy machine, too.
        #expect(acknowledged > Self.kills * (isSoak ? 250 : 10))
    }

    private static func line(_ index: Int) -> String {
        "[DEBUG] Kill - line \(index) \(String(repeating: "x", count: 100)) end"
    }

    /// Starts the program, kills it, and returns how many lines it had acknowledged and how many its log holds.
    private func killed(mode: String, seed: UInt64) throws -> (reported: Int, lines: Int) {
        var random = SeededRandom(seed: seed)
        let folder = TemporaryFolder()
        try folder.makeDamagedRuns()
        let child = try TestChild("forever", folder.path, ["mode=\(mode)", "padding=100", "segment=16384", "silent"])
        // Every fourth is killed while it starts, or soon after.
        let isAtWork = seed % 4 != 0
        let reported = try child.runAndKill(
            afterMicroseconds: .random(in: 0...(isSoak ? 60_000 : 30_000), using: &random), ofItsWork: isAtWork)
        let acknowledged = reported.split(separator: "\n").last.flatMap { Int($0) } ?? 0
        let runs = PriorRun.all(in: folder.path).filter { $0.processID == child.process.processIdentifier }
        guard let run = runs.first else { return (acknowledged, 0) }
        #expect(run.outcome == .unclean)
        var lines = run.log.split(separator: "\n")
        // The kernel may stop a write(2) at a page's end when the process dies in it: a line without its end was never
        // acknowledged. What there is of it must be its beginning.
        if !run.log.hasSuffix("\n"), let torn = lines.popLast() {
            #expect(Self.line(lines.count + 1).hasPrefix(torn), "the torn line reads \(torn)")
        }
        for (index, line) in lines.enumerated() where line != Self.line(index + 1) {
            Issue.record("line \(index + 1) reads \(line)")
            break
        }
        return (acknowledged, lines.count)
    }
}
