import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarNetworking
    import Foundation
    import Testing

    /// Pins and addresses of a configuration.
    @Suite(.timeLimit(.minutes(5))) struct ConnectionSecurityTests {
        private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="

        @Test(
            "A wrong pin rejects the connection, regardless of the spelling of its host",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"),
            arguments: ["localhost", "LOCALHOST", "localhost.", "LocalHost."], ["localhost", "LOCALHOST"])
        func wrongPin(configured: String, requested: String) async throws {
            let server = try await offPool { try TLSServer("good") }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            configuration.transport.pinnedKeys = [configured: Self.pin]
            let client = try TransportKind.curl.client(configuration)
            let request = try client.request(.get, "https://\(requested):\(server.port)/")
            let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(failure?.code == .certificateUntrusted, "\(String(describing: failure))")
            #expect(failure?.requestState == .notSent)
        }

        @Test(
            "A wrong pin for an address applies to all its spellings",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"),
            arguments: ["127.0.0.1", "127.1", "0x7f000001"], ["127.0.0.1", "127.1", "2130706433", "0177.0.0.1"])
        func wrongPinOfAddress(configured: String, requested: String) async throws {
            let server = try await offPool { try TLSServer("good") }
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            configuration.transport.pinnedKeys = [configured: Self.pin]
            let client = try TransportKind.curl.client(configuration)
            let request = try client.request(.get, "https://\(requested):\(server.port)/")
            let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(failure?.code == .certificateUntrusted, "\(String(describing: failure))")
        }

        @Test("A setting for an address applies to all its spellings, and to no other address")
        func addresses() throws {
            let settings = try HostSettings(
                ["2001:DB8::1": 1, "[fe80::1%25eth0]": 2, "192.0.2.1": 3, "a.example": 4], "x")
            let cases: [(String, Int?)] = [
                ("[2001:db8:0:0::1]", 1), ("[2001:db8::0.0.0.1]", 1), ("[2001:db8::2]", nil), ("[fe80:0::1%25eth0]", 2),
                ("[fe80::1%25eth1]", nil), ("[fe80::1]", nil), ("192.0.2.1.", 3), ("192.0.513", 3), ("192.0.2.2", nil),
                ("3221225985", 3), ("A.example.", 4), ("a.example.example", nil), ("192.0.2.1.example", nil),
            ]
            for (host, value) in cases { #expect(settings[try HTTPURL("https://\(host)/")] == value, "\(host)") }
            #expect(throws: NetworkError.self) { try HostSettings(["::1": 1, "0:0::1": 2], "x") }
        }

        @Test(
            "A pin that can never apply is an error when the transport is created",
            arguments: [
                ["https://example.com": pin], ["example.com:443": pin], ["example.com/": pin], ["*.example.com": pin],
                ["": pin], ["a b": pin], ["example.com": "AAAA"], ["example.com": "sha256//AAAA"],
                ["example.com": pin + ";"], ["example.com": "/etc/key.pem"], ["example.com": pin, "EXAMPLE.com.": pin],
            ])
        func impossiblePin(pins: [String: String]) async throws {
            var configuration = TransportConfiguration()
            configuration.pinnedKeys = pins
            let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.key?.hasPrefix("pinnedKeys[") == true)
            // A client, whose creation can't fail, sends nothing.
            var settings = ClientConfiguration()
            settings.transport = configuration
            let client = NetworkClient(settings)
            let request = try client.request(.get, "http://127.0.0.1:1/")
            let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect(failure?.code == .invalidConfiguration)
        }
    }
#endif
