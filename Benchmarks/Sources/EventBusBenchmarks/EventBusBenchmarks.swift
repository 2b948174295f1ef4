import BenchmarkHarness

@main
struct EventBusBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("AshlarEventBus")
        suite.triggerRows()
        suite.watchRows()
        suite.deliveryRows()
        suite.scaleRows()
        RouterRows.run(&suite)
        suite.finish()
    }
}
