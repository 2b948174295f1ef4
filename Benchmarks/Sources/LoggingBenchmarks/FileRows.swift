import AshlarLogging
import BenchmarkHarness
import Foundation

/// The cost of a line in each mode.
struct FileRows {
    let bench: Bench

    func run(_ suite: inout BenchmarkSuite) {
        // A bare write has no time to read or print, so it is compared with lines without time.
        let plain = PlainWriter(path: bench.folder + "/plain")
        bench.start(.writeThrough, format: .myLogger)
        suite.row(
            "line without time to a file, .writeThrough", note: "SIGKILL loses 0 lines",
            ours: Contender("write(2) per line (SIGKILL loses 0)") { n in bench.logLines(n) },
            against: [
                Peer(
                    Contender("bare write(2) of the same bytes (SIGKILL loses 0)") { n in plain.write(n) },
                    .atMost(1.6))
            ])
        suite.row(
            "line without time to a file by 2 threads, .writeThrough",
            note: "SIGKILL loses 0 lines; wall time per line",
            ours: Contender("2 threads (SIGKILL loses 0)") { n in byThreads(2, n) },
            against: [
                Peer(
                    Contender("bare write(2) by 2 threads (SIGKILL loses 0)") { n in plain.write(n, threads: 2) },
                    .atMost(2.2))
            ])
        bench.start(.writeThrough)
        suite.row(
            "line to a file, .writeThrough", note: "SIGKILL loses 0 lines; both print the time",
            ours: Contender("write(2) per line (SIGKILL loses 0)") { n in bench.logLines(n) },
            against: [Peer(SpdlogPeer.flushed, .atMost(1.3))])
        suite.row(
            "line to a file by 2 threads, .writeThrough",
            note: "SIGKILL loses 0 lines; both print the time; wall time per line; a mutex without spinning",
            ours: Contender("2 threads (SIGKILL loses 0)") { n in byThreads(2, n) },
            against: [Peer(SpdlogPeer.two, .atMost(2))])
        suite.row(
            "line to a file by 8 threads, .writeThrough",
            note: "SIGKILL loses 0 lines; both print the time; wall time per line; a mutex without spinning",
            ours: Contender("8 threads (SIGKILL loses 0)") { n in byThreads(8, n) },
            against: [Peer(SpdlogPeer.eight, .atMost(1.6))])
        bench.start(.mapped)
        suite.row(
            "line to a file, .mapped",
            note: "SIGKILL loses 0 lines of ours, up to 4 KiB of the peer's; both print the time",
            ours: Contender("store into a mapped file (SIGKILL loses 0)") { n in bench.logLines(n) },
            // 0.7 × the limit of a line that is handed to the kernel.
            against: [Peer(SpdlogPeer.buffered), Peer(SpdlogPeer.flushed, .atMost(0.91))])
    }

    private func byThreads(_ threads: Int, _ count: Int) {
        DispatchQueue.concurrentPerform(iterations: threads) { _ in bench.logLines(count / threads) }
    }
}

/// The minimum: one write(2) of a prepared line.
final class PlainWriter: Sendable {
    private let descriptor: Int32
    private let line: [UInt8]

    init(path: String) {
        descriptor = open(path, O_CREAT | O_WRONLY | O_APPEND | O_TRUNC, 0o600)
        line = Array("[INFO] bench - message 12345 of 67890\n".utf8)
    }

    func write(_ count: Int, threads: Int = 1) {
        guard threads > 1 else { return writeLines(count) }
        DispatchQueue.concurrentPerform(iterations: threads) { _ in writeLines(count / threads) }
    }

    private func writeLines(_ count: Int) {
        line.withUnsafeBytes { bytes in
            for _ in 0..<count { blackHole(Foundation.write(descriptor, bytes.baseAddress, bytes.count)) }
        }
    }
}
