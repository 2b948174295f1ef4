#if os(Linux)
    import AshlarTestSupport
    import Testing

    @testable import AshlarNetworking

    /// The order of requests that wait for a connection.
    @Suite(.timeLimit(.minutes(1))) struct CurlQueueTests {
        @Test("Elements leave by priority, then in order of arrival, or the oldest first")
        func model() {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("queue: seed \(seed)")
            var random = SeededRandom(seed: seed)
            var queue = CurlQueue<UInt64>()
            var waiting: [(order: UInt64, priority: RequestPriority)] = []
            for order in UInt64(1)...20_000 {
                if Bool.random(using: &random) || waiting.count < 3 {
                    let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
                    queue.add(order, priority, order: order)
                    waiting.append((order, priority))
                } else {
                    let oldest = Int.random(in: 0..<8, using: &random) == 0
                    let highest = waiting.map(\.priority).max()
                    let index = oldest ? 0 : waiting.firstIndex { $0.priority == highest } ?? 0
                    let removed = queue.next(oldest: oldest).map { queue.remove($0) }
                    #expect(removed == waiting[index].order)
                    waiting.remove(at: index)
                }
                #expect(queue.isEmpty == waiting.isEmpty)
            }
            #expect(Set(queue.elements) == Set(waiting.map(\.order)))
        }

        @Test(
            "A low priority doesn't wait forever behind high ones, not even behind cancelled requests and other hosts")
        func starvation() throws {
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            func exchange(_ url: String, _ priority: RequestPriority) throws -> CurlExchange {
                var request = try NetworkRequest(.get, url)
                request.options.priority = priority
                return try CurlExchange(request, loop: loop)
            }
            var limits = TransportConfiguration()
            limits.connections = 1
            var origins = CurlOrigins()
            func next() throws -> CurlExchange {
                let next = origins.next(limits)
                return try #require(next)
            }
            func admit(_ exchange: CurlExchange) -> Bool { origins.admit(exchange, limits) }
            var running = try exchange("http://a.example/", .high)
            #expect(admit(running))
            let low = try exchange("http://b.example/", .low)
            #expect(!admit(low))
            var starts = 0
            while running !== low, starts < 100 {
                #expect(try !admit(exchange("http://a.example/", .high)))
                let dead = try exchange("http://a.example/", .high)
                #expect(!admit(dead))
                dead.pipe.finish()
                origins.leave(running)
                running = try next()
                if running.pipe.isOpen { starts += 1 }
            }
            #expect(running === low && starts <= 8, "\(starts)")
            #expect(origins.queued.count == origins.waiting)
            // Between hosts, the higher priority is first.
            let first = try exchange("http://c.example/", .high)
            #expect(!admit(first))
            let before = origins.queued.count { $0.request.options.priority == .high && $0 !== first }
            for _ in 0..<before {
                origins.leave(running)
                running = try next()
                #expect(running !== first)
            }
        }
    }
#endif
