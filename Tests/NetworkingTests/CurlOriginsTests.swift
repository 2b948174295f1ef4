#if os(Linux)
    import Testing

    @testable import AshlarNetworking

    /// The order of requests that wait for a connection.
    @Suite(.timeLimit(.minutes(1))) struct CurlOriginsTests {
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
