import AshlarTestSupport
import Testing

@testable import AshlarNetworking

@Suite struct CacheRuleTests {
    static let rules: [CacheRules.Case] = [
        CacheRules.freshness, CacheRules.ages, CacheRules.heuristics, CacheRules.storing, CacheRules.vary,
        CacheRules.response, CacheRules.request,
    ].flatMap(\.self)

    @Test("There are at least 150 rules, each with its own name")
    func count() {
        #expect(Self.rules.count >= 150)
        #expect(CacheRules.date(0) == "Sun, 06 Nov 1994 08:49:37 GMT" && CacheRules.date(-100_000_000).hasSuffix("GMT"))
    }

    @Test("The second request is answered by the rules of RFC 9111", arguments: rules)
    func rule(input: CacheRules.Case) async throws {
        let time = Mutex(CacheRules.start)
        let cache = ResponseCache(MemoryCacheStore(limit: 1 << 20), clock: { time.withLock { $0 } })
        let sent = Mutex<[NetworkRequest]>([])
        let next = NetworkNext { request throws(NetworkError) in
            sent.withLock { $0.append(request) }
            time.withLock { $0 += Int64(input.delay) }
            let head = ResponseHead(status: input.status, headers: input.response)
            return StreamedResponse(head: head, body: ResponseBody([1, 2, 3]), url: request.url)
        }
        let step = CacheMiddleware(cache)
        let url = "https://api.example.com/a"
        let first = try await step.intercept(NetworkRequest(input.method, url, headers: input.first), next: next)
        #expect(try await first.body.collect() == [1, 2, 3])
        // Dates are relative to the arrival of the first response.
        time.withLock { $0 = CacheRules.start + Int64(input.delay + input.seconds) }
        let request = try NetworkRequest(.get, url, headers: input.second)
        let explanation = cache.decideNow(CacheQuery(request)).description
        let second = try await step.intercept(request, next: next)
        let isConditional = ["If-None-Match", "If-Modified-Since"].map { name in
            sent.withLock { $0.last }?.headers[name] != nil && input.second[name] == nil
        }.contains(true)
        let found: CacheRules.Expectation
        if second.status == 504 && input.status != 504 {
            found = .unavailable
        } else if second.headers["Cache-Status"]?.contains("hit; ttl") == true {
            found = .cached
        } else {
            found = isConditional ? .validated : .requested
        }
        switch input.expected {
        case .cachedAndValidated:
            #expect(found == .cached && explanation.hasPrefix("cached"))
            try await until { sent.withLock { $0.count } == 2 }
        default:
            #expect(found == input.expected, "\(explanation)")
            #expect(explanation.hasPrefix("cached") == (found == .cached))
            #expect(sent.withLock { $0.count } == (found == .cached || found == .unavailable ? 1 : 2))
        }
        if found == .cached { #expect(try await second.body.collect() == [1, 2, 3]) }
    }
}
