import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarNetworking

/// Rate limits and priorities: the queue with a seeded model, the middleware with virtual clocks.
@Suite(.timeLimit(.minutes(2))) struct RateLimitTests {
    private let url = "https://api.example.com/notes"

    // MARK: Queue

    @Test(
        "Requests are spaced evenly, and a burst is available after a pause",
        arguments: [
            (1, [5000, 5099, 5100, 5150, 5200, 60_000, 60_000], [true, false, true, false, true, true, false]),
            (
                3, [5000, 5000, 5000, 5000, 5099, 5100, 5100, 5400],
                [true, true, true, false, false, true, false, true]
            ),
        ])
    func spacing(burst: Int, times: [Int], starts: [Bool]) {
        var queue = RateLimitQueue(RateLimit(10, per: .seconds(1), burst: burst))
        var found: [Bool] = []
        for time in times {
            found.append(queue.startImmediately(at: .milliseconds(time)))
            if found.last == false { #expect(queue.nextStart > .milliseconds(time)) }
        }
        #expect(found == starts)
    }

    @Test("A request that arrives while others wait doesn't overtake them")
    func noOvertaking() {
        var queue = RateLimitQueue(RateLimit(1, per: .seconds(1)))
        let first = queue.startImmediately(at: .zero)
        queue.add(1, .low)
        let overtaking = queue.startImmediately(at: .seconds(9))
        #expect(first && !overtaking && queue.nextStart == .seconds(1))
        let started = (queue.start(at: .seconds(9)), queue.start(at: .seconds(99)))
        #expect(started.0 == 1 && started.1 == nil && queue.isEmpty)
        let last = queue.startImmediately(at: .seconds(99))
        #expect(last)
    }

    @Test("High priorities start first, and the request that has waited the longest in every eighth turn")
    func priorities() {
        var queue = RateLimitQueue(RateLimit(1, per: .seconds(1)))
        queue.add(100, .low)
        for id in 0..<20 { queue.add(UInt64(id), id < 10 ? .normal : .high) }
        let order = (1...21).compactMap { queue.start(at: .seconds($0)) }
        #expect(order == [10, 11, 12, 13, 14, 15, 16, 100, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test("A random sequence of arrivals, cancellations and starts equals a plain model", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let burst = Int.random(in: 1...4, using: &random)
        var queue = RateLimitQueue(RateLimit(10, per: .seconds(1), burst: burst))
        var waiting: [(id: UInt64, priority: RequestPriority)] = []
        var starts: [Duration] = []
        var (time, nextID, count) = (Duration.zero, UInt64(0), 0)
        /// Whether the limit allows a start: in each window of k intervals at most k + burst - 1 requests started.
        func mayStart() -> Bool {
            var debt = Duration.zero
            var last = Duration.zero
            for start in starts {
                debt = max(.zero, debt - (start - last)) + .milliseconds(100)
                last = start
            }
            return max(.zero, debt - (time - last)) <= .milliseconds(100) * (burst - 1)
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
                let expected = waiting.isEmpty && mayStart()
                let found = queue.startImmediately(at: time)
                #expect(found == expected, "seed \(seed)")
                if expected {
                    starts.append(time)
                } else {
                    queue.add(nextID, priority)
                    waiting.append((nextID, priority))
                }
                nextID += 1
            case 4..<6:
                // Unknown and started requests are ignored.
                let id = UInt64.random(in: 0...(nextID + 1), using: &random)
                queue.remove(id)
                waiting.removeAll { $0.id == id }
            case 6..<8:
                time += .milliseconds(Int.random(in: 0...150, using: &random))
            default:
                var expected: UInt64?
                if !waiting.isEmpty, mayStart() {
                    count += 1
                    let highest = waiting.map(\.priority.rawValue).max()
                    let index = count % 8 == 0 ? 0 : waiting.firstIndex { $0.priority.rawValue == highest } ?? 0
                    expected = waiting.remove(at: index).id
                    starts.append(time)
                }
                let found = queue.start(at: time)
                #expect(found == expected, "seed \(seed)")
            }
            #expect(queue.isEmpty == waiting.isEmpty, "seed \(seed)")
        }
    }

    // MARK: Middleware

    private final class Log: Sendable {
        let starts = Mutex<[(name: String, time: Duration)]>([])
        func next(_ now: @escaping @Sendable () -> Duration) -> NetworkNext {
            NetworkNext { [self] request throws(NetworkError) in
                starts.withLock { $0.append((request.url.path, now())) }
                return StreamedResponse(request, 200)
            }
        }
    }

    @Test("100 requests at once start at the rate of each host")
    func rate() async throws {
        let (clock, log) = (ManualClock(advancesItself: true), Log())
        let limit = RateLimitMiddleware(RateLimit(10, per: .seconds(1)), clock: clock)
        let next = log.next { clock.now.offset }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let host = index % 2 == 0 ? "a" : "b"
                    var request = try NetworkRequest(.get, "https://\(host).example/\(index % 2)")
                    request.options.totalTimeout = nil
                    _ = try await limit.intercept(request, next: next)
                }
            }
            try await group.waitForAll()
        }
        let starts = log.starts.withLock { $0 }
        #expect(starts.count == 100)
        for name in ["/0", "/1"] {
            let times = starts.filter { $0.name == name }.map(\.time)
            #expect(times.count == 50)
        }
        // 49 pauses of 100 ms per host; both hosts share the clock, which each sleep moves.
        #expect(clock.now.offset >= .milliseconds(4900))
    }

    @Test("Cancelled and expired requests leave the queue at once and don't delay the others")
    func cancellation() async throws {
        let (clock, log) = (ManualClock(), Log())
        let limit = RateLimitMiddleware(RateLimit(1, per: .seconds(1_000_000)), clock: clock)
        let next = log.next { clock.now.offset }
        let request = try NetworkRequest(.get, url)
        _ = try await limit.intercept(request, next: next)
        @Sendable func waiting(_ name: String, timeout: Duration? = nil) -> Task<NetworkError.Code?, Never> {
            Task {
                await outcome { () async throws(NetworkError) in
                    var request = try NetworkRequest(.get, "https://api.example.com/\(name)")
                    request.options.totalTimeout = timeout
                    return try await limit.intercept(request, next: next)
                }.failure?.code
            }
        }
        let cancelled = (0..<50).map { waiting("cancelled\($0)") }
        let expired = waiting("expired", timeout: .seconds(5))
        let patient = waiting("patient")
        for task in cancelled { task.cancel() }
        for task in cancelled { #expect(await task.value == .cancelled) }
        // A task may begin to wait only after the clock has moved, so it moves until the task has ended.
        let (hasExpired, hasStarted) = (Mutex(false), Mutex(false))
        let expiry = Task {
            #expect(await expired.value == .timedOut)
            hasExpired.withLock { $0 = true }
        }
        try await until {
            clock.advance(by: .seconds(1))
            return hasExpired.withLock { $0 }
        }
        #expect(log.starts.withLock { $0.count } == 1)
        let start = Task {
            #expect(await patient.value == nil)
            hasStarted.withLock { $0 = true }
        }
        // One interval is enough: no request that has left the queue uses the limit.
        clock.advance(by: .seconds(1_000_000))
        try await until { hasStarted.withLock { $0 } }
        patient.cancel()
        await expiry.value
        await start.value
        #expect(log.starts.withLock { $0.map(\.name) } == ["/notes", "/patient"])
    }

    @Test("Each retry uses the limit, a cached response doesn't, and hosts are separate")
    func chain() async throws {
        let stub = StubTransport { request in
            request.url.path == "/cached"
                ? StubResponse(status: 200, headers: ["Cache-Control": "max-age=60"], chunks: [[1]]) : .status(503)
        }
        let clock = ManualClock(advancesItself: true)
        var configuration = ClientConfiguration()
        configuration.middleware = [
            CacheMiddleware(.memory()), RetryMiddleware(.standard, clock: clock, seed: 1),
            RateLimitMiddleware(RateLimit(1, per: .seconds(100)), clock: clock),
        ]
        let client = NetworkClient(configuration, transport: stub)
        for _ in 0..<20 { _ = try await client.get("http://a.example/cached") }
        #expect(stub.requests.count == 1 && clock.now.offset == .zero)
        var request = try NetworkRequest(.get, "http://a.example/")
        request.options.totalTimeout = nil
        let limited = request
        let error = await outcome { () async throws(NetworkError) in try await client.send(limited) }.failure
        #expect(error?.status == 503 && error?.attempts == 3)
        // The first request used the limit, and each of three attempts waited.
        #expect(clock.now.offset >= .seconds(300))
        let before = clock.now
        _ = try await client.get("http://b.example/cached")
        #expect(clock.now == before && stub.requests.count == 5)
    }

    @Test("The configuration limits each attempt, but not responses from the cache")
    func configuration() async throws {
        let stub: StubTransport = ["GET /": .status(503)]
        var configuration = ClientConfiguration()
        configuration.cache = .memory()
        configuration.retry = .standard
        configuration.retry?.firstPause = .milliseconds(1)
        configuration.rateLimit = RateLimit(1, per: .milliseconds(20))
        let client = NetworkClient(configuration, transport: stub)
        let start = ContinuousClock.now
        let error = await outcome { () async throws(NetworkError) in try await client.get("http://a.example/") }.failure
        #expect(error?.attempts == 3 && ContinuousClock.now - start >= .milliseconds(40))
    }

    #if os(Linux)
        @Test("Requests that wait for a connection start in order of priority, then of arrival")
        func connections() async throws {
            let served = Mutex<[String]>([])
            let isOpen = Mutex(false)
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    served.withLock { $0.append(request.target) }
                    while !isOpen.withLock({ $0 }) { connection.pause(0.002) }
                    connection.write(answer(body: "ok"))
                }
            }
            var configuration = ClientConfiguration()
            configuration.transport.connectionsPerHost = 1
            let client = try TransportKind.curl.client(configuration)
            let names: [(String, RequestPriority)] = [
                ("/first", .low), ("/low1", .low), ("/normal1", .normal), ("/high1", .high), ("/low2", .low),
                ("/high2", .high), ("/normal2", .normal),
            ]
            let base = server.url
            let executor = QueueExecutor()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, (name, priority)) in names.enumerated() {
                    group.addTask(executorPreference: executor) {
                        var request = try NetworkRequest(.get, base + name)
                        request.options.priority = priority
                        #expect(try await client.send(request).text() == "ok")
                    }
                    if index == 0 { try await until { served.withLock { $0 } == ["/first"] } }
                }
                // The tasks run one after another, each until it waits, so this one starts behind them.
                await Task(executorPreference: executor) {}.value
                isOpen.withLock { $0 = true }
                try await group.waitForAll()
            }
            let order = served.withLock { $0 }
            #expect(order == ["/first", "/high1", "/high2", "/normal1", "/normal2", "/low1", "/low2"])
        }
    #endif
}
