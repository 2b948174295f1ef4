import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

#if os(Linux)
    /// Certificates of a test CA: the good one is accepted, all others are rejected before anything is sent.
    @Suite(.timeLimit(.minutes(5)), .enabled(if: TLSServer.isAvailable, "python3 is not installed"))
    struct TLSTests {
        private func send(_ certificate: String, _ configure: (inout ClientConfiguration) throws -> Void) async throws
            -> Result<NetworkResponse, NetworkError>
        {
            let server = try await offPool { try TLSServer(certificate) }
            var configuration = ClientConfiguration()
            try configure(&configuration)
            let client = try TransportKind.curl.client(configuration)
            let request = try client.request(.get, "https://127.0.0.1:\(server.port)/")
            return await outcome { () async throws(NetworkError) in try await client.send(request) }
        }

        @Test("A certificate of a trusted CA for the host is accepted")
        func good() async throws {
            let result = try await send("good") { $0.transport.trustRoots = TLSServer.path("ca.pem") }
            #expect(try result.get().text() == "secure")
        }

        @Test(
            "Expired, foreign and self-signed certificates are rejected",
            arguments: ["expired", "otherhost", "selfsigned"])
        func bad(certificate: String) async throws {
            let failure = try await send(certificate) { $0.transport.trustRoots = TLSServer.path("ca.pem") }.failure
            #expect(failure?.code == .certificateUntrusted, "\(String(describing: failure))")
            #expect(failure?.phase == .tls)
        }

        @Test("A CA outside the system's roots is rejected")
        func unknownRoot() async throws {
            let failure = try await send("good") { _ in }.failure
            #expect(failure?.code == .certificateUntrusted, "\(String(describing: failure))")
        }

        @Test("A server that speaks only TLS 1.1 is refused, even if the system's settings allow it")
        func oldVersion() async throws {
            // OpenSSL reads its settings once in a process.
            await #expect(processExitsWith: .success) {
                setenv("OPENSSL_CONF", TLSServer.path("old-versions.cnf"), 1)
                let server = try TLSServer.old()
                let probe = Process()
                probe.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
                probe.arguments = ["s_client", "-tls1_1", "-connect", "127.0.0.1:\(server.port)"]
                probe.standardInput = FileHandle.nullDevice
                probe.standardOutput = FileHandle.nullDevice
                try probe.run()
                probe.waitUntilExit()
                #expect(probe.terminationStatus == 0, "the server speaks TLS 1.1")
                var configuration = ClientConfiguration()
                configuration.transport.trustRoots = TLSServer.path("ca.pem")
                let client = try TransportKind.curl.client(configuration)
                let request = try client.request(.get, server.url + "/")
                let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
                #expect(failure?.code == .tlsFailed, "\(String(describing: failure))")
            }
        }

        @Test("A connection requires its pinned key", arguments: [true, false])
        func pins(isRight: Bool) async throws {
            let pin = try String(contentsOfFile: TLSServer.path("good.pin"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let wrong = String(repeating: "A", count: 43) + "="
            let result = try await send("good") { configuration in
                configuration.transport.trustRoots = TLSServer.path("ca.pem")
                configuration.transport.pinnedKeys = ["127.0.0.1": "sha256//" + (isRight ? pin : wrong)]
            }
            if isRight {
                #expect(try result.get().status == 200)
            } else {
                #expect(result.failure?.code == .certificateUntrusted, "\(result)")
            }
        }

        @Test("A server without TLS gets no request")
        func plain() async throws {
            let server = try FaultServer { connection in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                connection.finish()
            }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            let client = try TransportKind.curl.client(configuration)
            let request = try client.request(.get, "https://127.0.0.1:\(server.port)/")
            let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(failure?.code == .tlsFailed, "\(String(describing: failure))")
            #expect(failure?.phase == .tls)
        }
    }
#endif
