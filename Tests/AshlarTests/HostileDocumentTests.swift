import AshlarTestSupport
import Foundation
import Testing

/// The cost of documents that an attacker writes, for the parsers of all modules.
///
/// Processor time is compared, because instructions can't be counted everywhere: virtual machines have no counters, and
/// Valgrind doesn't support the threads of Dispatch. A family is too slow if each of several runs shows it.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    /// Reads the documents of all families, or of those whose name begins with a prefix.
    ///
    /// The output ends with the name of a parser that didn't end in time.
    private static func read(_ factor: Int, _ prefix: String = "", within limit: Int) throws -> String {
        try TestChild("AshlarCostTestChild", [String(factor), prefix], limit: .seconds(limit)).run()
    }

    /// The output for all families, which both tests use.
    private static let output = Result { try read(12, within: 100) }

    /// The families of an output whose costs more than double with the size.
    private static func slow(in output: String) -> [String] {
        output.split(separator: "\n").map { $0.split(separator: "\t") }.filter { line in
            let times = line.dropFirst().compactMap { Double($0) }
            // Differences of short and of nearly equal times depend on chance.
            return times.count == 3 && times[2] > max(0.01, 2 * times[0])
                && times[2] - times[1] > 2.5 * (times[1] - times[0])
        }.map { String($0[0]) }
    }

    @Test("No parser needs long for a hostile document, and none needs much memory")
    func limits() throws {
        let output = try Self.output.get()
        let lines = output.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(lines.count > 75 && lines.last?.first == "memory", "the last parser didn't end: \(output.suffix(80))")
        let memory = lines.last?.last.flatMap { Int($0) } ?? .max
        #if os(Linux)
            #expect(memory < 400_000, "KiB")
        #endif
        for line in lines.dropLast() { #expect(line.count == 4, "\(line)") }
    }

    @Test("A document of twice the size needs at most 2.5 times the time")
    func doubling() throws {
        let factor = isSoak ? 60 : 12
        var slow = Self.slow(in: isSoak ? try Self.read(factor, within: 500) : try Self.output.get())
        // Another process can delay a run.
        for _ in 0..<6 {
            slow = try slow.filter { try Self.slow(in: Self.read(factor, $0, within: 100)).contains($0) }
        }
        #expect(slow.isEmpty)
    }

    @Test("The comparison of times finds a family whose costs are quadratic")
    func comparison() {
        let output = "a\t0.1\t0.2\t0.4\nb\t0.1\t0.4\t1.6\nc\t0.0001\t0.0004\t0.0016\nd\t0.5\t0.49\t0.51\nmemory\t1\n"
        #expect(Self.slow(in: output) == ["b"])
    }
}
