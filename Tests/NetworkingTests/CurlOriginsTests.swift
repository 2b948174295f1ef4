#if os(Linux)
    import Testing

    @testable import AshlarNetworking

    /// The order of requests that wait for a connection.
    @Suite(.timeLimit(.minutes(5))) struct CurlOriginsTests {
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

        @Test("With HTTP/2, long bodies wait for lanes and other requests don't wait for them", arguments: [2, 8, 100])
        func lanes(perHost: Int) throws {
            var limits = TransportConfiguration()
            limits.connectionsPerHost = perHost
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), limits)
            defer { loop.stopWhenIdle() }
            guard loop.library.discardsEarlyResponses else { return }
            var origins = CurlOrigins()
            func exchange(_ body: RequestBody, _ scheme: String = "https") throws -> CurlExchange {
                try CurlExchange(NetworkRequest(.post, scheme + "://a.example/", body: body), loop: loop)
            }
            let long = RequestBody.text(String(repeating: "b", count: 20_000))
            let first = try exchange(.text("b"))
            let isAdmitted = origins.admit(first, limits)
            #expect(isAdmitted)
            let origin = try #require(first.origin)
            origin.received(isMultiplexed: true)
            let most = [2: 1, 8: 6, 100: 31][perHost]
            var running: [(exchange: CurlExchange, lane: Int)] = []
            while running.count < 64 {
                let next = try exchange(long)
                guard origins.admit(next, limits) else { break }
                running.append((next, origin.takeLane(for: next)))
            }
            #expect(running.map(\.lane) == Array(1...running.count) && running.count == most)
            // Short bodies and those without HTTP/2 don't need a lane.
            for other in [try exchange(.text("b")), try exchange(long, "http")] {
                let isAdmitted = origins.admit(other, limits)
                #expect(isAdmitted)
                #expect(other.origin?.takeLane(for: other) == 0)
            }
            var next = origins.next(limits)
            #expect(next == nil && origins.waiting == 1)
            let (ended, lane) = try #require(running.last)
            origin.leave(lane: lane)
            origins.leave(ended)
            next = origins.next(limits)
            #expect(try origin.takeLane(for: #require(next)) == lane && origins.queued.isEmpty)
        }

        @Test("Without HTTP/2, long bodies use the connections of all requests, in the order of arrival")
        func withoutLanes() throws {
            var limits = TransportConfiguration()
            limits.connectionsPerHost = 3
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), limits)
            defer { loop.stopWhenIdle() }
            var origins = CurlOrigins()
            func exchange(_ size: Int) throws -> CurlExchange {
                let body = RequestBody.text(String(repeating: "b", count: size))
                return try CurlExchange(NetworkRequest(.post, "https://a.example/", body: body), loop: loop)
            }
            let exchanges = try [1, 20_000, 20_000, 20_000, 1].map(exchange)
            let admitted = exchanges.map { origins.admit($0, limits) }
            #expect(admitted == [true, true, true, false, false])
            exchanges[0].origin?.received(isMultiplexed: false)
            #expect(exchanges[1].origin?.takeLane(for: exchanges[1]) == 0)
            for index in 3...4 {
                origins.leave(exchanges[index - 3])
                let next = origins.next(limits)
                #expect(next === exchanges[index])
            }
        }
    }
#endif
