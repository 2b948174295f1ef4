import AshlarTestSupport
import Foundation
import Testing

/// The cost of documents that an attacker writes, for the parsers of all modules.
///
/// Valgrind counts the instructions of parsers, which nothing else on the machine changes. Where it isn't installed, for
/// exchanges, whose tasks run on threads of Dispatch, and in long tests, processor time is compared; a family is too slow
/// if each of several runs shows it.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    private static let program = "AshlarCostTestChild"

    /// Reads the documents of all families, or of those whose name begins with a prefix.
    ///
    /// The output ends with the name of a parser that didn't end in time.
    private static func read(_ factor: Int, _ prefix: String = "", within limit: Int) throws -> String {
        try TestChild(program, [String(factor), prefix], limit: .seconds(limit)).run()
    }

    /// The output for all families, which both tests use.
    private static let output = Result { try read(12, within: 100) }

    private static func columns(_ output: String) -> [(name: String, costs: [Double])] {
        output.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t")
            return (String(columns[0]), columns.dropFirst().compactMap { Double($0) })
        }
    }

    /// Whether the costs of one, two and four times the size more than double.
    ///
    /// Differences are compared, because a part of the costs doesn't depend on the size.
    private static func grows(_ costs: [Double]) -> Bool {
        costs.count == 3 && costs[2] - costs[1] > 2.5 * (costs[1] - costs[0])
    }

    /// The families of an output whose times more than double with the size.
    private static func slow(in output: String) -> [String] {
        // Differences of short and of nearly equal times depend on chance.
        columns(output).filter { grows($0.costs) && $0.costs[2] > max(0.01, 2 * $0.costs[0]) }.map(\.name)
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

    @Test(
        "A document of twice the size needs at most 2.5 times the steps",
        .enabled(if: Valgrind.isInstalled, "valgrind is not installed (Debian package valgrind)"))
    func steps() throws {
        let (output, counts) = try Valgrind.count(Self.program, ["steps", isSoak ? "4" : "1"])
        let families = Self.columns(output)
        #expect(families.count > 60)
        for (name, processes) in families {
            let steps = processes.compactMap { counts[Int($0)] }
            try #require(steps.count == 4, "\(name) failed")
            #expect(!Self.grows(steps.dropFirst().map { $0 - steps[0] }), "\(name): \(steps)")
        }
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

    @Test("The comparison finds a family whose costs are quadratic")
    func comparison() {
        let output = "a\t0.1\t0.2\t0.4\nb\t0.1\t0.4\t1.6\nc\t0.0001\t0.0004\t0.0016\nd\t0.5\t0.49\t0.51\nmemory\t1\n"
        #expect(Self.slow(in: output) == ["b"])
        #expect(Self.grows([100, 400, 1600]) && Self.grows([1_000_100, 1_000_400, 1_001_600]))
        #expect(!Self.grows([100, 200, 400]) && !Self.grows([100, 220, 480]))
    }
}

/// Counts instructions.
private enum Valgrind {
    private static let path = "/usr/bin/valgrind"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// Runs a program, and returns its output and the instructions of its processes, by their IDs.
    static func count(_ program: String, _ arguments: [String]) throws -> (output: String, counts: [Int: Double]) {
        let folder = TemporaryFolder()
        try folder.make()
        // Valgrind can't read the debug information of all compilers.
        let stripped = folder.path + "/program"
        try run("/usr/bin/strip", ["--strip-debug", "-o", stripped, TestChild.executable(program).path], folder)
        let options = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        let log = folder.path + "/log"
        let limit = isSoak ? "1200" : "300"
        let output = try run(
            "/usr/bin/timeout", [limit, path] + options + ["--log-file=\(log)", stripped] + arguments, folder)
        var counts: [Int: Double] = [:]
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            // ==1234== I   refs:      1,234,567
            guard line.contains("refs:"), let process = Int(line.dropFirst(2).prefix { $0 != "=" }) else { continue }
            counts[process] = line.split(separator: " ").last.flatMap { Double($0.filter { $0 != "," }) }
        }
        return (output, counts)
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String], _ folder: TemporaryFolder) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = [
            "SWIFT_DETERMINISTIC_HASHING": "1",
            // Valgrind takes each byte of `rep stosb` and `rep movsb` for an instruction.
            "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=100000:glibc.cpu.x86_rep_movsb_threshold=100000",
        ]
        let output = folder.path + "/output"
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableRuntimeMismatch) }
        return try String(contentsOfFile: output, encoding: .utf8)
    }
}
