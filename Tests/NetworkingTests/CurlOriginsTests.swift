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
            let exchanges = try urls.map { try CurlTransfer(NetworkRequest(.get, "http://" + $0), loop: loop) }
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

        @Test("Over HTTP/2, more requests run at once than there may be connections", arguments: [true, false])
        func streams(isMultiplexed: Bool) throws {
            var limits = TransportConfiguration()
            limits.connectionsPerHost = 3
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), limits)
            defer { loop.stopWhenIdle() }
            var origins = CurlOrigins()
            var admitted = 0
            for _ in 0..<110 {
                let exchange = try CurlTransfer(NetworkRequest(.get, "https://a.example/"), loop: loop)
                if origins.admit(exchange, limits) { admitted += 1 }
                exchange.origin?.received(isMultiplexed: isMultiplexed)
            }
            #expect(admitted == (isMultiplexed ? 100 : 3))
            #expect(origins.waiting == 110 - admitted)
        }

        @Test("A forgotten host has one limit")
        func forgotten() throws {
            let loop = try CurlLoop(CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            var limits = TransportConfiguration()
            limits.connectionsPerHost = 1
            limits.connections = 2000
            var origins = CurlOrigins()
            func make(_ host: String) throws -> CurlTransfer {
                try CurlTransfer(NetworkRequest(.get, "http://\(host)/"), loop: loop)
            }
            for number in 0..<1024 { _ = origins.admit(try make("h\(number)"), limits) }
            let first = try make("a")
            let others = [try make("a"), try make("b"), try make("a")]
            let isFirstAdmitted = origins.admit(first, limits)
            origins.leave(first)
            let admitted = others.map { origins.admit($0, limits) }
            #expect(isFirstAdmitted && admitted == [true, true, false])
        }
    }
#endif
