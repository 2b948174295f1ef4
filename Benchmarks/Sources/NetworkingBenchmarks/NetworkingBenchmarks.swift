import BenchmarkHarness

@main
struct NetworkingBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("Networking")
        jsonRows(&suite)
        hostRows(&suite)
        suite.finish()
    }
}
