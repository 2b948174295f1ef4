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

        @Test("URLSessionTransport rejects settings that it can't honor")
        func urlSession() throws {
            for (key, change): (String, (inout TransportConfiguration) throws -> Void) in [
                ("trustRoots", { $0.trustRoots = "/roots.pem" }),
                ("pinnedKeys", { $0.pinnedKeys = ["a.example": Self.pin] }),
                ("addresses", { $0.addresses = ["a.example": "192.0.2.1"] }),
                ("proxy", { $0.proxy = try NetworkProxy("http://p.example") }),
                ("usesEnvironmentProxies", { $0.usesEnvironmentProxies = true }),
            ] {
                var configuration = TransportConfiguration()
                try change(&configuration)
                let error = #expect(throws: NetworkError.self) { try URLSessionTransport(configuration) }
                #expect(error?.code == .invalidConfiguration)
                #expect(error?.key == key)
            }
        }

        static let privateHosts = [
            "0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.1", "2130706433",
            "0x7f000001",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1",
            "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255", "localhost", "a.localhost", "localhost.", "[::]", "[::1]", "[::ffff:10.0.0.1]",
            "[::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[100::1]", "[100:0:0:1::1]", "[2001::1]",
            "[2001:0:7f00:1::1]", "[2001:0:808:808:0:0:f5ff:fffe]", "[2001:1::4]", "[2001:2::1]", "[2001:10::1]",
            "[2001:db8::1]", "[2002:a00:1::1]", "[2002:c0a8:101::]", "[3fff::1]", "[5f00::1]", "[fc00::1]", "[fdff::1]",
            "[fe80::1]", "[fec0::1]", "[ff02::1]",
        ]

        @Test("Addresses that are not globally reachable are private", arguments: privateHosts)
        func privateAddress(host: String) throws { #expect(try HTTPURL("http://\(host)/").isPrivateAddress) }

        static let publicHosts = [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "172.15.0.1",
            "172.32.0.1",
            "192.0.0.9", "192.0.0.10", "192.0.1.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "198.17.255.255",
            "198.20.0.1", "223.255.255.255", "example.com", "10.example.com", "[2606:4700::1111]", "[64:ff9b::8.8.8.8]",
            "[2001:1::1]", "[2001:1::2]", "[2001:1::3]", "[2001:3::1]", "[2001:4:112::1]", "[2001:20::1]",
            "[2001:30::1]",
            "[2001:200::1]", "[2002:808:808::1]", "[2001:0:808:808:0:0:f7f7:f7f7]", "[2620:4f:8000::1]",
            "[::ffff:8.8.8.8]",
        ]

        @Test("Globally reachable addresses are not private", arguments: publicHosts)
        func publicAddress(host: String) throws { #expect(try !HTTPURL("http://\(host)/").isPrivateAddress) }
    }
#endif
