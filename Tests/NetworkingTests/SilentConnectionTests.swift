import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// Connections that the network or the server has given up without an end.
    @Suite(.timeLimit(.minutes(5))) struct SilentConnectionTests {
        private static func client() throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            return try TransportKind.curl.client(configuration)
        }

        private static func get(
            _ client: NetworkClient, _ url: String, idle: Duration = .seconds(60)
        ) async -> Result<NetworkResponse, NetworkError> {
            await outcome { () async throws(NetworkError) in
                var request = try client.request(.get, url)
                request.options.idleTimeout = idle
                return try await client.send(request)
            }
        }

        @Test(
            "A connection on which a request timed out without a byte gets no new request",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"), arguments: [1, 8], [false, true])
        func silence(width: Int, hasNeighbor: Bool) async throws {
            let server = try await offPool { try SecureNginx() }
            let epoch = Counter()
            let relay = try FaultServer { [port = server.port] connection in
                let own = epoch.value
                connection.relay(toPort: port) { epoch.value == own }
            }
            let client = try Self.client()
            let url = "https://127.0.0.1:\(relay.port)/small.txt"
            let first = try await Self.get(client, url).get()
            #expect(first.head.version == (TLSServer.offersHTTP2 ? "2" : "1.1"))
            // From here, the open connections are silent.
            _ = epoch.next()
            let neighbor = hasNeighbor ? Task { await Self.get(client, url) } : nil
            let lost = await withTaskGroup(of: NetworkError.Code?.self) { group in
                for _ in 0..<width {
                    group.addTask { await Self.get(client, url, idle: .milliseconds(300)).failure?.code }
                }
                return await group.reduce(into: [NetworkError.Code?]()) { $0.append($1) }
            }
            // With HTTP/1.1, the neighbor may have the only silent connection.
            #expect(lost.contains(.timedOut) || (hasNeighbor && !TLSServer.offersHTTP2))
            for number in 0..<20 {
                let result = await Self.get(client, url + "?\(number)", idle: .seconds(5))
                #expect((try? result.get().text()) == "small", "\(number): \(result)")
            }
            neighbor?.cancel()
            _ = await neighbor?.value
            let before = relay.connectionCount
            for number in 0..<20 {
                let result = await Self.get(client, url + "?\(number)", idle: .seconds(5))
                #expect((try? result.get().text()) == "small", "\(number): \(result)")
            }
            #expect(relay.connectionCount - before <= 1)
        }

        @Test(
            "A connection whose TLS the server has ended gets no request",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"))
        func endedTLS() async throws {
            let server = try await offPool { try TLSServer("good") }
            let client = try Self.client()
            for number in 0..<20 {
                let result = await Self.get(client, server.url + "/notify?\(number)", idle: .seconds(5))
                #expect((try? result.get().text()) == "secure", "\(number): \(result)")
            }
        }
    }
#endif
