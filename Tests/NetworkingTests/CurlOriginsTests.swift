#if os(Linux)
    import Testing

    @testable import AshlarNetworking

    /// The order of requests that wait for a connection.
    @Suite(.timeLimit(.minutes(5))) struct CurlOriginsTests {
        @Test("Requests to one host start in the order of arrival, and hosts take turns")
        func order() throws {
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            var limits = TransportConfiguration()
            limits.connections = 1
            var origins = CurlOrigins()
            let urls = ["a/0", "a/1", "a/2", "a/3", "b/1", "c/1", "b/2"]
            let exchanges = try urls.map { try CurlExchange(NetworkRequest(.get, "http://" + $0), loop: loop) }
            let admitted = exchanges.map { origins.admit($0, limits) }
            #expect(admitted == [true] + [Bool](repeating: false, count: 6))
            // A cancelled request has its turn; the loop ends it then.
            exchanges[2].pipe.finish()
            var running = exchanges[0]
            var started: [String] = []
            while true {
                #expect(origins.queued.count == origins.waiting)
                let blocked = origins.next(limits)
                #expect(blocked == nil)
                origins.leave(running)
                guard let next = origins.next(limits) else { break }
                started.append(next.request.url.host + next.request.url.path)
                running = next
            }
            #expect(started == ["a/1", "b/1", "c/1", "a/2", "b/2", "a/3"])
            #expect(origins.waiting == 0)
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
