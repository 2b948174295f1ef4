import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarWebSockets

    /// A server that accepts upgrades and then runs a script.
    func webSocketServer(_ script: @escaping @Sendable (FaultConnection) -> Void) throws -> FaultServer {
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

    /// A server's frame with a text.
    func webSocketFrame(_ first: UInt8, _ text: String) -> [UInt8] {
        WebSocketFrameTests.frame(first, Array(text.utf8))
    }

    extension FaultConnection {
        /// Reads a client's frame.
        func clientFrame() -> (opcode: UInt8, payload: [UInt8])? {
            guard let head = take(2) else { return nil }
            let short = Int(head[1] & 0x7F)
            guard let long = take(short == 127 ? 8 : short == 126 ? 2 : 0), let key = take(4) else { return nil }
            let length = short < 126 ? short : long.reduce(0) { $0 << 8 | Int($1) }
            guard let payload = take(length) else { return nil }
            return (head[0] & 15, payload.enumerated().map { $1 ^ key[$0 & 3] })
        }
    }
#endif
