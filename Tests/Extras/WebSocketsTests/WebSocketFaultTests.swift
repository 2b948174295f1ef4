import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// WebSockets with servers that misbehave.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketFaultTests {
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
            let received = Locked<[UInt8]?>(nil)
            let server = try webSocketServer { connection in
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

        @Test("A flood of pings is answered with few pongs and little memory, while messages still arrive")
        func flood() async throws {
            let pongs = Locked(0)
            let server = try webSocketServer { connection in
                let ping = webSocketFrame(0x89, String(repeating: "p", count: 125))
                let block = (0..<1000).flatMap { _ in ping }
                for _ in 0..<200 { guard connection.write(block) else { return } }
                connection.write(webSocketFrame(0x81, "end") + WebSocketFrameTests.frame(0x88, []))
                while let bytes = connection.receive() { pongs.withLock { $0 += bytes.count } }
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            #expect(try await socket.receive() == .text("end"))
            #expect(try await socket.receive() == nil)
            try await until { pongs.withLock { $0 } >= 131 }
        }

        @Test("Unread messages make the server wait")
        func backPressure() async throws {
            let (written, isBlocked) = (Locked(0), Locked(false))
            let server = try webSocketServer { connection in
                let message = WebSocketFrameTests.frame(0x82, [UInt8](repeating: 1, count: 60_000))
                for _ in 0..<1000 {
                    if !connection.isWritable(within: 300) { isBlocked.withLock { $0 = true } }
                    guard connection.write(message) else { return }
                    written.withLock { $0 += 60_000 }
                }
                connection.write(WebSocketFrameTests.frame(0x88, []))
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            try await until { isBlocked.withLock { $0 } || written.withLock { $0 } == 60_000_000 }
            #expect(written.withLock { $0 } < 40_000_000)
            var count = 0
            for try await message in socket { if case .binary(let bytes) = message { count += bytes.count } }
            #expect(count == 60_000_000)
        }

        @Test("Sending waits for a server that doesn't read, and can be cancelled")
        func slowReader() async throws {
            let goesOn = DispatchSemaphore(value: 0)
            let server = try webSocketServer { _ in _ = goesOn.wait(timeout: .now() + 60) }
            let client = try TransportKind.curl.client()
            let socket = try await client.webSocket(server.url)
            let message = WebSocketMessage.binary([UInt8](repeating: 1, count: 100_000))
            let sent = Locked(0)
            let task = Task { () -> NetworkError? in
                await outcome { () async throws(NetworkError) in
                    for _ in 0..<1000 {
                        try await socket.send(message)
                        sent.withLock { $0 += 1 }
                    }
                }.failure
            }
            // A third message waits for the window once the system's buffers are full.
            try await until { sent.withLock { $0 } > 3 }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(sent.withLock { $0 } < 1000)
            goesOn.signal()
        }

        @Test("Releasing a WebSocket ends its connection")
        func released() async throws {
            let ended = Locked(false)
            let server = try webSocketServer { connection in
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
    }
#endif
