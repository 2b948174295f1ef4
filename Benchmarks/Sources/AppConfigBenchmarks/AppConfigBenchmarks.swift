import AshlarAppConfig
import BenchmarkHarness

@main
struct AppConfigBenchmarks {
    static func main() {
        var suite = BenchmarkSuite("AppConfig")
        readRows(&suite)
        decodeRows(&suite)
        loadRows(&suite)
        suite.finish()
    }
}
