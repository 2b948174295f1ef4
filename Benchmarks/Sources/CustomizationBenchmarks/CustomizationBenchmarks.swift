import AshlarCustomization
import BenchmarkHarness

@main
struct CustomizationBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("Customization")
        suite.row(
            "an empty loop", ours: Contender("loop") { n in for i in 0..<n { blackHole(i) } },
            against: [Peer(Contender("the same loop") { n in for i in 0..<n { blackHole(i) } }, .atMost(1.2))])
        suite.finish()
    }
}
