import Foundation

/// Runs the benchmark rows of one module, prints them as a table and writes them as JSON.
///
/// Command-line options: `--filter TEXT` runs the rows whose name contains the text, `--samples N` sets the number of
/// samples (at least 30), `--json FILE` writes the results, and `--quick` takes fewer samples, which is not enough for
/// published figures.
public struct BenchmarkSuite {
    private let module: String
    private let filter: String?
    private let jsonFile: String?
    private let sampler: Sampler
    private var results: [RowResult] = []

    /// Reads the options and prints the heading.
    public init(_ module: String, arguments: [String] = CommandLine.arguments) {
        self.module = module
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        filter = option("--filter")
        jsonFile = option("--json")
        let isQuick = arguments.contains("--quick")
        sampler = Sampler(
            samples: isQuick ? 5 : max(30, option("--samples").flatMap(Int.init) ?? 30),
            sampleTime: isQuick ? 1e6 : 5e6)
        print(
            "\(module): \(sampler.samples) interleaved samples of \(Int(sampler.sampleTime / 1e6)) ms or more per contender"
        )
        print(
            "ratio = median of the per-sample ratios of ours to the peer; per operation: wall median, p90, processor time\n"
        )
    }

    /// Measures an operation and its peers in one run.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - note: Information needed to interpret the figure, such as the data that a killed process loses.
    ///   - allocations: The maximum number of heap allocations per operation, if there is a limit.
    ///   - ours: The operation.
    ///   - peers: The operations to compare it with.
    public mutating func row(
        _ name: String, note: String? = nil, allocations: Double? = nil, ours: Contender, against peers: [Peer]
    ) {
        guard isWanted(name), let run = ours.run else { return }
        let present = peers.filter { $0.contender.run != nil }
        let contenders =
            [(name: ours.name, run: run)]
            + present.compactMap { peer in
                peer.contender.run.map { (name: peer.contender.name, run: $0) }
            }
        let (measurements, ratios) = sampler.measure(contenders)
        var comparisons = zip(present, ratios.dropFirst()).map { peer, ratio in
            Comparison(
                peer: peer.contender.name, ratio: ratio, bar: peer.bar, isMet: peer.bar?.isMet(by: ratio), leftOut: nil)
        }
        comparisons += peers.filter { $0.contender.run == nil }.map {
            Comparison(peer: $0.contender.name, ratio: nil, bar: $0.bar, isMet: nil, leftOut: $0.contender.reason)
        }
        if let allocations, let measured = measurements[0].allocations {
            let bar = Bar.below(allocations)
            comparisons.append(
                Comparison(
                    peer: "allocations", ratio: measured, bar: bar, isMet: bar.isMet(by: measured), leftOut: nil))
        }
        add(
            RowResult(
                name: name, note: note, measurements: measurements, comparisons: comparisons, value: nil, unit: nil))
    }

    /// Records a value that the closure measures, such as bytes of memory.
    public mutating func value(
        _ name: String, unit: String, bar: Bar? = nil, note: String? = nil, measure: () -> Double
    ) {
        guard isWanted(name) else { return }
        let value = measure()
        let comparisons = bar.map {
            [Comparison(peer: "bar", ratio: value, bar: $0, isMet: $0.isMet(by: value), leftOut: nil)]
        }
        add(
            RowResult(
                name: name, note: note, measurements: [], comparisons: comparisons ?? [], value: value, unit: unit))
    }

    /// Prints the number of satisfied bars, and writes the JSON file if requested.
    public func finish() {
        let judged = results.flatMap(\.comparisons).compactMap(\.isMet)
        print("\n\(module): \(judged.filter { $0 }.count) of \(judged.count) bars met")
        guard let jsonFile else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(results).write(to: URL(fileURLWithPath: jsonFile))
        } catch {
            print("can't write \(jsonFile): \(error)")
        }
    }

    func isWanted(_ name: String) -> Bool { filter.map { name.contains($0) } ?? true }

    private mutating func add(_ row: RowResult) {
        results.append(row)
        print(row.name + (row.note.map { "  (\($0))" } ?? ""))
        if let value = row.value { print("    \(value.short) \(row.unit ?? "")") }
        for measurement in row.measurements {
            let allocations = measurement.allocations.map { ", \($0.short) allocations" } ?? ""
            print(
                "    \(measurement.name.padded(to: 44)) \(measurement.median.time)  p90 \(measurement.p90.time)"
                    + "  cpu \(measurement.cpu.time)\(allocations)")
        }
        for comparison in row.comparisons {
            if let leftOut = comparison.leftOut {
                print("      not measured: \(comparison.peer) (\(leftOut))")
                continue
            }
            let verdict = comparison.isMet.map { $0 ? "met" : "NOT MET" } ?? ""
            let isRatio = !["allocations", "bar"].contains(comparison.peer)
            let figure = (comparison.ratio?.short ?? "") + (isRatio ? " × \(comparison.peer)" : " \(comparison.peer)")
            print("      \(figure.padded(to: 50)) \(comparison.bar?.text ?? "") \(verdict)")
        }
        fflush(nil)
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Double {
    /// Nanoseconds as text, scaled to ns, µs, ms or s.
    var time: String {
        switch self {
        case ..<1e3: "\(short) ns"
        case ..<1e6: "\((self / 1e3).short) µs"
        case ..<1e9: "\((self / 1e6).short) ms"
        default: "\((self / 1e9).short) s"
        }
    }
}
