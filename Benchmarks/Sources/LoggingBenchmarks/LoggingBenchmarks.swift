import AshlarLogging
import BenchmarkHarness
import Foundation

@main
struct LoggingBenchmarks {
    static func main() {
        // Otherwise glibc's localtime calls stat(2) for each line of every logger that prints local time.
        setenv("TZ", "UTC", 1)
        let bench = Bench()
        defer { bench.cleanUp() }
        var suite = BenchmarkSuite("AshlarLogging")
        CallRows(bench: bench).run(&suite)
        SecretRows(bench: bench).run(&suite)
        FileRows(bench: bench).run(&suite)
        StartRows(bench: bench).run(&suite)
        suite.finish()
    }
}

/// The folder and the logger of all rows.
final class Bench: Sendable {
    let folder = NSTemporaryDirectory() + "ashlar-logging-benchmarks-\(getpid())"
    let log = Log("bench")

    init() {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        SpdlogPeer.open(flushed: folder + "/flushed", buffered: folder + "/buffered")
    }

    func cleanUp() {
        LogSystem.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts a run in a storage mode, or in memory if the mode is nil.
    func start(_ mode: LogStorageMode?, format: LogFormat = .standard, revealsSecrets: Bool = false) {
        let runs = mode.map { _ in "\(folder)/runs" }
        var configuration = LogConfiguration(folder: runs, sinks: [])
        configuration.mode = mode ?? .writeThrough
        configuration.format = format
        configuration.revealsPrivateValues = revealsSecrets
        LogSystem.shutdown()
        let report = LogSystem.start(configuration)
        precondition(report.mode == configuration.mode, "the mode cannot be measured here: \(report)")
    }

    @inline(never)
    func logLines(_ count: Int) {
        let log = log
        for i in 0..<count { log.info("message \(i) of \(count)") }
    }
}
