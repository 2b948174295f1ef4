import AshlarNetworkingTestSupport
import AshlarTestSupport
import Testing

@testable import AshlarNetworking

#if os(Linux)
    /// Connections that continue with another protocol than HTTP.
    @Suite(.timeLimit(.minutes(5))) struct UpgradeTests {
        private struct Echo: ConnectionUpgrade {}

        private static let acceptance =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"

        private func request(_ server: FaultServer, _ method: HTTPMethod = .get) throws -> NetworkRequest {
            var request = try NetworkRequest(method, server.url + "/path?q=1")
            request.headers.set("Connection", "Upgrade")
            request.headers.set("Upgrade", "echo")
            request.upgrade = Echo()
            return request
        }

        private func upgrade(_ request: NetworkRequest, _ client: NetworkClient? = nil) async throws -> CurlDuplex {
            try await (client ?? TransportKind.curl.client()).upgrade(request) { _, connection throws(NetworkError) in
                guard let stream = connection as? CurlDuplex else { throw NetworkError(.unsupported) }
                return stream
            }
        }

        /// Returns the error of an upgrade, or nil if the server accepts it.
        private func failure(_ request: NetworkRequest, _ client: NetworkClient? = nil) async -> NetworkError? {
            do {
                _ = try await upgrade(request, client)
                return nil
            } catch { return error as? NetworkError }
        }

        @Test("A connection that the server upgrades carries bytes in both directions until one side ends it")
        func echo() async throws {
            let heads = Locked<[String]>([])
            let server = try FaultServer { connection in
                guard let head = connection.head() else { return }
                heads.withLock { $0.append(head) }
                // The first bytes come with the response.
                connection.write(Self.acceptance + "hello")
                while let bytes = connection.receive(), bytes != Array("last".utf8) { connection.write(bytes) }
                connection.finish()
            }
            let stream = try await upgrade(try request(server))
            #expect(try await stream.next() == Array("hello".utf8))
            for text in ["a", "bc"] {
                try await stream.waitForRoom(text.utf8.count)
                stream.write(Array(text.utf8), messageBytes: text.utf8.count)
                #expect(try await stream.next() == Array(text.utf8))
            }
            stream.write(Array("last".utf8))
            stream.end(afterSending: true)
            await #expect(throws: NetworkError.self) { try await stream.waitForRoom(1) }
            #expect(try await stream.next() == nil)
            let head = try #require(heads.withLock { $0.first })
            #expect(head.hasPrefix("GET /path?q=1 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
            #expect(head.contains("\r\nUpgrade: echo") && head.contains("\r\nCache-Control: no-store"))
        }

        @Test("A connection that is ended sends what was written before, and nothing that is written after")
        func lastBytes() async throws {
            let received = Locked<[UInt8]?>(nil)
            let server = try FaultServer { connection in
                guard connection.head() != nil, connection.write(Self.acceptance) else { return }
                var bytes = connection.take("before".utf8.count) ?? []
                connection.endWriting()
                while let piece = connection.receive() { bytes += piece }
                received.withLock { $0 = bytes }
            }
            let stream = try await upgrade(try request(server))
            stream.write(Array("before".utf8))
            stream.end(afterSending: true)
            stream.write(Array("after".utf8))
            stream.writeFirst(Array("after".utf8), mayDrop: true)
            try await until { received.withLock { $0 != nil } }
            #expect(received.withLock { $0 } == Array("before".utf8))
        }

        @Test("Bytes written before the response follow it, urgent ones first; of these, the latest 64 are sent")
        func order() async throws {
            let mayAnswer = Locked(false)
            let server = try FaultServer { connection in
                guard connection.head() != nil else { return }
                while !mayAnswer.withLock({ $0 }) { connection.pause(0.001) }
                connection.write(Self.acceptance)
                connection.write(connection.take(64 + 5) ?? [])
                connection.finish()
            }
            let loop = try CurlLoop(try CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            let duplex = try CurlDuplex(try request(server), loop: loop)
            duplex.write(Array("first".utf8))
            for number in UInt8(0)..<70 { duplex.writeFirst([number], mayDrop: true) }
            try duplex.start()
            mayAnswer.withLock { $0 = true }
            #expect(try await duplex.pipe.head().status == 101)
            var received: [UInt8] = []
            while let bytes = try await duplex.next() { received += bytes }
            #expect(received == Array(6..<70) + Array("first".utf8))
        }

        @Test("More bytes than the buffers hold arrive in order, although the other side reads later")
        func backpressure() async throws {
            let count = 4 << 20
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 >> 8 &* 31) }
            let mayRead = Locked(false)
            let server = try FaultServer { connection in
                guard connection.head() != nil, connection.write(Self.acceptance) else { return }
                while !mayRead.withLock({ $0 }) { connection.pause(0.001) }
                guard let received = connection.take(count) else { return }
                connection.write(received)
                connection.finish()
            }
            let stream = try await upgrade(try request(server))
            let written = Locked(0)
            let sender = Task {
                for start in stride(from: 0, to: count, by: 1 << 16) {
                    try await stream.waitForRoom(1 << 16)
                    stream.write(Array(bytes[start..<start + 1 << 16]), messageBytes: 1 << 16)
                    written.withLock { $0 += 1 << 16 }
                }
            }
            // The sender can't pass the window until the server has read.
            try await until { written.withLock { $0 >= SendWindow.capacity } }
            mayRead.withLock { $0 = true }
            try await sender.value
            var received: [UInt8] = []
            while let piece = try await stream.next() { received += piece }
            #expect(received == bytes)
        }

        @Test("A server that refuses an upgrade, or answers badly or not at all, is an error")
        func refusals() async throws {
            let cases: [(String, NetworkError.Code)] = [
                (answer(403, body: "no"), .unacceptableStatus), ("garbage\r\n\r\n", .badResponse),
                ("HTTP/1.1 101", .connectionLost), ("", .connectionLost),
                ("HTTP/1.1 101 X\r\nA: " + String(repeating: "x", count: 1 << 20), .badResponse),
            ]
            for (text, code) in cases {
                let server = try FaultServer(raw: text)
                #expect(await failure(try request(server))?.code == code, "\(text.prefix(20))")
            }
            let silent = try FaultServer { connection in _ = connection.waitForClose() }
            var late = try request(silent)
            late.options.idleTimeout = .milliseconds(50)
            let error = await failure(late)
            #expect(error?.code == .timedOut && error?.phase == .wait)
        }

        @Test("A request with a body, and a transport that can't upgrade, are refused before anything is sent")
        func unsupported() async throws {
            let server = try FaultServer(raw: answer())
            #expect(await failure(try request(server, .post))?.code == .unsupported)
            #expect(server.connectionCount == 0)
            let stub = NetworkClient(transport: StubTransport(["GET /path": StubResponse(status: 101)]))
            #expect(await failure(try request(server), stub)?.message == "the transport can't upgrade connections")
        }

        @Test("The total timeout of an upgrade includes connecting")
        func totalTime() async throws {
            let proxy = try FaultServer { connection in
                guard connection.head() != nil else { return }
                connection.pause(4)
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                _ = connection.waitForClose()
            }
            var configuration = ClientConfiguration()
            configuration.transport.proxy = try NetworkProxy(proxy.url)
            var late = try request(proxy)
            late.options.idleTimeout = .seconds(60)
            late.options.totalTimeout = .seconds(5)
            let start = ContinuousClock.now
            #expect(await failure(late, try TransportKind.curl.client(configuration))?.code == .timedOut)
            #expect(ContinuousClock.now - start < .seconds(8))
        }

        @Test("A connection that its user rejects is closed")
        func rejected() async throws {
            let isClosed = Locked(false)
            let server = try FaultServer { connection in
                guard connection.head() != nil, connection.write(Self.acceptance) else { return }
                isClosed.withLock { [closed = connection.waitForClose()] in $0 = closed }
            }
            let client = try TransportKind.curl.client()
            let request = try request(server)
            let result = await outcome { () async throws(NetworkError) in
                try await client.upgrade(request) { response, _ throws(NetworkError) -> Int in
                    throw NetworkError(.badResponse, "status \(response.status)")
                }
            }
            #expect(result.failure?.message == "status 101")
            try await until { isClosed.withLock { $0 } }
        }
    }
#endif

@Suite(.timeLimit(.minutes(5))) struct SendWindowTests {
    @Test("Senders wait while the window is full, and continue when bytes were sent")
    func fullWindow() async throws {
        let window = SendWindow()
        // A message may exceed the window, so that one of any length can be sent.
        try await window.add(SendWindow.capacity + 1)
        let (executor, added) = (StepExecutor(), Locked(false))
        let sender = Task(executorPreference: executor) {
            try await window.add(1)
            added.withLock { $0 = true }
        }
        executor.run()
        window.remove(1)
        executor.run()
        #expect(!added.withLock { $0 })
        window.remove(1)
        executor.run()
        #expect(added.withLock { $0 })
        try await sender.value
    }

    @Test("Senders fail when the window is closed or their task is cancelled")
    func failures() async throws {
        let window = SendWindow()
        try await window.add(SendWindow.capacity)
        let executor = StepExecutor()
        func waiting() -> Task<NetworkError.Code?, Never> {
            defer { executor.run() }
            return Task(executorPreference: executor) {
                await outcome { () async throws(NetworkError) in try await window.add(1) }.failure?.code
            }
        }
        let cancelled = waiting()
        cancelled.cancel()
        executor.run()
        #expect(await cancelled.value == .cancelled)
        let closed = waiting()
        window.close()
        executor.run()
        #expect(await closed.value == .connectionLost)
        #expect(await waiting().value == .connectionLost)
    }
}
