import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// Cases like those that the public suite at cache-tests.fyi runs in browsers, under its names where they are known.
///
/// The cases are written from the names and their meaning, not copied, and run on a clock of their own. "Optional" cases are
/// those in which a response may be reused but needn't.
@Suite(.timeLimit(.minutes(3))) struct BrowserCacheTests {
    static let all: [BrowserCacheCase] = [
        BrowserCacheCases.freshness, BrowserCacheCases.expires, BrowserCacheCases.ages, BrowserCacheCases.directives,
        BrowserCacheCases.statuses, BrowserCacheCases.vary, BrowserCacheCases.conditions, BrowserCacheCases.updates,
        BrowserCacheCases.invalidations, BrowserCacheCases.others,
    ].flatMap(\.self)

    /// Optional cases that the cache doesn't use on purpose: it combines no parts, and stores no redirects, which the
    /// client follows inside the cache.
    static let unused: Set<String> = [
        "partial-store-partial-reuse-partial", "partial-store-partial-complete", "status-301-fresh", "status-302-fresh",
        "status-303-fresh", "status-307-fresh", "status-308-fresh", "heuristic-300-cached", "heuristic-301-cached",
        "heuristic-308-cached",
    ]

    @Test("The cache handles the cases of the public suite for browsers as required")
    func cases() async throws {
        var failed: [String] = []
        var passed = 0
        for item in Self.all {
            let world = BrowserCacheWorld()
            let hasPassed = (try? await item.run(world)) ?? false
            if hasPassed, item.isRequired { passed += 1 }
            if hasPassed == Self.unused.contains(item.name) { failed.append(item.name) }
        }
        let required = Self.all.filter(\.isRequired).count
        print("cache: \(passed) of \(required) required cases passed, \(Self.all.count - required) cases are optional")
        #expect(failed.isEmpty, "\(failed)")
        #expect(Set(Self.all.map(\.name)).count == Self.all.count)
        #expect(passed == required && required >= 137)
    }
}

struct BrowserCacheCase: Sendable {
    let name: String
    var isRequired = true
    /// Returns whether the cache does what the case requires, or may do.
    let run: @Sendable (BrowserCacheWorld) async throws -> Bool
}

/// A client with a cache and a clock, and a server whose answers are given in advance.
struct BrowserCacheWorld: Sendable {
    final class Server: Sendable {
        let answers = Mutex<[StubResponse]>([])
        let requests = Mutex<[NetworkRequest]>([])
    }

    final class Clock: Sendable { let time = Mutex(CacheRules.start) }

    private let server: Server
    private let clock: Clock
    private let client: NetworkClient

    init() {
        let (server, clock) = (Server(), Clock())
        var configuration = ClientConfiguration()
        configuration.cache = ResponseCache(
            MemoryCacheStore(limit: 1 << 20), clock: { clock.time.withLock { $0 } })
        configuration.retry = nil
        let stub = StubTransport { request in
            server.requests.withLock { $0.append(request) }
            return server.answers.withLock { $0.isEmpty ? .status(500) : $0.removeFirst() }
        }
        client = NetworkClient(configuration, transport: stub)
        self.server = server
        self.clock = clock
    }

    /// The number of requests that reached the server.
    var count: Int { server.requests.withLock { $0.count } }
    var last: NetworkRequest? { server.requests.withLock { $0.last } }

    func wait(_ seconds: Int) { clock.time.withLock { $0 += Int64(seconds) } }

    /// Sends a request, which gets the answer unless the cache responds.
    @discardableResult
    func send(
        _ answer: StubResponse, _ headers: HTTPHeaders = [:], method: HTTPMethod = .get, path: String = "/"
    ) async throws -> NetworkResponse {
        server.answers.withLock { $0 = [answer] }
        var request = try NetworkRequest(method, "https://h" + path, headers: headers)
        request.options.redirects = 0
        request.options.acceptedStatuses = nil
        return try await client.send(request)
    }
}

func cacheAnswer(_ headers: HTTPHeaders, status: Int = 200, _ text: String = "first") -> StubResponse {
    StubResponse(status: status, headers: headers, chunks: status == 204 || status == 304 ? [] : [Array(text.utf8)])
}

/// The result of the second of two requests.
enum CacheReuse: Sendable { case reused, notReused, validated }

extension BrowserCacheCases {
    /// Two equal requests: the server answers the first, and the second is reused or not.
    static func two(
        _ name: String, _ headers: HTTPHeaders, _ expected: CacheReuse, optional: Bool? = nil, status: Int = 200,
        after seconds: Int = 3, first: HTTPHeaders = [:], second: HTTPHeaders? = nil
    ) -> BrowserCacheCase {
        BrowserCacheCase(name: name, isRequired: optional.map { !$0 } ?? (expected != .reused)) { world in
            try await world.send(cacheAnswer(headers, status: status), first)
            world.wait(seconds)
            let response = try await world.send(cacheAnswer([:], "second"), second ?? first)
            let isReused = world.count == 1
            let text = String(decoding: response.bytes, as: UTF8.self)
            guard isReused == (text != "second") else { return false }
            switch expected {
            case .reused: return isReused
            case .notReused: return !isReused
            case .validated:
                return !isReused
                    && ["If-None-Match", "If-Modified-Since"].contains { world.last?.headers.contains($0) == true }
            }
        }
    }
}
