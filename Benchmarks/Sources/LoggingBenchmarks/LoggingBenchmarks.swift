import AshlarLogging
import BenchmarkHarness

@main
struct LoggingBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("Logging")
        suite.row(
            "an empty loop", ours: Contender("loop") { n in for i in 0..<n { blackHole(i) } },
            against: [Peer(Contender("the same loop") { n in for i in 0..<n { blackHole(i) } }, .atMost(1.2))])
        suite.finish()
    }
}
