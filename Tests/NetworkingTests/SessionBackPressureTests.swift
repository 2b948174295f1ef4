import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionBackPressureTests {
    @Test("A session receives an unread body only up to a limit, and then the rest")
    func unreadBody() async throws {
        let total = 64 << 20
        let written = Mutex(0)
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            for _ in 0..<(total / piece.count) {
                guard connection.write(piece) else { return }
                written.withLock { $0 += piece.count }
            }
        }
        let client = NetworkClient(ClientConfiguration(), transport: try URLSessionTransport())
        let response = try await client.stream(client.request(.get, server.url))
        // What the sockets and our buffer hold is far less than the body.
        var (last, still) = (0, 0)
        while still < 20, last < total / 2 {
            try await Task.sleep(for: .milliseconds(25))
            let now = written.withLock { $0 }
            (last, still) = (now, now == last && now > 256 << 10 ? still + 1 : 0)
        }
        #expect(last < total / 2)
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        #expect(count == total)
    }
}
