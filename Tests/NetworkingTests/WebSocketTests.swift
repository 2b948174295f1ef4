import Foundation
import Testing

@testable import AshlarNetworking

#if os(Linux)
    /// WebSockets with the server of PyPI's `websockets`.
    @Suite(
        .timeLimit(.minutes(5)),
        .enabled("python3 or PyPI's websockets cannot be had") { await WebSocketPeer.isThere() })
    struct WebSocketPeerTests {
        private func open(
            _ path: String, _ options: WebSocketOptions = .init(), client: NetworkClient? = nil
        ) async throws -> (WebSocket, WebSocketPeer) {
            let peer = try await offPool { try WebSocketPeer() }
            let client = try client ?? TransportKind.curl.client()
            return (try await client.webSocket("ws://127.0.0.1:\(peer.port)/\(path)", options: options), peer)
        }

        @Test("Texts and bytes of every length come back unchanged, and closing ends both sides")
        func echo() async throws {
            var options = WebSocketOptions()
            options.messageBytes = 8 << 20
            let (socket, peer) = try await open("echo", options)
            for message: WebSocketMessage in [
                .text(""), .text("héllo 🎉"), .binary([]), .binary([0, 255]),
                .binary([UInt8](repeating: 1, count: 125)), .binary([UInt8](repeating: 2, count: 126)),
                .binary([UInt8](repeating: 3, count: 65_536)), .binary([UInt8](repeating: 4, count: 5_000_000)),
            ] {
                try await socket.send(message)
                #expect(try await socket.receive() == message)
            }
            await socket.close(.normal, reason: "done")
            #expect(socket.closeCode == .normal)
            #expect(try await socket.receive() == nil)
            await #expect(throws: NetworkError.self) { try await socket.send(.text("late")) }
            await socket.close()
            _ = peer
        }

        @Test("A ping is answered, and so are the server's pings")
        func ping() async throws {
            let (socket, peer) = try await open("echo")
            for _ in 0..<10 { try await socket.ping() }
            async let one: Void = socket.ping()
            async let two: Void = socket.ping()
            _ = try await (one, two)
            await socket.close()
            _ = peer
        }

        @Test("A message in fragments arrives as one")
        func fragments() async throws {
            let (socket, peer) = try await open("parts")
            #expect(try await socket.receive() == .text("one, two, thrée"))
            _ = peer
        }

        @Test("The messages end with the server's normal close")
        func sequence() async throws {
            let (socket, peer) = try await open("count/2000")
            var texts: [String] = []
            for try await message in socket { if case .text(let text) = message { texts.append(text) } }
            #expect(texts == (0..<2000).map(String.init))
            #expect(socket.closeCode == .normal)
            _ = peer
        }

        @Test(
            "A close code is reported, and one that means a failure throws", arguments: [1000, 1001, 1011, 3000, 4999])
        func codes(code: Int) async throws {
            let (socket, peer) = try await open("close/\(code)")
            let result = await outcome { () async throws(NetworkError) in try await socket.receive() }
            #expect(socket.closeCode?.rawValue == code)
            #expect(socket.closeReason == "because")
            #expect(result.failure?.code == (code <= 1001 ? nil : .webSocketClosed))
            if code > 1001 { #expect(result.failure?.message.contains("\(code): because") == true) }
            _ = peer
        }

        @Test("A dropped connection delivers what arrived and then throws")
        func dropped() async throws {
            let (socket, peer) = try await open("drop")
            let first = await outcome { () async throws(NetworkError) in try await socket.receive() }
            if case .success(let message) = first { #expect(message == .text("last")) }
            let next = await outcome { () async throws(NetworkError) in try await socket.receive() }
            #expect(next.failure?.code == .connectionLost, "\(next)")
            _ = peer
        }

        @Test("A message over the limit closes with 1009 and throws the limit")
        func large() async throws {
            var options = WebSocketOptions()
            options.messageBytes = 1000
            for size in [1000, 1001] {
                let (socket, peer) = try await open("large/\(size)", options)
                let result = await outcome { () async throws(NetworkError) in try await socket.receive() }
                #expect(result.failure?.code == (size > 1000 ? .bodyTooLarge : nil))
                #expect(result.failure?.limit == (size > 1000 ? 1000 : nil))
                _ = peer
            }
        }

        @Test("The server selects an offered protocol")
        func protocols() async throws {
            var options = WebSocketOptions()
            options.protocols = ["chat.v1", "other"]
            let (socket, peer) = try await open("echo", options)
            #expect(socket.selectedProtocol == "chat.v1")
            await socket.close()
            _ = peer
        }

        @Test(
            "Large messages in both directions arrive over TLS, directly and through a proxy",
            arguments: [nil, .http, .socks5] as [TestProxy.Kind?])
        func secure(kind: TestProxy.Kind?) async throws {
            let peer = try await offPool { try WebSocketPeer(certificate: TLSServer.path("good.pem")) }
            let proxy = try kind.map { try TestProxy($0) }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            configuration.transport.proxy = try proxy.map { try NetworkProxy($0.url) }
            let client = try TransportKind.curl.client(configuration)
            var options = WebSocketOptions()
            options.messageBytes = 8 << 20
            let socket = try await client.webSocket("wss://127.0.0.1:\(peer.port)/echo", options: options)
            for size in [0, 1, 16_384, 16_385, 3_000_000, 5] {
                let message = WebSocketMessage.binary([UInt8](repeating: 9, count: size))
                try await socket.send(message)
                #expect(try await socket.receive() == message)
            }
            await socket.close()
            #expect(socket.closeCode == .normal)
            #expect((proxy?.requests.count ?? 1) == 1)
            let untrusting = try TransportKind.curl.client()
            let result = await outcome { () async throws(NetworkError) in
                try await untrusting.webSocket("wss://127.0.0.1:\(peer.port)/echo")
            }
            #expect(result.failure?.code == .certificateUntrusted, "\(result)")
        }

        @Test("100 WebSockets of one client work at the same time, beside other requests")
        func many() async throws {
            let peer = try await offPool { try WebSocketPeer() }
            let server = try FaultServer(answering: { answer(body: $0.target) })
            let client = try TransportKind.curl.client()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let socket = try await client.webSocket("ws://127.0.0.1:\(peer.port)/echo")
                        for round in 0..<10 {
                            try await socket.send(.text("\(number) \(round)"))
                            #expect(try await socket.receive() == .text("\(number) \(round)"))
                            let response = try await client.send(client.request(.get, server.url + "/\(number)"))
                            #expect(try response.text() == "/\(number)")
                        }
                        await socket.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// WebSockets with servers that misbehave.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketFaultTests {
        /// A server that accepts the upgrade and then runs a script.
        private func server(_ script: @escaping @Sendable (FaultConnection) -> Void) throws -> FaultServer {
            try FaultServer { connection in
                guard let request = connection.request(), let key = request["Sec-WebSocket-Key"] else {
                    connection.write(answer(body: "plain"))
                    return connection.finish()
                }
                connection.write(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(key))\r\n\r\n")
                script(connection)
            }
        }

        private func frame(_ first: UInt8, _ text: String) -> [UInt8] {
            WebSocketFrameTests.frame(first, Array(text.utf8))
        }

        struct Fault: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let bytes: [UInt8]
            let code: NetworkError.Code
            /// The code of the client's close frame, or nil if the server ends the connection.
            var closes: UInt16?
        }

        static let faults: [Fault] = [
            Fault(testDescription: "end within a frame's head", bytes: [0x81], code: .truncated),
            Fault(testDescription: "end within a frame", bytes: [0x81, 5, 0x68], code: .truncated),
            Fault(testDescription: "end within fragments", bytes: [0x01, 1, 0x68], code: .truncated),
            Fault(testDescription: "end without a close frame", bytes: [], code: .connectionLost),
            Fault(testDescription: "invalid UTF-8", bytes: [0x81, 1, 0xFF], code: .invalidText, closes: 1007),
            Fault(
                testDescription: "too large", bytes: [0x82, 127, 0, 0, 0, 0, 1, 0, 0, 0], code: .bodyTooLarge,
                closes: 1009),
            Fault(testDescription: "a reserved bit", bytes: [0xF1, 0], code: .badResponse, closes: 1002),
            Fault(
                testDescription: "HTTP", bytes: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), code: .badResponse, closes: 1002),
            Fault(
                testDescription: "a close code that can't be sent", bytes: [0x88, 2, 3, 0xED], code: .badResponse,
                closes: 1002),
        ]

        @Test("A violation ends the WebSocket with an error, and the server receives the close code", arguments: faults)
        func violations(input: Fault) async throws {
            let received = Mutex<[UInt8]?>(nil)
            let server = try server { connection in
                connection.write(WebSocketFrameTests.frame(0x81, Array("first".utf8)) + input.bytes)
                guard input.closes != nil else { return connection.finish() }
                let head = connection.take(6) ?? []
                let payload = connection.take(Int(head.last.map { _ in head[1] & 0x7F } ?? 0)) ?? []
                received.withLock { $0 = payload.prefix(2).enumerated().map { $1 ^ head[2 + $0] } }
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            #expect(try await socket.receive() == .text("first"))
            for _ in 0..<2 {
                let result = await outcome { () async throws(NetworkError) in try await socket.receive() }
                #expect(result.failure?.code == input.code, "\(result)")
            }
            if let code = input.closes {
                try await until { received.withLock { $0 != nil } }
                #expect(received.withLock { $0 } == [UInt8(code >> 8), UInt8(code & 0xFF)])
            }
            #expect(try await client.send(client.request(.get, server.url)).text() == "plain")
        }

        @Test("A server that refuses is reported with its status and body")
        func refused() async throws {
            let chunked = "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwrong\r\n0\r\n\r\n"
            for text in [answer(403, body: "wrong"), chunked] {
                let server = try FaultServer { connection in
                    guard connection.request() != nil else { return }
                    connection.write(text)
                    _ = connection.waitForClose()
                }
                let client = try TransportKind.curl.client()
                let result = await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
                #expect(result.failure?.code == .unacceptableStatus, "\(result)")
                #expect(result.failure?.status == 403)
                #expect(result.failure?.bodyPrefix == Array("wrong".utf8))
            }
        }

        @Test(
            "A handshake that isn't one fails",
            arguments: [
                "HTTP/1.1 101 Switch\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
                "HTTP/1.1 101 Switch\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "garbage\r\n\r\n",
                "HTTP/1.1 101", "", "HTTP/1.1 101 X\r\nA: " + String(repeating: "x", count: 100_000),
            ])
        func handshakes(text: String) async throws {
            let server = try FaultServer(raw: text)
            let client = try TransportKind.curl.client()
            let result = await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
            let codes: [NetworkError.Code] = [.badResponse, .unacceptableStatus, .connectionLost, .truncated]
            #expect(result.failure.map { codes.contains($0.code) } == true, "\(result)")
        }

        @Test("A silent server lets the handshake time out, a closed port fails at once")
        func silent() async throws {
            let server = try FaultServer { connection in _ = connection.waitForClose() }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.idleTimeout = .milliseconds(200)
            let slow = request
            let result = await outcome { () async throws(NetworkError) in try await client.webSocket(slow) }
            #expect(result.failure?.code == .timedOut, "\(result)")
            let port = try FaultServer(raw: "").port
            let refused = await outcome { () async throws(NetworkError) in
                try await client.webSocket("ws://127.0.0.1:\(port)/")
            }
            #expect(refused.failure?.code == .cannotConnect, "\(refused)")
        }

        @Test("A half-open connection is detected by a ping without an answer; an answered ping keeps it")
        func halfOpen() async throws {
            var options = WebSocketOptions()
            options.pingInterval = .milliseconds(100)
            let client = try TransportKind.curl.client()
            let dead = try server { connection in _ = connection.waitForClose() }
            let socket = try await client.webSocket(dead.url, options: options)
            let result = await outcome { () async throws(NetworkError) in try await socket.receive() }
            #expect(result.failure?.code == .timedOut, "\(result)")
            let pings = Mutex(0)
            let alive = try server { connection in
                for _ in 0..<5 {
                    guard let head = connection.take(6), connection.take(Int(head[1] & 0x7F)) != nil else { return }
                    pings.withLock { $0 += 1 }
                    connection.write(self.frame(0x8A, ""))
                }
                connection.write(self.frame(0x81, "alive") + WebSocketFrameTests.frame(0x88, []))
                connection.finish()
            }
            let living = try await client.webSocket(alive.url, options: options)
            #expect(try await living.receive() == .text("alive"))
            #expect(try await living.receive() == nil)
            #expect(pings.withLock { $0 } == 5)
        }

        @Test("A flood of pings is answered with few pongs and little memory, while messages still arrive")
        func flood() async throws {
            let pongs = Mutex(0)
            let server = try server { connection in
                let ping = self.frame(0x89, String(repeating: "p", count: 125))
                let block = (0..<1000).flatMap { _ in ping }
                for _ in 0..<200 { guard connection.write(block) else { return } }
                connection.write(self.frame(0x81, "end") + WebSocketFrameTests.frame(0x88, []))
                while let bytes = connection.receive() { pongs.withLock { $0 += bytes.count / 131 } }
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            #expect(try await socket.receive() == .text("end"))
            #expect(try await socket.receive() == nil)
        }

        @Test("Unread messages make the server wait")
        func backPressure() async throws {
            let written = Mutex(0)
            let server = try server { connection in
                let message = WebSocketFrameTests.frame(0x82, [UInt8](repeating: 1, count: 60_000))
                for _ in 0..<1000 {
                    guard connection.write(message) else { return }
                    written.withLock { $0 += 60_000 }
                }
                connection.write(WebSocketFrameTests.frame(0x88, []))
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            var (last, still) = (0, 0)
            while still < 20, last < 40_000_000 {
                try await Task.sleep(for: .milliseconds(10))
                let now = written.withLock { $0 }
                (last, still) = (now, now == last && now > 0 ? still + 1 : 0)
            }
            #expect(last < 40_000_000)
            var count = 0
            for try await message in socket { if case .binary(let bytes) = message { count += bytes.count } }
            #expect(count == 60_000_000)
        }

        @Test("Sending waits for a server that doesn't read, and can be cancelled")
        func slowReader() async throws {
            let goesOn = DispatchSemaphore(value: 0)
            let server = try server { connection in _ = goesOn.wait(timeout: .now() + 60) }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            let sent = Mutex(0)
            let task = Task { () -> NetworkError? in
                let message = WebSocketMessage.binary([UInt8](repeating: 1, count: 100_000))
                return await outcome { () async throws(NetworkError) in
                    while true {
                        try await socket.send(message)
                        sent.withLock { $0 += 100_000 }
                    }
                }.failure
            }
            var (last, still) = (0, 0)
            while still < 20 {
                try await Task.sleep(for: .milliseconds(10))
                let now = sent.withLock { $0 }
                (last, still) = (now, now == last && now > 0 ? still + 1 : 0)
            }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            goesOn.signal()
        }

        @Test("Cancelling a reader loses no message and leaves the WebSocket open")
        func cancelled() async throws {
            let goesOn = DispatchSemaphore(value: 0)
            let server = try server { connection in
                _ = goesOn.wait(timeout: .now() + 20)
                for number in 0..<3 { connection.write(self.frame(0x81, "\(number)")) }
                connection.write(WebSocketFrameTests.frame(0x88, []))
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            for _ in 0..<5 {
                let task = Task { await outcome { () async throws(NetworkError) in try await socket.receive() } }
                try await Task.sleep(for: .milliseconds(2))
                task.cancel()
                #expect(await task.value.failure?.code == .cancelled)
            }
            goesOn.signal()
            var texts: [WebSocketMessage] = []
            for try await message in socket { texts.append(message) }
            #expect(texts == [.text("0"), .text("1"), .text("2")])
        }

        @Test("Cancelling the handshake throws at once")
        func cancelledHandshake() async throws {
            let server = try FaultServer { connection in _ = connection.waitForClose() }
            let client = try TransportKind.curl.client()
            let task = Task {
                await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
            }
            try await until { server.connectionCount == 1 }
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
        }

        @Test("Closing waits for the server's answer at most until its limit")
        func closing() async throws {
            let server = try server { connection in _ = connection.waitForClose() }
            let client = try TransportKind.curl.client()
            var options = WebSocketOptions()
            options.closeTimeout = .milliseconds(200)
            let socket = try await client.webSocket(server.url, options: options)
            async let received = socket.receive()
            let start = ContinuousClock.now
            async let second: Void = socket.close()
            await socket.close()
            await second
            #expect(ContinuousClock.now - start >= .milliseconds(190))
            #expect(try await received == nil)
        }

        @Test("Releasing a WebSocket ends its connection")
        func released() async throws {
            let ended = Mutex(false)
            let server = try server { connection in
                _ = connection.waitForClose()
                ended.withLock { $0 = true }
            }
            let client = try TransportKind.curl.client()
            do {
                let socket = try await client.webSocket(server.url)
                #expect(socket.head.status == 101)
            }
            try await until { ended.withLock { $0 } }
        }

        @Test("The handshake follows redirects, sends cookies, credentials and fields, and is observed as a request")
        func handshakeRequest() async throws {
            let seen = Mutex<[ServedRequest]>([])
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    seen.withLock { $0.append(request) }
                    guard request.target == "/new", let key = request["Sec-WebSocket-Key"] else {
                        connection.write(answer(302, ["Location: /new", "Set-Cookie: a=b"]))
                        return connection.finish()
                    }
                    connection.write(
                        "HTTP/1.1 101 Switch\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(key))\r\n\r\n")
                    connection.write(WebSocketFrameTests.frame(0x88, []))
                    return connection.finish()
                }
            }
            let kinds = Mutex<[NetworkEvent.Kind]>([])
            var configuration = ClientConfiguration()
            configuration.cache = .memory()
            configuration.observers = [ClosureNetworkObserver { event in kinds.withLock { $0.append(event.kind) } }]
            let client = try TransportKind.curl.client(configuration)
            var request = try client.request(.get, server.url + "/old?x=1")
            request.headers["X-Own"] = "1"
            let socket = try await client.webSocket(request)
            #expect(try await socket.receive() == nil)
            let requests = seen.withLock { $0 }
            #expect(requests.map(\.target) == ["/old?x=1", "/new"])
            #expect(requests.allSatisfy { $0["X-Own"] == "1" && $0["Host"] == "127.0.0.1:\(server.port)" })
            #expect(requests.last?["Cookie"] == "a=b")
            #expect(kinds.withLock { $0 } == [.began, .sent, .head, .redirected, .sent, .head, .ended])
        }

        @Test("A failed WebSocket is replaced after growing delays, until it is closed normally")
        func reconnecting() async throws {
            let opened = Mutex(0)
            let server = try server { connection in
                let number = opened.withLock { opened in
                    opened += 1
                    return opened
                }
                // The third one receives a message, so that the delays start over; the fifth one ends normally.
                if number == 3 { connection.write(self.frame(0x81, "hello")) }
                if number == 5 { connection.write(WebSocketFrameTests.frame(0x88, [3, 0xE8])) }
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            let clock = RecordingClock()
            var texts: [WebSocketMessage] = []
            for try await socket in client.webSockets(try client.request(.get, server.url), clock: clock) {
                do { for try await message in socket { texts.append(message) } } catch {
                    #expect(error.code == .connectionLost)
                }
            }
            #expect(opened.withLock { $0 } == 5)
            #expect(texts == [.text("hello")])
            let pauses = clock.pauses.withLock { $0 }
            let bounds: [Duration] = [.seconds(1), .seconds(2), .seconds(1), .seconds(2)]
            #expect(zip(pauses, bounds).allSatisfy { $0 <= $1 && $0 >= $1 * 0.45 }, "\(pauses)")
            #expect(pauses.count == bounds.count)
        }

        @Test("A refusal that another attempt can't repair ends the sequence, and so does the limit of attempts")
        func givingUp() async throws {
            let statuses = Mutex([503, 503, 403])
            let server = try FaultServer(answering: { _ in
                answer(statuses.withLock { $0.isEmpty ? 503 : $0.removeFirst() })
            })
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url)
            let clock = RecordingClock()
            var sockets = client.webSockets(request, clock: clock).makeAsyncIterator()
            do {
                _ = try await sockets.next()
                Issue.record("expected a failure")
            } catch {
                #expect(error.status == 403)
            }
            #expect(clock.pauses.withLock { $0.count } == 2)
            #expect(try await sockets.next() == nil)
            var reconnect = WebSocketReconnect()
            reconnect.attempts = 4
            var limited = client.webSockets(request, reconnect: reconnect, clock: clock).makeAsyncIterator()
            do {
                _ = try await limited.next()
                Issue.record("expected a failure")
            } catch {
                #expect(error.status == 503)
            }
            #expect(clock.pauses.withLock { $0.count } == 5)
        }

        @Test("Transports without WebSockets say so")
        func unsupported() async throws {
            let stub = NetworkClient(transport: StubTransport(["GET /": .status(101)]))
            for client in [stub, try TransportKind.urlSession.client()] {
                let result = await outcome { () async throws(NetworkError) in
                    try await client.webSocket("wss://127.0.0.1:1/")
                }
                #expect(result.failure?.code == .unsupported, "\(result)")
            }
        }
    }

    /// A clock that records pauses and doesn't wait.
    final class RecordingClock: Clock {
        let pauses = Mutex<[Duration]>([])
        private let clock = ContinuousClock()
        var now: ContinuousClock.Instant { clock.now }
        var minimumResolution: Duration { clock.minimumResolution }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let pause = deadline - now
            pauses.withLock { $0.append(pause) }
        }
    }
#endif
