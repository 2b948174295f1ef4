import BenchmarkHarness

@main
struct EventBusBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("AshlarEventBus")
        suite.triggerRows()
        suite.watchRows()
        suite.deliveryRows()
        RouterRows.run(&suite)
        suite.finish()
    }
}
