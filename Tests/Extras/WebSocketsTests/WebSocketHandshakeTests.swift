import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking
@testable import AshlarWebSockets

#if os(Linux)
    /// Handshakes of WebSockets, with servers that refuse, misbehave or are silent.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketHandshakeTests {
        @Test("A server that refuses is reported with its status")
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

        @Test("A head that doesn't end fails at the limit, although its line never ends")
        func endlessHead() async throws {
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                let piece = String(repeating: "x", count: 1 << 16)
                guard connection.write("HTTP/1.1 101 X\r\nA: ") else { return }
                for _ in 0..<256 where !connection.write(piece) { return }
            }
            let client = try TransportKind.curl.client()
            let result = await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
            #expect(result.failure?.code == .badResponse, "\(result)")
            #expect(result.failure?.limit != nil)
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

        @Test("Options that can't be used throw before anything is sent")
        func options() async throws {
            let server = try FaultServer(answering: { _ in answer() })
            let client = try TransportKind.curl.client()
            let changes: [(String, (inout WebSocketOptions) -> Void)] = [
                ("protocols", { $0.protocols = [""] }), ("protocols", { $0.protocols = ["a", "b, c"] }),
                ("protocols", { $0.protocols = ["a", "a"] }), ("messageBytes", { $0.messageBytes = -1 }),
                ("pingInterval", { $0.pingInterval = .zero }), ("pingInterval", { $0.pingInterval = .seconds(-1) }),
            ]
            for (key, change) in changes {
                var options = WebSocketOptions()
                change(&options)
                let changed = options
                let result = await outcome { () async throws(NetworkError) in
                    try await client.webSocket(server.url, options: changed)
                }
                #expect(result.failure?.code == .invalidConfiguration && result.failure?.key == key, "\(result)")
            }
            #expect(server.connectionCount == 0)
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

        @Test("The connection attempt of a cancelled WebSocket ends at once")
        func cancelledConnection() async throws {
            let listener = try FullListener()
            let loop = try CurlLoop(try CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            var request = try NetworkRequest(.get, "http://127.0.0.1:\(listener.port)/")
            request.options.connectTimeout = .seconds(60)
            request.upgrade = WebSocketHandshake(WebSocketOptions())
            weak var released: CurlDuplex?
            let before = listener.connecting
            do {
                let duplex = try CurlDuplex(request, loop: loop)
                released = duplex
                try duplex.start()
                try await until { listener.connecting > before }
                duplex.pipe.cancel()
            }
            let start = ContinuousClock.now
            try await until { released == nil }
            #expect(ContinuousClock.now - start < .seconds(10))
        }

        /// The head of a response that accepts an upgrade.
        private func acceptance(_ request: ServedRequest, _ fields: [String] = []) -> String {
            (["HTTP/1.1 101 Switch", "Upgrade: websocket", "Connection: Upgrade"] + fields + [
                "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(request["Sec-WebSocket-Key"] ?? ""))", "", "",
            ]).joined(separator: "\r\n")
        }

        @Test("Frames that arrive with the response are received", arguments: [1, 3, 10_000])
        func framesWithResponse(pieceSize: Int) async throws {
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                var bytes = Array(("HTTP/1.1 103 Early Hints\r\n\r\n" + acceptance(request)).utf8)
                bytes += webSocketFrame(0x01, "a") + webSocketFrame(0x80, "b") + webSocketFrame(0x88, "")
                for start in stride(from: 0, to: bytes.count, by: pieceSize) {
                    connection.write(bytes[start..<min(start + pieceSize, bytes.count)])
                }
                connection.finish()
            }
            let socket = try await TransportKind.curl.client().webSocket(server.url)
            #expect(try await socket.receive() == .text("ab"))
            #expect(try await socket.receive() == nil)
        }

        @Test(
            "A server that accepts with a protocol or extension that wasn't offered is disconnected",
            arguments: ["Sec-WebSocket-Protocol: other", "Sec-WebSocket-Extensions: permessage-bzip2"])
        func unoffered(field: String) async throws {
            let isClosed = Locked(false)
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                connection.write(acceptance(request, [field]))
                isClosed.withLock { $0 = connection.receive() == nil }
            }
            let client = try TransportKind.curl.client()
            let result = await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
            #expect(result.failure?.code == .badResponse, "\(result)")
            try await until { isClosed.withLock { $0 } }
        }

        @Test("A handshake is repeated with credentials after 401")
        func authentication() async throws {
            let seen = Locked<[String?]>([])
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                let authorization = request["Authorization"]
                seen.withLock { $0.append(authorization) }
                guard authorization == "Bearer new" else {
                    connection.write(answer(401))
                    return connection.finish()
                }
                connection.write(acceptance(request))
                connection.write(webSocketFrame(0x81, "in") + webSocketFrame(0x88, ""))
                connection.finish()
            }
            var configuration = ClientConfiguration()
            configuration.authentication = .bearer(BearerToken("old") { _ in "new" })
            configuration.authentication?.allowsEveryHost = true
            let socket = try await TransportKind.curl.client(configuration).webSocket(server.url)
            #expect(try await socket.receive() == .text("in"))
            #expect(seen.withLock { $0 } == ["Bearer old", "Bearer new"])
        }

        @Test("A WebSocket with digest credentials fails before it connects")
        func digest() async throws {
            let server = try webSocketServer { $0.finish() }
            var configuration = ClientConfiguration()
            configuration.authentication = .digest(user: "u", password: "p")
            configuration.authentication?.allowsEveryHost = true
            let client = try TransportKind.curl.client(configuration)
            let result = await outcome { () async throws(NetworkError) in try await client.webSocket(server.url) }
            #expect(result.failure?.code == .unsupported && server.connectionCount == 0)
        }

        @Test("A WebSocket works after its client is gone, and two clients can share a transport")
        func lifetime() async throws {
            let server = try webSocketServer { connection in
                while let (opcode, payload) = connection.clientFrame() {
                    connection.write(WebSocketFrameTests.frame(0x80 | opcode, payload))
                    if opcode == 8 { return connection.finish() }
                }
            }
            weak var weakTransport: CurlTransport?
            var sockets: [WebSocket] = []
            do {
                let transport = try CurlTransport()
                weakTransport = transport
                for _ in 0..<2 { sockets.append(try await NetworkClient(transport: transport).webSocket(server.url)) }
            }
            #expect(weakTransport == nil)
            for socket in sockets {
                try await socket.send(.text("hello"))
                #expect(try await socket.receive() == .text("hello"))
                try await socket.ping()
                await socket.close()
                #expect(socket.closeCode == .normal)
            }
        }

        @Test("The handshake follows redirects, sends cookies, credentials and fields, and is observed as a request")
        func handshakeRequest() async throws {
            let seen = Locked<[ServedRequest]>([])
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
            let kinds = Locked<[NetworkEvent.Kind]>([])
            var configuration = ClientConfiguration()
            configuration.cache = .memory()
            configuration.observers = [NetworkObserver { event in kinds.withLock { $0.append(event.kind) } }]
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

        @Test("Transports without WebSockets say so")
        func unsupported() async throws {
            let client = NetworkClient(transport: StubTransport(["GET /": .status(101)]))
            let result = await outcome { () async throws(NetworkError) in
                try await client.webSocket("wss://127.0.0.1:1/")
            }
            #expect(result.failure?.code == .unsupported, "\(result)")
        }

        @Test("No message follows a close frame, and no ping is dropped")
        func lastFrames() async throws {
            let opcodes = Locked<[UInt8]>([])
            let server = try webSocketServer { connection in
                while let (opcode, _) = connection.clientFrame() { opcodes.withLock { $0.append(opcode) } }
            }
            let loop = try CurlLoop(try CurlLibrary.open("libcurl.so.4"), TransportConfiguration())
            defer { loop.stopWhenIdle() }
            let handshake = WebSocketHandshake(WebSocketOptions())
            var request = try NetworkRequest(.get, server.url)
            for field in handshake.fields { request.headers.set(field.name, field.value) }
            request.upgrade = handshake
            let duplex = try CurlDuplex(request, loop: loop)
            let connection = FramedConnection(duplex, limit: 1000, nil)
            // Everything is written before the connection's thread starts.
            for number in UInt8(0)..<100 { connection.sendPing([number]) }
            connection.sendClose(.normal, "")
            let late = await outcome { () async throws(NetworkError) in try await connection.send(.text("late")) }
            #expect(late.failure?.code == .connectionLost)
            try duplex.start()
            try await until { opcodes.withLock { $0.contains(8) } }
            connection.end(afterSending: false)
            #expect(opcodes.withLock { $0 } == [UInt8](repeating: 9, count: 100) + [8])
        }
    }
#endif
