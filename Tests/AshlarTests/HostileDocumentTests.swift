import AshlarTestSupport
import Foundation
import Testing

/// The cost of documents that an attacker writes, for the parsers of all modules.
///
/// Instructions can't be counted everywhere: virtual machines have no counters. In each run of the tests, the documents are
/// so large that a parser with quadratic costs needs minutes, and a linear one milliseconds. The soak compares times.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    /// Reads the documents; returns the output, which ends with the name of a parser that didn't end in time.
    private static func read(_ factor: Int, within limit: Double) throws -> String {
        let child = try TestChild("AshlarCostTestChild", [String(factor)], limit: .seconds(Int(limit)))
        try child.process.run()
        return child.finish()
    }

    @Test("No parser needs long for a hostile document, and none needs much memory")
    func limits() throws {
        let output = try Self.read(2, within: 100)
        let lines = output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(lines.count > 75 && lines.last?.first == "memory", "the last parser didn't end: \(output.suffix(80))")
        let memory = lines.last?.last.flatMap { Int($0) } ?? .max
        #if os(Linux)
            #expect(memory < 400_000, "KiB")
        #endif
        for line in lines.dropLast() { #expect(line.count == 4, "\(line)") }
    }

    @Test(
        "A document of twice the size needs at most 2.5 times the time", .enabled(if: isSoak, "runs with ASHLAR_SOAK=1")
    )
    func doubling() throws {
        var slow: Set<Substring> = []
        // Another process can delay one of the runs.
        for round in 0..<4 where round == 0 || !slow.isEmpty {
            var found: Set<Substring> = []
            let output = try Self.read(60, within: 500)
            for line in output.split(separator: "\n").map({ $0.split(separator: "\t") }) where line.count == 4 {
                let times = line.dropFirst().compactMap { Double($0) }
                if times[2] > 0.002, times[2] - times[1] > 2.5 * (times[1] - times[0]) { found.insert(line[0]) }
            }
            slow = round == 0 ? found : slow.intersection(found)
        }
        #expect(slow.isEmpty)
    }
}
