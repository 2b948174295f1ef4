import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// WebSockets with the server of PyPI's `websockets`.
    @Suite(
        .timeLimit(.minutes(5)),
        .enabled("python3 or PyPI's websockets can't be had") { await WebSocketPeer.isThere() })
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
            #expect(try await socket.receive() == .text("last"))
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
            "A server that requires another client certificate rejects the handshake, which isn't transient",
            arguments: [false, true])
        func clientCertificate(isTLS12: Bool) async throws {
            let server = try await offPool {
                try TLSServer(
                    "good", clientCA: TLSServer.path("ca.pem"), requiresClient: true, isTLS12: isTLS12)
            }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            for certificate in [nil, ClientCertificate.pem(TLSServer.path("selfsigned.pem"))] {
                configuration.transport.clientCertificates = certificate.map { ["127.0.0.1": $0] } ?? [:]
                let client = try TransportKind.curl.client(configuration)
                let error = await outcome { () async throws(NetworkError) in
                    try await client.webSocket("wss://127.0.0.1:\(server.port)/")
                }.failure
                #expect(error?.code == .tlsFailed && error?.isTransient == false, "\(String(describing: error))")
            }
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
#endif
