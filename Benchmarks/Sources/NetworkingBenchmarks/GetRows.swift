import AshlarNetworking
import BenchmarkHarness
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if CURL
    import CCurlPeer
#endif

/// The endpoint that all rows of small requests send.
struct Hello: Endpoint {
    typealias Output = [UInt8]
    let host: EndpointHost
    let path: EndpointPath = "hello.json"
}

/// Gives out a number of turns.
final class Countdown: Sendable {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }
    func next() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}

/// Runs `n` operations, `width` at a time.
func concurrently(_ n: Int, width: Int, _ operation: @escaping @Sendable () async -> Bool) async -> Int {
    let left = Countdown(n)
    return await withTaskGroup(of: Int.self) { group in
        for _ in 0..<min(width, n) {
            group.addTask {
                var good = 0
                while left.next() { good += await operation() ? 1 : 0 }
                return good
            }
        }
        return await group.reduce(0, +)
    }
}

func check(_ good: Int, of n: Int) { precondition(good == n, "only \(good) of \(n) answers were whole") }

extension BenchmarkSuite {
    mutating func getRows(_ server: Nginx) {
        var configuration = ClientConfiguration()
        configuration.transport.connectionsPerHost = 64
        let client = NetworkClient(configuration)
        print("transport: \(client.transportDescription)\n")
        let size = Nginx.body.utf8.count
        let endpoint = Hello(host: .url(server.url))
        let ours: @Sendable () async -> Bool = { (try? await client.send(endpoint))?.count == size }
        let settings = URLSessionConfiguration.ephemeral
        settings.httpMaximumConnectionsPerHost = 64
        let session = URLSession(configuration: settings)
        guard let url = URL(string: server.url + "/hello.json") else { return }
        let theirs: @Sendable () async -> Bool = { (try? await session.data(from: url))?.0.count == size }

        defer { Placement.unpinned.apply(to: server) }
        for placement in Placement.allCases {
            placement.apply(to: server)
            for (width, session) in [(1, 1 / 3.5), (16, 1.0 / 3.5), (64, nil)] as [(Int, Double?)] {
                let urlSession = Peer(
                    Contender(async: "URLSession.data(from:)") { n in
                        check(await concurrently(n, width: width, theirs), of: n)
                    }, session.map { .atMost($0) })
                let curl = Peer(Self.curl(server, width: width, size: size), .atMost(2))
                row(
                    "GET ×\(width)" + placement.suffix, note: "29 bytes over keep-alive", allocations: 80,
                    ours: Contender(async: "client.send(endpoint)") { n in
                        check(await concurrently(n, width: width, ours), of: n)
                    }, against: placement == .pinned ? [curl] : [urlSession, curl])
            }
        }
        #if CURL
            for placement in Placement.allCases {
                placement.apply(to: server)
                for width in [16, 64] {
                    value(
                        "processor time of GET ×\(width)" + placement.suffix, unit: "× C libcurl", bar: .below(2),
                        note: "all threads, median of 31"
                    ) {
                        Self.processorRatio(server.url + "/hello.json", size: size, width: width) { n in
                            await concurrently(n, width: width, ours)
                        }
                    }
                }
            }
            Placement.unpinned.apply(to: server)
            value(
                "processor time of a GET every 10 ms", unit: "× C libcurl", bar: .below(2),
                note: "all threads, median of 5 times 100 requests"
            ) {
                Self.pacedRatio(server.url + "/hello.json", size: size, ours)
            }
        #endif
    }

    private static func curl(_ server: Nginx, width: Int, size: Int) -> Contender {
        #if CURL
            let url = server.url + "/hello.json"
            if width == 1 {
                return Contender("C libcurl, easy") { n in check(Int(ccurl_easy_gets(url, Int32(n), size)), of: n) }
            }
            return Contender("C libcurl, multi") { n in
                check(Int(ccurl_multi_gets(url, Int32(n), Int32(width), size)), of: n)
            }
        #else
            return .missing("C libcurl", because: "libcurl4-openssl-dev is not installed")
        #endif
    }

    #if CURL
        private static func processorRatio(
            _ url: String, size: Int, width: Int, _ ours: @escaping @Sendable (Int) async -> Int
        ) -> Double {
            let n = 2000
            let ratios = (0..<31).map { _ in
                let mine = processorTime {
                    let done = DispatchSemaphore(value: 0)
                    Task.detached {
                        check(await ours(n), of: n)
                        done.signal()
                    }
                    done.wait()
                }
                return mine / processorTime { check(Int(ccurl_multi_gets(url, Int32(n), Int32(width), size)), of: n) }
            }
            return ratios.sorted()[15]
        }
    #endif

    #if CURL
        private static func pacedRatio(
            _ url: String, size: Int, _ ours: @escaping @Sendable () async -> Bool
        ) -> Double {
            let n = 100
            let ratios = (0..<5).map { _ in
                let mine = processorTime {
                    let done = DispatchSemaphore(value: 0)
                    Task.detached {
                        for _ in 0..<n {
                            check(await ours() ? 1 : 0, of: 1)
                            pause()
                        }
                        done.signal()
                    }
                    done.wait()
                }
                return mine
                    / processorTime {
                        for _ in 0..<n {
                            check(Int(ccurl_easy_gets(url, 1, size)), of: 1)
                            pause()
                        }
                    }
            }
            return ratios.sorted()[2]
        }

        private static func pause() { usleep(10_000) }
    #endif

    private static func processorTime(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        let start = now()
        work()
        return now() - start
    }
}
