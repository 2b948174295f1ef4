import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// What open WebSockets cost, and in which order their frames are sent.
    @Suite(.timeLimit(.minutes(10))) struct WebSocketLoopTests {
        private static let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

        private static func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder))?.count ?? 0
        }

        @Test(
            "A WebSocket has a thread and at most three descriptors, with TLS, too, and no more after its end",
            .enabled(if: TLSServer.isAvailable), arguments: isLong ? [1, 100, 1000] : [1, 100], [false, true])
        func costs(number: Int, isSecure: Bool) async throws {
            let peer = try await offPool {
                try WebSocketPeer(certificate: isSecure ? TLSServer.path("good.pem") : nil)
            }
            var configuration = ClientConfiguration()
            if isSecure { configuration.transport.trustRoots = TLSServer.path("ca.pem") }
            let client = try TransportKind.curl.client(configuration)
            let url = "\(isSecure ? "wss" : "ws")://127.0.0.1:\(peer.port)/echo"
            // What the first one opens for all.
            let first = try await client.webSocket(url)
            try await first.ping()
            let (descriptors, threads) = (Self.count("fd"), Self.count("task"))
            var sockets: [WebSocket] = []
            for _ in 0..<number { sockets.append(try await client.webSocket(url)) }
            for socket in sockets { try await socket.ping() }
            let (more, moreThreads) = (Self.count("fd") - descriptors, Self.count("task") - threads)
            print("\(number) more WebSockets, TLS \(isSecure): \(more) descriptors, \(moreThreads) threads")
            #expect(more <= 3 * number + 4)
            #expect(moreThreads <= number + 4)
            for socket in sockets + [first] { await socket.close() }
            try await until("the descriptors are closed, and the threads have ended") {
                Self.count("fd") < descriptors && Self.count("task") < threads + 4
            }
        }

        @Test("A pong is sent before messages that wait, and each of many pings is answered")
        func pongs() async throws {
            try await repeatingOnce(if: "the system takes all messages that wait at the moment of the pings") {
                try await pongsOvertake()
            }
        }

        /// Answers ten pings while messages wait; returns whether the answers were sent before one of these messages.
        private func pongsOvertake() async throws -> Bool {
            let (mayRead, kinds) = (DispatchSemaphore(value: 0), Locked<[UInt8]>([]))
            let sent = Locked(0)
            let server = try webSocketServer { connection in
                _ = mayRead.wait(timeout: .now() + 60)
                // The system permits more bytes with the first ones that it sends.
                connection.write(webSocketFrame(0x81, "first"))
                _ = mayRead.wait(timeout: .now() + 60)
                let pings = (0..<10).flatMap { webSocketFrame(0x89, "ping \($0)") }
                connection.write(pings + webSocketFrame(0x81, "pinged"))
                _ = mayRead.wait(timeout: .now() + 60)
                while let (opcode, _) = connection.clientFrame() { kinds.withLock { $0.append(opcode) } }
            }
            let client = try TransportKind.curl.client()
            var options = WebSocketOptions()
            options.compression = nil
            let socket = try await client.webSocket(server.url, options: options)
            let message = WebSocketMessage.binary([UInt8](repeating: 1, count: 100_000))
            // More than the system buffers for a connection.
            let (most, isEnough) = (1000, Locked(false))
            let sender = Task {
                for _ in 0..<most where !isEnough.withLock({ $0 }) {
                    try await socket.send(message)
                    sent.withLock { $0 += 1 }
                }
            }
            // The server doesn't read, so the sender waits once the system's buffers and the window are full.
            func senderWaits() async throws {
                var (before, still) = (-1, 0)
                try await until("the sender waits") {
                    let now = sent.withLock { $0 }
                    still = now == before && now > 3 ? still + 1 : 0
                    before = now
                    try await Task.sleep(for: .milliseconds(50))
                    return still == 10
                }
            }
            try await senderWaits()
            mayRead.signal()
            #expect(try await socket.receive() == .text("first"))
            try await senderWaits()
            mayRead.signal()
            #expect(try await socket.receive() == .text("pinged"))
            let accepted = sent.withLock { $0 }
            #expect(accepted < most)
            isEnough.withLock { $0 = true }
            mayRead.signal()
            try await sender.value
            await socket.close()
            try await until { kinds.withLock { $0.contains(8) } }
            let order = kinds.withLock { $0 }
            #expect(order.count { $0 == 10 } == 10)
            let last = try #require(order.lastIndex(of: 10))
            // The socket has accepted messages of 256 KiB, of which one is partly sent.
            return order[..<last].count { $0 == 2 } < accepted
        }

        @Test("Sockets that are opened, used and dropped at random leave no descriptor")
        func churn() async throws {
            let seed = UInt64.random(in: 0..<1_000_000)
            print("churn of WebSockets: seed \(seed)")
            let server = try webSocketServer { connection in
                while let (opcode, payload) = connection.clientFrame() {
                    connection.write(WebSocketFrameTests.frame(0x80 | opcode, payload))
                    if opcode == 8 { return connection.finish() }
                }
            }
            let before = Self.count("fd")
            for round in 0..<4 {
                let client = try TransportKind.curl.client()
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<24 {
                        group.addTask {
                            var generator = SeededRandom(seed: seed &+ UInt64(round * 100 + number))
                            for _ in 0..<6 {
                                guard let socket = try? await client.webSocket(server.url) else {
                                    Issue.record("a WebSocket can't be opened")
                                    return
                                }
                                for text in 0..<Int.random(in: 0...5, using: &generator) {
                                    try? await socket.send(.text("\(text)"))
                                    let received = try? await socket.receive()
                                    #expect(received == .text("\(text)"))
                                }
                                switch Int.random(in: 0...2, using: &generator) {
                                case 0: await socket.close()
                                case 1: await socket.close(.goingAway)
                                default: break  // dropped
                                }
                            }
                        }
                    }
                }
            }
            try await until("all descriptors are closed") { Self.count("fd") <= before + 2 }
        }
    }
#endif
