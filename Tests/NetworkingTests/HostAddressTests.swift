import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarNetworking
    import Testing

    /// Addresses of a configuration, which replace those that name resolution returns.
    @Suite(.timeLimit(.minutes(5))) struct HostAddressTests {
        private func client(_ addresses: [String: String], proxy: TestProxy? = nil) throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.addresses = addresses
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            if let proxy { configuration.transport.proxy = try NetworkProxy(proxy.url) }
            return try TransportKind.curl.client(configuration)
        }

        @Test("A configured host needs no name resolution, and its name is sent")
        func name() async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() { connection.write(answer(body: request["Host"] ?? "")) }
            }
            let client = try client(["API.example.invalid": "127.0.0.1", "other.invalid": "::1"])
            for _ in 0..<3 {
                let response = try await client.get("http://api.example.invalid:\(server.port)/")
                #expect(try response.text() == "api.example.invalid:\(server.port)")
            }
            let other = await outcome { () async throws(NetworkError) in
                try await client.get("http://third.invalid:\(server.port)/")
            }
            #expect(other.failure?.code == .hostNotFound)
        }

        @Test("A proxy connects to the address")
        func proxy() async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() { connection.write(answer(body: request["Host"] ?? "")) }
            }
            let proxy = try TestProxy(.http)
            let client = try client(["api.example.invalid": "127.0.0.1"], proxy: proxy)
            let response = try await client.get("http://api.example.invalid:\(server.port)/")
            #expect(try response.text() == "api.example.invalid:\(server.port)")
            #expect(proxy.requests == ["CONNECT 127.0.0.1:\(server.port)"])
        }

        @Test(
            "The certificate must be that of the name, not of the address",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"))
        func certificate() async throws {
            let server = try await offPool { try TLSServer("good") }
            let client = try client(["api.example.invalid": "127.0.0.1", "localhost": "127.0.0.1"])
            let response = try await client.get("https://localhost:\(server.port)/")
            #expect(response.status == 200)
            let wrong = await outcome { () async throws(NetworkError) in
                try await client.get("https://api.example.invalid:\(server.port)/")
            }
            #expect(wrong.failure?.code == .certificateUntrusted)
        }

        @Test(
            "An address that isn't one is an error when the transport is created",
            arguments: [
                ["a.example": "b.example"], ["a.example": "[::1]"], ["a.example": "127.0.0.1:80"], ["a.example": ""],
                ["a.example": "1.2.3"], ["a b": "127.0.0.1"], ["a.example": "127.0.0.1", "A.example.": "127.0.0.2"],
            ])
        func invalid(addresses: [String: String]) {
            var configuration = TransportConfiguration()
            configuration.addresses = addresses
            let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
            #expect(error?.code == .invalidConfiguration && error?.key?.hasPrefix("addresses[") == true)
        }
    }
#endif
