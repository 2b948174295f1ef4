import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarWebSockets

#if os(Linux)
    /// The cases of `Scripts/websocket-cases`, among them those of the Autobahn test suite.
    @Suite(.timeLimit(.minutes(20)), .enabled(if: TLSServer.isAvailable)) struct WebSocketCaseTests {
        private static let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

        @Test("Every case of the protocol passes")
        func cases() async throws {
            let peer = try await offPool {
                try WebSocketPeer(script: "websocket-cases", Self.isLong ? ["--long"] : [])
            }
            let client = try TransportKind.curl.client()
            let base = "ws://127.0.0.1:\(peer.port)/"
            let names = try await text(client, base + "cases").split(separator: " ").map(String.init)
            #expect(names.count >= (Self.isLong ? 529 : 343), "\(names.count)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, name) in names.enumerated() {
                    if index >= 8 { try await group.next() }
                    group.addTask {
                        try await play(client, base + "case/" + name, limit: name == "own.9" ? 1 << 20 : 20 << 20)
                        let verdict = try await verdict(client, base + "verdict/" + name)
                        #expect(verdict == "ok", "case \(name): \(verdict)")
                    }
                }
                try await group.waitForAll()
            }
            print("\(names.count) cases of WebSockets were played")
        }

        /// Returns every message to the server until its end.
        private func play(_ client: NetworkClient, _ url: String, limit: Int) async throws {
            var options = WebSocketOptions()
            options.messageBytes = limit
            let socket = try await client.webSocket(url, options: options)
            do { for try await message in socket { try await socket.send(message) } } catch {}  // the server judges
            await socket.close()
        }

        /// Returns the verdict of a case; the server may need a moment after the client's end.
        private func verdict(_ client: NetworkClient, _ url: String) async throws -> String {
            var verdict = "no verdict"
            try await until {
                verdict = try await text(client, url)
                return verdict != "no verdict"
            }
            return verdict
        }

        private func text(_ client: NetworkClient, _ url: String) async throws -> String {
            let socket = try await client.webSocket(url)
            guard case .text(let text)? = try await socket.receive() else { return "" }
            await socket.close()
            return text
        }
    }
#endif
