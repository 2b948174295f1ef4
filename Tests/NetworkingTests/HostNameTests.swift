import AshlarNetworkingTestSupport
import Testing

@testable import AshlarNetworking

/// International host names and zones of IPv6 addresses.
@Suite struct HostNameTests {
    @Test("A name outside ASCII is an error that says what to write", arguments: ["bücher.example", "ü"])
    func international(name: String) async throws {
        let url = #expect(throws: NetworkError.self) { try HTTPURL("https://\(name):81/x") }
        #expect(url?.code == .invalidURL && url?.message.contains("xn--") == true)
        let client = NetworkClient(transport: StubTransport { _ in .status(200) })
        let request = await #expect(throws: NetworkError.self) {
            try await client.send(client.request(.get, "https://\(name)/"))
        }
        #expect(request?.message.contains("xn--") == true)
        let entries = #""hosts": [{"key": "r", "host": "\#(name)"}, {"key": "s", "host": "a.example"}]"#
        let canonical = ["a.example", name].map {
            #"{"canonical_host": "\#($0)", "canonical_protocol": "https", \#(entries)}"#
        }
        let map = try HostMap(json: Array(#"{"configurations": [\#(canonical.joined(separator: ","))]}"#.utf8))
        #expect(map.warnings.count == 2 && map.warnings.allSatisfy { $0.message.contains("xn--") })
        #expect(map.configurations.map { $0.hosts.map(\.key) } == [["s"]])
    }

    @Test("Redirects, pins and host environments accept the ASCII form in any case")
    func asciiForm() async throws {
        // Field values are Latin-1; servers send UTF-8.
        let utf8 = String(String.UnicodeScalarView("http://bücher.example/x".utf8.map { Unicode.Scalar($0) }))
        let stub = StubTransport { request in
            switch request.url.path {
            case "/start": .redirect(302, to: "http://XN--bcher-kva.example/x")
            case "/utf8": .redirect(302, to: utf8)
            default: .text(request.url.host)
            }
        }
        let client = NetworkClient(transport: stub)
        #expect(try await client.send(client.request(.get, "http://a/start")).text() == "xn--bcher-kva.example")
        await #expect(throws: NetworkError.self) { try await client.send(client.request(.get, "http://a/utf8")) }
        #if os(Linux)
            var configuration = TransportConfiguration()
            let pin = "sha256//" + String(repeating: "A", count: 43) + "="
            configuration.pinnedKeys = ["XN--bcher-kva.example.": pin, "xn--bcher-kva.example": pin]
            let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
            #expect(error?.code == .invalidConfiguration)
        #endif
        let map =
            #"[{"canonical_host": "xn--bcher-kva.example", "canonical_protocol": "https", "release_key": "r","#
            + #" "hosts": [{"key": "r", "host": "xn--tda.example:81"}]}]"#
        let hosts = HostSwitch(try HostMap(json: Array(#"{"configurations": \#(map)}"#.utf8)))
        try hosts.select("r", for: "XN--bcher-kva.example")
        #expect(hosts.current.selectedKey("xn--BCHER-kva.example") == "r")
    }

    @Test("A zone of an IPv6 address is part of the host, but not of the Host field")
    func zones() throws {
        let url = try HTTPURL("http://[FE80::1%25Eth0]:81/x")
        #expect(url.host == "[fe80::1%25Eth0]" && url.authority == "[fe80::1]:81")
        #expect(url.requestText == "http://[fe80::1%25Eth0]:81/x")
        #expect(try HTTPURL("http://[fe80::1%25Eth0]/").authority == "[fe80::1]")
        #expect(try url.resolve(location: Array("/y".utf8)).host == url.host)
        #expect(throws: NetworkError.self) { try url.resolve(location: Array("http://[fe80::2%25eth0]/".utf8)) }
    }

    #if os(Linux)
        @Test(
            "A request with a zone reaches its interface, without the zone in the Host field",
            .enabled(if: (try? FaultServer.onIPv6 { _ in }) != nil, "this machine has no IPv6"))
        func sendsToZone() async throws {
            let server = try FaultServer.onIPv6 { connection in
                while let request = connection.request() { connection.write(answer(body: request["Host"] ?? "none")) }
            }
            let client = try TransportKind.curl.client()
            let text = try await client.send(client.request(.get, "http://[::1%25lo]:\(server.port)/")).text()
            #expect(text == "[::1]:\(server.port)")
        }
    #endif
}
