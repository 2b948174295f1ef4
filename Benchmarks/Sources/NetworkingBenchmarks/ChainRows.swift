import AshlarNetworking
import BenchmarkHarness
import Dispatch

/// Answers at once, so that only the client's own work is measured.
struct Immediate: NetworkTransport {
    let headers: HTTPHeaders

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        StreamedResponse(head: ResponseHead(status: 200, headers: headers), body: ResponseBody(), url: request.url)
    }
}

extension BenchmarkSuite {
    /// The middleware chain without anything to do, and an answer from the cache.
    mutating func chainRows() {
        var configuration = ClientConfiguration()
        let plain = NetworkClient(configuration, transport: Immediate(headers: ["Cache-Control": "no-store"]))
        configuration.cache = .memory()
        configuration.authentication = .bearer("token")
        configuration.authentication?.hosts = ["api.example.com"]
        configuration.retry = .standard
        let chain = NetworkClient(configuration, transport: Immediate(headers: ["Cache-Control": "no-store"]))
        for method in [HTTPMethod.post, .get] {
            guard let request = try? NetworkRequest(method, "https://api.example.com/notes/5") else { return }
            let cost = Once { Self.difference(plain, chain, request) }
            // The bars are those of a request that concerns neither the cache nor a retry.
            let isIdle = method == .post
            value(
                "cache, authentication and retries, idle: \(method)", unit: "µs more", bar: isIdle ? .below(3) : nil,
                note: "median of 31 differences"
            ) { cost.value.time }
            value(
                "cache, authentication and retries, idle: \(method), allocations", unit: "allocations more",
                bar: isIdle ? .below(6) : nil
            ) { cost.value.allocations }
        }
        guard let request = try? NetworkRequest(.get, "https://api.example.com/notes/5") else { return }
        let cached = NetworkClient(configuration, transport: Immediate(headers: ["Cache-Control": "max-age=3600"]))
        value("an answer from the cache in memory", unit: "µs", bar: .below(10), note: "median of 31") {
            Self.median((0..<31).map { _ in Self.cost(cached, request, 500).time })
        }
    }

    /// A value that two rows share.
    private final class Once<Value> {
        private let make: () -> Value
        lazy var value = make()
        init(_ make: @escaping () -> Value) { self.make = make }
    }

    private typealias Cost = (time: Double, allocations: Double)

    private static func difference(_ a: NetworkClient, _ b: NetworkClient, _ request: NetworkRequest) -> Cost {
        _ = (cost(a, request, 500), cost(b, request, 500))
        let pairs = (0..<31).map { _ in (cost(a, request, 500), cost(b, request, 500)) }
        return (
            median(pairs.map { $1.time - $0.time }), median(pairs.map { $1.allocations - $0.allocations })
        )
    }

    /// The microseconds and allocations of a request.
    private static func cost(_ client: NetworkClient, _ request: NetworkRequest, _ n: Int) -> Cost {
        let done = DispatchSemaphore(value: 0)
        let before = heapAllocations() ?? 0
        let start = ContinuousClock.now
        Task.detached {
            var good = 0
            for _ in 0..<n { good += (try? await client.send(request)) == nil ? 0 : 1 }
            check(good, of: n)
            done.signal()
        }
        done.wait()
        let time = (ContinuousClock.now - start) / .microseconds(1) / Double(n)
        return (time, Double((heapAllocations() ?? 0) - before) / Double(n))
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
