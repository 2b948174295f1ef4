import AshlarLogging
import AshlarTelemetry
import BenchmarkHarness
import Foundation

/// The cost of a start with many old runs, and of reading a long prior run.
struct StartRows {
    let bench: Bench

    func run(_ suite: inout BenchmarkSuite) {
        suite.value(
            "start with 1,000 old runs", unit: "ms", bar: .below(15),
            note: "median of 15 starts; SIGKILL loses none of the old runs"
        ) {
            let folder = bench.folder + "/old"
            makeOldRuns(1000, in: folder)
            // When ext4 creates a file, it searches the inodes that were deleted in the last five seconds.
            sleep(6)
            return median(
                (0..<15).map { _ in
                    LogSystem.shutdown()
                    // The background work of the previous start must be over.
                    usleep(50_000)
                    var configuration = configuration(folder)
                    // Nothing is removed, so that every start finds the same number of runs.
                    configuration.retention.runs = .max
                    configuration.retention.bytes = .max
                    configuration.retention.age = .seconds(1 << 40)
                    return milliseconds { LogSystem.start(configuration) }
                })
        }
        suite.value(
            "reading a prior run of 8 MiB", unit: "ms", bar: .below(15),
            note: "median of 15 reads; SIGKILL loses none of it"
        ) {
            let folder = bench.folder + "/long"
            LogSystem.start(configuration(folder))
            let lines = 8 << 20
            let text = String(repeating: "x", count: 80)
            for _ in 0..<lines / 96 { bench.log.info("\(text)") }
            LogSystem.shutdown()
            let report = LogSystem.start(configuration(folder))
            guard let prior = report.priorRun else { return .infinity }
            return median((0..<15).map { _ in milliseconds { blackHole(prior.log.utf8.count) } })
        }
        suite.value(
            "reading a prior run of 8 MiB as records", unit: "ms", bar: nil,
            note: "median of 3 reads of the run above; SIGKILL loses none of it"
        ) {
            let folder = bench.folder + "/long"
            guard let prior = LogSystem.start(configuration(folder)).priorRun else { return .infinity }
            let reader = LogReader(folder: folder)
            return median((0..<3).map { _ in milliseconds { blackHole(reader.lines(of: prior).count) } })
        }
    }

    private func configuration(_ folder: String) -> LogConfiguration {
        LogConfiguration(folder: folder, sinks: [])
    }

    /// Creates runs of this application by starting and ending one run and copying its files.
    private func makeOldRuns(_ count: Int, in folder: String) {
        LogSystem.start(configuration(folder))
        bench.log.info("old")
        LogSystem.shutdown()
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: folder) else { return }
        for index in 0..<count {
            for name in names {
                let copy = name.replacingOccurrences(
                    of: "run-\\d{19}", with: "run-" + String(1_000_000_000_000_000_000 + index),
                    options: .regularExpression)
                try? manager.copyItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/\(copy)")
            }
        }
    }

    private func milliseconds(_ body: () -> Void) -> Double {
        let duration = ContinuousClock().measure(body).components
        return Double(duration.seconds) * 1e3 + Double(duration.attoseconds) / 1e15
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
