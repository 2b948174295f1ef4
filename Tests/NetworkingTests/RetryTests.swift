import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

import struct AshlarCore.Backoff

@testable import AshlarNetworking

/// Retries on a virtual clock.
@Suite struct RetryTests {
    private let url = "https://api.example.com/notes"

    /// Returns responses in order and counts the attempts; the last response repeats.
    private final class Script: Sendable {
        private let answers: [Result<ResponseHead, NetworkError>]
        private let count = Mutex(0)
        var attempts: Int { count.withLock { $0 } }

        init(_ answers: [Result<ResponseHead, NetworkError>]) { self.answers = answers }

        var next: NetworkNext {
            NetworkNext { [self] request throws(NetworkError) in
                let index = count.withLock { count in
                    defer { count += 1 }
                    return min(count, answers.count - 1)
                }
                return StreamedResponse(head: try answers[index].get(), body: ResponseBody(), url: request.url)
            }
        }
    }

    /// The delays of the standard policy.
    private static let backoff = Backoff(first: .milliseconds(200), ceiling: .seconds(20), seed: 7)

    private func answer(_ status: Int, _ headers: HTTPHeaders = [:]) -> Result<ResponseHead, NetworkError> {
        .success(ResponseHead(status: status, headers: headers))
    }

    private func failure(_ code: NetworkError.Code, _ phase: NetworkPhase) -> Result<ResponseHead, NetworkError> {
        .failure(NetworkError(code, phase: phase))
    }

    private func run(
        _ request: NetworkRequest, _ script: Script, _ policy: RetryPolicy = .standard
    ) async -> (status: Int?, error: NetworkError?, slept: [Duration]) {
        let clock = ManualClock(advancesItself: true)
        let retry = RetryMiddleware(policy, clock: clock, seed: Self.backoff.seed)
        do throws(NetworkError) {
            return (try await retry.intercept(request, next: script.next).status, nil, clock.slept)
        } catch {
            return (nil, error, clock.slept)
        }
    }

    @Test("The attempts of a request's options replace those of the policy", arguments: [nil, 1, 2, 4, 0, -1])
    func attemptsOfRequest(attempts: Int?) async throws {
        var request = try NetworkRequest(.get, url)
        request.options.attempts = attempts
        let script = Script([answer(503)])
        #expect(await run(request, script).status == 503)
        #expect(script.attempts == max(1, attempts ?? 3))
    }

    @Test("A failed GET is sent again with increasing delays, until it succeeds or the attempts are used up")
    func attempts() async throws {
        let request = try NetworkRequest(.get, url)
        let recovering = Script([failure(.connectionLost, .wait), answer(503), answer(200)])
        let result = await run(request, recovering)
        #expect(result.status == 200 && recovering.attempts == 3)
        #expect(result.slept == [1, 2].map { Self.backoff.pause(beforeRetry: $0) })
        let failing = Script([answer(503)])
        #expect(await run(request, failing).status == 503 && failing.attempts == 3)
    }

    @Test("Delays have an upper bound", arguments: [(2, 200), (3, 400), (4, 800), (9, 20_000), (60, 20_000)])
    func bounds(attempt: Int, milliseconds: Int) throws {
        var policy = RetryPolicy.standard
        policy.attempts = 100
        let request = try NetworkRequest(.get, url)
        let pauses = (0..<1000).compactMap { seed in
            policy.pause(
                beforeAttempt: attempt, of: request, after: .success(ResponseHead(status: 503, headers: [:])), now: 0,
                seed: seed)
        }
        #expect(pauses.count == 1000 && pauses.allSatisfy { $0 >= .zero && $0 <= .milliseconds(milliseconds) })
        #expect(pauses.contains { $0 > .milliseconds(milliseconds * 9 / 10) })
        #expect(pauses.contains { $0 < .milliseconds(milliseconds / 10) })
    }

    @Test("Only a retry reads the clock, which costs a system call")
    func costOfSuccess() throws {
        let (get, post) = (try NetworkRequest(.get, url), try NetworkRequest(.post, url))
        var reads = 0
        func read<Value>(_ value: Value) -> Value {
            reads += 1
            return value
        }
        func pause(_ request: NetworkRequest, _ outcome: Result<ResponseHead, NetworkError>, attempt: Int = 2)
            -> Duration?
        {
            RetryPolicy.standard.pause(
                beforeAttempt: attempt, of: request, after: outcome, now: read(0), seed: 7)
        }
        #expect(pause(get, .success(ResponseHead(status: 200, headers: [:]))) == nil)
        #expect(pause(post, .success(ResponseHead(status: 503, headers: ["Retry-After": "1"]))) == nil)
        #expect(pause(post, .failure(NetworkError(.connectionLost, phase: .wait))) == nil)
        #expect(pause(get, .failure(NetworkError(.connectionLost, phase: .wait)), attempt: 4) == nil)
        #expect(reads == 0)
        #expect(pause(get, .success(ResponseHead(status: 503, headers: [:]))) == Self.backoff.pause(beforeRetry: 1))
        #expect(reads == 1)
    }

    @Test(
        "Only requests that can safely be repeated are retried",
        arguments: [
            (HTTPMethod.get, [:], true, false), (.put, [:], true, false), (.delete, [:], true, false),
            (.post, [:], false, true), (.patch, [:], false, true), (.post, ["Idempotency-Key": "k-1"], true, false),
        ] as [(HTTPMethod, HTTPHeaders, Bool, Bool)])
    func safety(method: HTTPMethod, headers: HTTPHeaders, isRetried: Bool, onlyBeforeSending: Bool) async throws {
        let request = try NetworkRequest(method, url, headers: headers)
        let lost = Script([failure(.connectionLost, .wait), answer(200)])
        let isLost = await run(request, lost).error != nil
        #expect(isLost != isRetried && lost.attempts == (isRetried ? 2 : 1))
        let busy = Script([answer(503), answer(200)])
        #expect(await run(request, busy).status == (isRetried ? 200 : 503))
        let refused = Script([failure(.cannotConnect, .connect), answer(200)])
        #expect(await run(request, refused).status == 200, "nothing was sent, so every method is retried")
        var stale = NetworkError(.connectionLost, phase: .wait)
        stale.requestState = .notSent
        #expect(await run(request, Script([.failure(stale), answer(200)])).status == 200)
        #expect(onlyBeforeSending == !isRetried)
    }

    @Test("Final failures, other statuses, accepted statuses and one-shot bodies are not retried")
    func finalResults() async throws {
        let request = try NetworkRequest(.get, url)
        for result in [failure(.tlsFailed, .tls), failure(.cancelled, .wait), answer(404), answer(501), answer(200)] {
            let script = Script([result, answer(200)])
            _ = await run(request, script)
            #expect(script.attempts == 1)
        }
        var accepting = request
        accepting.options.acceptedStatuses = [503]
        let accepted = Script([answer(503), answer(200)])
        #expect(await run(accepting, accepted).status == 503)
        let body = RequestBody.once(AsyncStream<[UInt8]> { $0.finish() })
        let once = Script([answer(503), answer(200)])
        let upload = try NetworkRequest(.put, url, body: body)
        #expect(await run(upload, once).status == 503)
    }

    @Test(
        "Retry-After is the lower bound of the delay, in seconds or as a date relative to the server's Date",
        arguments: [
            (["Retry-After": "7"], 7, 200), (["Retry-After": "60"], 60, 200), (["Retry-After": "61"], nil, 503),
            (["Retry-After": "99999999999999999999"], nil, 503), (["Retry-After": "soon"], 0, 200),
            (
                ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], 10, 200
            ),
            (["Retry-After": "Sunday, 06-Nov-94 08:50:07 GMT", "Date": "Sun Nov  6 08:49:37 1994"], 30, 200),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], 0, 200),
        ] as [(HTTPHeaders, Int?, Int)])
    func retryAfter(headers: HTTPHeaders, seconds: Int?, status: Int) async throws {
        let result = await run(
            try NetworkRequest(.get, url), Script([answer(503, headers), answer(200)]))
        let least = Self.backoff.pause(beforeRetry: 1)
        #expect(result.status == status && result.slept == (seconds.map { [max(.seconds($0), least)] } ?? []))
    }

    @Test("No retry starts after the total timeout")
    func deadline() async throws {
        var request = try NetworkRequest(.get, url)
        request.options.totalTimeout = .seconds(5)
        let late = Script([answer(503, ["Retry-After": "6"]), answer(200)])
        #expect(await run(request, late).status == 503 && late.attempts == 1)
        let early = Script([answer(503, ["Retry-After": "4"]), answer(200)])
        #expect(await run(request, early).status == 200)
        // The time before a request doesn't count, but that of its attempts does.
        let clock = ManualClock(advancesItself: true)
        let retry = RetryMiddleware(.standard, clock: clock, seed: Self.backoff.seed)
        for _ in 0..<2 {
            let script = Script([answer(503, ["Retry-After": "3"])])
            #expect(try await retry.intercept(request, next: script.next).status == 503)
            #expect(script.attempts == 2)
        }
    }

    @Test("A cancelled task does not retry")
    func cancellation() async throws {
        let script = Script([answer(503), answer(200)])
        let request = try NetworkRequest(.get, url)
        let task = Task { [self] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await run(request, script)
        }
        #expect(await task.value.status == 503 && script.attempts == 1)
    }

    @Test("A client retries with one line of configuration, and reports the attempts")
    func client() async throws {
        var configuration = ClientConfiguration()
        configuration.retry = .standard
        configuration.retry?.firstPause = .milliseconds(1)
        let stub = StubTransport { _ in .status(503) }
        let client = NetworkClient(configuration, transport: stub)
        let error = await #expect(throws: NetworkError.self) { try await client.get("https://a.example/") }
        #expect(error?.status == 503 && error?.attempts == 3 && stub.requests.count == 3)
    }

    @Test("1,000 clients spread their retries after an outage of 30 s", arguments: [1, 2, 3] as [UInt64])
    func herd(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let request = try NetworkRequest(.get, url)
        let outage = 30
        // Slots of 10 ms, so that the events are handled in order.
        var slots = [[(client: Int, attempt: Int)]](repeating: [], count: 12_000)
        var load = [Int](repeating: 0, count: 120)
        var (requests, sent) = (0, 0)
        // Each client sends a request every two seconds, starting at a random time.
        for client in 0..<1000 {
            let start = Int.random(in: 0..<200, using: &random)
            for step in 0..<60 { slots[start + step * 200 < 12_000 ? start + step * 200 : 0].append((client, 1)) }
        }
        for slot in slots.indices {
            var index = 0
            while index < slots[slot].count {
                let (client, attempt) = slots[slot][index]
                index += 1
                load[slot / 100] += 1
                sent += 1
                if attempt == 1 { requests += 1 }
                guard slot < outage * 100 else { continue }
                let pause = RetryPolicy.standard.pause(
                    beforeAttempt: attempt + 1, of: request, after: .success(ResponseHead(status: 503, headers: [:])),
                    now: 0,
                    seed: random.next())
                if let pause {
                    slots[min(slot + Int(pause / .milliseconds(10)), 11_999)].append((client, attempt + 1))
                }
            }
        }
        let after = load[30..<120]
        let mean = Double(after.reduce(0, +)) / Double(after.count)
        #expect(Double(after.max() ?? 0) <= 1.5 * mean, "peak \(after.max() ?? 0), mean \(mean)")
        #expect(sent > requests && requests == 60_000)
    }
}
