import BenchmarkHarness

@main
struct NetworkingBenchmarks {
    static func main() {
        if CountedRequests.runIfNamed() { return }
        var suite = BenchmarkSuite("Networking")
        if let server = Nginx() {
            defer { server.stop() }
            suite.getRows(server)
            suite.instructionRows(server)
            suite.streamRows(server)
            suite.timeRows(server)
        }
        suite.chainRows()
        jsonRows(&suite)
        hostRows(&suite)
        suite.finish()
    }
}
