import AshlarCore
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

#if os(Linux)
    import Glibc
#endif

/// International host names and zones of IPv6 addresses.
@Suite struct HostNameTests {
    @Test(
        "An international name becomes ASCII as in browsers",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
            ("βόλος.com", "xn--nxasmm1c.com"), ("ΒΌΛΟΣ.com", "xn--nxasmq6b.com"),
            ("日本語。ＪＰ", "xn--wgv71a119e.jp"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
            ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"), ("א1.com", "xn--1-zhc.com"), ("ｅｘａｍｐｌｅ.com", "example.com"),
            ("\u{AD}ü.de", "xn--tda.de"), ("क्\u{200D}ष.com", "xn--11b2ezcw70k.com"),
            ("☃.net", "xn--n3h.net"), ("０.1.2.３", "0.1.2.3"), ("ü.de.", "xn--tda.de."),
            (String(repeating: "ü", count: 55) + ".de", "xn--tda" + String(repeating: "a", count: 54) + ".de"),
        ])
    func international(name: String, expected: String) throws {
        #expect(try HTTPURL("https://\(name):81/x").host == expected)
        #expect(try HTTPURL("https://\(expected)/") == HTTPURL("https://\(name)/"))
    }

    @Test(
        "A name that isn't valid by UTS #46 is rejected",
        arguments: [
            "-ü.de", "ü-.de", "ü..de", "。ü.de", "1א.com", "\u{202E}ü.de", "\u{36F}ü.de", "\u{378}.de", "ab--cd.ü.de",
            "a\u{200D}b.de", "ex／ü.com", "ü：80.com", "ü＠b.com", "ü？.com", "ü%2F.de", "xn--a-ü.de",
            String(repeating: "ü", count: 70) + ".de", "\u{AD}", "ü\u{2028}.de", "Ⅷ.com",
        ])
    func invalid(name: String) {
        #expect(#expect(throws: NetworkError.self) { try HTTPURL("https://\(name)/") }?.code == .invalidURL)
    }

    @Test("Redirects, pins and host environments treat both spellings of a name alike")
    func elsewhere() async throws {
        // Field values are Latin-1; servers send UTF-8.
        let location = String(String.UnicodeScalarView("http://BÜCHER.example/x".utf8.map { Unicode.Scalar($0) }))
        let stub = StubTransport { request in
            request.url.path == "/start" ? .redirect(302, to: location) : .text(request.url.host)
        }
        let client = NetworkClient(transport: stub)
        #expect(try await client.send(client.request(.get, "http://a/start")).text() == "xn--bcher-kva.example")
        #if os(Linux)
            var configuration = TransportConfiguration()
            let pin = "sha256//" + String(repeating: "A", count: 43) + "="
            configuration.pinnedKeys = ["bücher.example": pin, "xn--bcher-kva.example": pin]
            let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
            #expect(error?.code == .invalidConfiguration)
        #endif
        let map =
            #"[{"canonical_host": "bücher.example", "canonical_protocol": "https", "release_key": "r","#
            + #" "hosts": [{"key": "r", "host": "ü.example:81"}]}]"#
        let hosts = HostSwitch(try HostMap(json: Array(#"{"configurations": \#(map)}"#.utf8)))
        try hosts.select("r", for: "XN--bcher-kva.example")
        #expect(hosts.current.selectedKey("BÜCHER.example") == "r")
    }

    @Test("Every name that is converted has the same result with the tables of Foundation")
    func tables() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededRandom(seed: seed)
        let scalars =
            "aBz019-.üÄßçñøłŒșςΣабвЖЯ日本語한국어กขあがアｱＡ①éÅÇK☃❤。\u{308}\u{301}\u{323}\u{5D0}\u{5B7}\u{627}\u{661}क्ष\u{200D}"
        let alphabet = Array(scalars.unicodeScalars)
        var convertedCount = 0
        for _ in 0..<10_000 {
            let name = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in
                        alphabet.randomElement(using: &generator)
                    }))
            guard !name.utf8.allSatisfy({ $0 < 0x80 }), let ascii = InternationalName.ascii(name) else { continue }
            // Empty labels are refused elsewhere.
            if ascii.hasPrefix(".") || ascii.contains("..") { continue }
            var components = URLComponents()
            components.scheme = "https"
            components.host = name
            #expect(ascii == components.encodedHost?.lowercased(), "seed \(seed): \(name)")
            convertedCount += 1
        }
        #expect(convertedCount > 1_000)
    }

    #if os(Linux)
        @Test(
            "Random names agree with libidn2",
            .enabled(if: Libidn2() != nil, "libidn2 is not installed"))
        func differential() throws {
            let libidn2 = try #require(Libidn2())
            let seed = UInt64.random(in: 0..<1_000_000)
            var generator = SeededRandom(seed: seed)
            // Letters, marks and signs of several scripts; both libraries know them all.
            let alphabet = Array("aBz019üÄßçñøłŒșабвЖЯ日本語한국어กขあアＡéÅÇ").map(String.init)
            for _ in 0..<2_000 {
                let labels = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                        alphabet.randomElement(using: &generator)!
                    }.joined()
                }
                let name = labels.joined(separator: ".")
                let ours = try? HTTPURL("http://\(name)/").host
                #expect(ours == libidn2.ascii(name), "seed \(seed): \(name)")
            }
        }
    #endif

    @Test("A zone of an IPv6 address is part of the host, but not of the Host field")
    func zones() throws {
        let url = try HTTPURL("http://[FE80::1%25Eth0]:81/x")
        #expect(url.host == "[fe80::1%25Eth0]" && url.authority == "[fe80::1]:81")
        #expect(url.requestText == "http://[fe80::1%25Eth0]:81/x")
        #expect(try HTTPURL("http://[fe80::1%25Eth0]/").authority == "[fe80::1]")
        #expect(try url.resolving("/y").host == url.host)
        #expect(throws: NetworkError.self) { try url.resolving("http://[fe80::2%25eth0]/") }
    }

    #if os(Linux)
        @Test(
            "A request with a zone reaches its interface, without the zone in the Host field",
            .enabled(if: (try? FaultServer(isIPv6: true) { _ in }) != nil, "this machine has no IPv6"))
        func sendsToZone() async throws {
            let server = try FaultServer(isIPv6: true) { connection in
                while let request = connection.request() { connection.write(answer(body: request["Host"] ?? "none")) }
            }
            let client = try TransportKind.curl.client()
            let text = try await client.send(client.request(.get, "http://[::1%25lo]:\(server.port)/")).text()
            #expect(text == "[::1]:\(server.port)")
        }
    #endif
}

#if os(Linux)
    /// The library that converts international names for GNU programs.
    private struct Libidn2 {
        private typealias Convert =
            @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
        private let convert: Convert

        init?() {
            guard let library = dlopen("libidn2.so.0", RTLD_NOW), let symbol = dlsym(library, "idn2_to_ascii_8z") else {
                return nil
            }
            convert = unsafeBitCast(symbol, to: Convert.self)
        }

        func ascii(_ name: String) -> String? {
            var result: UnsafeMutablePointer<CChar>?
            defer { free(result) }
            let isNormalized: Int32 = 1  // IDN2_NFC_INPUT
            let isNontransitional: Int32 = 8  // IDN2_NONTRANSITIONAL
            guard convert(name, &result, isNormalized | isNontransitional) == 0 else { return nil }
            return result.map { String(cString: $0) }
        }
    }
#endif
