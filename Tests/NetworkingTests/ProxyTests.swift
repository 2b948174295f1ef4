import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarNetworking
    import Foundation
    import Testing

    /// Proxies of a configuration and of the environment: HTTP, HTTPS and SOCKS5, with and without credentials.
    @Suite(.timeLimit(.minutes(3))) struct ProxyTests {
        private let anna = BasicCredentials(user: "anna", password: "p@ss: w\u{f6}rd%41/")

        private func client(
            _ proxy: NetworkProxy, _ change: (inout ClientConfiguration) -> Void = { _ in }
        ) throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.proxy = proxy
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            change(&configuration)
            return try TransportKind.curl.client(configuration)
        }

        private func result(_ client: NetworkClient, _ url: String) async -> Result<String, NetworkError> {
            await outcome { () async throws(NetworkError) in
                try await client.send(NetworkRequest(.get, url)).text()
            }
        }

        @Test("Plain requests use the proxy with its credentials", arguments: TestProxy.Kind.allCases, [true, false])
        func plain(kind: TestProxy.Kind, hasCredentials: Bool) async throws {
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    connection.write(answer(body: "\(request.target) \(request["Proxy-Authorization"] ?? "nothing")"))
                }
            }
            let proxy =
                hasCredentials
                ? try TestProxy(kind, user: anna.user, password: anna.password) : try TestProxy(kind)
            let client = try client(
                NetworkProxy(proxy.url, user: hasCredentials ? anna.user : nil, password: anna.password))
            for _ in 0..<3 {
                let text = try await result(client, "http://localhost:\(server.port)/a").get()
                #expect(text == (kind == .http ? "proxied http://localhost:\(server.port)/a" : "/a nothing"))
            }
            // SOCKS tunnels are reused; the scheme decides which side resolves names.
            switch kind {
            case .http: #expect(proxy.requests.count == 3)
            // The addresses of a name have the system's order.
            case .socks5:
                #expect(proxy.requests.count == 1 && proxy.requests[0].hasSuffix(":\(server.port)"))
                #expect(!proxy.requests[0].contains("name"))
            case .socks5h: #expect(proxy.requests == ["SOCKS name localhost:\(server.port)"])
            }
        }

        @Test(
            "Requests over TLS use a tunnel, and the server doesn't receive the proxy's credentials",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"), arguments: TestProxy.Kind.allCases)
        func secure(kind: TestProxy.Kind) async throws {
            let server = try await offPool { try TLSServer("good") }
            let proxy = try TestProxy(kind, user: anna.user, password: anna.password)
            let client = try client(NetworkProxy(proxy.url, user: anna.user, password: anna.password))
            for _ in 0..<2 {
                let head = try await result(client, "https://localhost:\(server.port)/head").get()
                #expect(head.hasPrefix("GET /head HTTP/1.1\r\n"))
                #expect(!head.lowercased().contains("proxy-authorization"), "\(head)")
            }
            #expect(proxy.requests.count == 1)
        }

        @Test(
            "A proxy with TLS carries plain requests and tunnels",
            .enabled(if: TLSServer.isAvailable, "python3 is not installed"), arguments: ["http", "https"])
        func proxyWithTLS(scheme: String) async throws {
            let (proxy, server) = try await offPool { (try TLSServer("good"), try TLSServer("good")) }
            let client = try client(
                NetworkProxy("https://localhost:\(proxy.port)", user: anna.user, password: anna.password))
            let text = try await result(client, "\(scheme)://127.0.0.1:\(server.port)/head").get()
            if scheme == "http" {
                #expect(text.contains("GET http://127.0.0.1:\(server.port)/head HTTP/1.1\r\n"))
                #expect(text.contains("Proxy-Authorization: Basic "))
            } else {
                #expect(text.hasPrefix("GET /head HTTP/1.1\r\n") && !text.contains("Proxy-Authorization"))
            }
            let untrusting = try self.client(NetworkProxy("https://localhost:\(proxy.port)")) {
                $0.transport.trustRoots = nil
            }
            let error = await result(untrusting, "\(scheme)://127.0.0.1:\(server.port)/").failure
            #expect(
                error?.code == .certificateUntrusted && error?.requestState == .notSent, "\(String(describing: error))")
        }

        @Test(
            "Wrong and missing credentials fail, without a secret in the error",
            arguments: TestProxy.Kind.allCases, ["http", "https"])
        func wrongCredentials(kind: TestProxy.Kind, scheme: String) async throws {
            let proxy = try TestProxy(kind, user: "anna", password: "right")
            for user in ["anna", nil] {
                let configured = try NetworkProxy(proxy.url, user: user, password: "wr0ng-secret")
                let client = try client(configured) { $0.retry = .standard }
                let error = await result(client, "\(scheme)://127.0.0.1:9/a").failure
                #expect(error?.code == .proxyFailed, "\(String(describing: error))")
                #expect(error?.isTransient == false && error?.attempts == 1)
                #expect(error.map { "\($0) \($0.userMessage)" }?.contains("wr0ng") == false)
                if kind == .http { #expect(error?.message.contains("407") == true, "\(String(describing: error))") }
                #expect(error?.requestState == (kind == .http && scheme == "http" ? .answered : .notSent))
            }
        }

        @Test("A 407 of a server without a proxy, or through SOCKS, is a response", arguments: [true, false])
        func foreign407(hasProxy: Bool) async throws {
            let server = try FaultServer { connection in
                while connection.request() != nil { connection.write(answer(407, body: "mine")) }
            }
            let proxy = try TestProxy(.socks5)
            let client = hasProxy ? try client(NetworkProxy(proxy.url)) : try TransportKind.curl.client()
            let error = await result(client, "\(server.url)/").failure
            #expect(error?.code == .unacceptableStatus && error?.status == 407)
            #expect(error?.bodyPrefix == Array("mine".utf8))
        }

        @Test(
            "Connections go on after a refusal, with 16 requests at once and wrong and right credentials between them")
        func recovery() async throws {
            let proxy = try TestProxy(.http, user: "anna", password: "right")
            let right = try client(NetworkProxy(proxy.url, user: "anna", password: "right"))
            let wrong = try client(NetworkProxy(proxy.url))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let isRight = number % 3 != 0
                        let result = await result(isRight ? right : wrong, "http://h.test/\(number)")
                        if isRight {
                            #expect((try? result.get()) == "proxied http://h.test/\(number)")
                        } else {
                            #expect(result.failure?.code == .proxyFailed)
                        }
                    }
                }
            }
        }

        @Test("Excluded hosts are reached directly, and a proxy that nobody serves fails")
        func excluded() async throws {
            let server = try FaultServer { connection in
                while connection.request() != nil { connection.write(answer(body: "direct")) }
            }
            let proxy = try TestProxy(.http)
            let client = try client(NetworkProxy(proxy.url, excluding: ["other.test", "127.0.0.0/8"]))
            #expect(try await result(client, server.url + "/").get() == "direct" && proxy.requests.isEmpty)
            #expect(try await result(client, "http://h.test/").get() == "proxied http://h.test/")
            let dead = try self.client(NetworkProxy("http://anna:s3cret@127.0.0.1:1"))
            let error = await result(dead, "http://h.test/").failure
            #expect(error?.code == .proxyFailed && error?.description.contains("s3cret") == false)
        }

        @Test(
            "A malformed proxy throws, and the message has no secret",
            arguments: [
                "", "proxy", "proxy.example:8080", "ftp://proxy", "socks4://proxy", "http://", "http:///", "http://p:0",
                "http://p:65536", "http://p/path", "http://p?q", "http://p#f", "http://p p", "http://p\r\nX: y",
                "http://a%3Ab:s3cret@p", "http://a:s3cret%0A@p", "http://a:s3cret%00@p", "socks5://a@p",
                "socks5://:s3cret@p", "socks5://a:\(String(repeating: "s3cret", count: 50))@p", "http://a:s3cret@p:x",
            ])
        func malformed(url: String) {
            let error = #expect(throws: NetworkError.self) { try NetworkProxy(url) }
            #expect(error?.code == .invalidConfiguration && error?.key == "proxy")
            #expect(error?.description.contains("s3cret") == false)
        }

        @Test(
            "A proxy has a default port, keeps its credentials secret, and passes them to libcurl percent-encoded",
            arguments: [
                ("http://P.example", "http://p.example:80", "http://p.example:80"),
                ("HTTPS://p.example/", "https://p.example:443", "https://p.example:443"),
                ("socks5h://[::1]", "socks5h://[::1]:1080", "socks5h://[::1]:1080"),
                ("http://a:b%2F@p.example:8080", "http://<redacted>@p.example:8080", "http://a:b%2F@p.example:8080"),
                ("http://a@p.example:8080", "http://<redacted>@p.example:8080", "http://a:@p.example:8080"),
            ])
        func description(url: String, description: String, internalURL: String) throws {
            let proxy = try NetworkProxy(url)
            #expect(proxy.description == description && proxy.url == internalURL)
            var configuration = TransportConfiguration()
            configuration.proxy = proxy
            #expect("\(configuration)".contains(description) && !"\(configuration)".contains("b%2F"))
        }

        // MARK: Rules

        @Test("The environment's variables select the proxy by scheme")
        func environment() throws {
            func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
                try ProxyRules(environment: environment).proxy(for: HTTPURL(url))
            }
            let both = ["http_proxy": "http://p:1", "HTTP_PROXY": "http://no:1", "HTTPS_PROXY": "http://s:2"]
            #expect(try proxy("http://a.org/", both) == "http://p:1" && proxy("https://a.org/", both) == "http://s:2")
            #expect(try proxy("http://a.org/", ["HTTP_PROXY": "http://no:1"]) == nil)
            #expect(try proxy("https://a.org/", ["https_proxy": "l:1", "HTTPS_PROXY": "u:1"]) == "l:1")
            #expect(try proxy("https://a.org/", ["https_proxy": "", "HTTPS_PROXY": "u:1"]) == "u:1")
            #expect(try proxy("https://a.org/", ["all_proxy": "q:3", "ALL_PROXY": "r:3"]) == "q:3")
            #expect(try proxy("https://a.org/", ["ALL_PROXY": "r:3", "https_proxy": "l:1"]) == "l:1")
            #expect(try proxy("http://a.org/", ["ALL_PROXY": "socks5://q:3", "NO_PROXY": "*"]) == nil)
            #expect(try proxy("http://a.org/", ["ALL_PROXY": "q:3", "no_proxy": "b.org", "NO_PROXY": "*"]) == "q:3")
            #expect(try proxy("http://a.org/", [:]) == nil)
        }

        @Test(
            "no_proxy lists names, domains, addresses and networks",
            arguments: [
                ("localhost", "http://localhost/", true), ("LOCALHOST", "http://localhost./", true),
                (".example.com", "http://example.com/", true), ("example.com", "http://www.example.com./", true),
                ("example.com.", "http://example.com/", true), ("example.com", "http://badexample.com/", false),
                ("a.example.com", "http://example.com/", false), ("*", "http://[::1]/", true),
                ("*.example.com", "http://a.example.com/", false), ("x y\tz", "http://y/", true),
                ("x,,y", "http://z/", false), ("", "http://z/", false), (".", "http://z/", false),
                ("10.0.0.0/8", "http://10.9.8.7/", true), ("10.0.0.0/8", "http://11.0.0.1/", false),
                ("0.0.0.0/0", "http://11.0.0.1/", true), ("10.0.0.0/33", "http://10.0.0.0/", false),
                ("10.0.0.0/x", "http://10.0.0.0/", false), ("10.0.0.0/-1", "http://10.0.0.0/", false),
                ("10.0.0.0/", "http://10.0.0.0/", false), ("192.168.1.1", "http://192.168.1.1/", true),
                ("192.168.1.1", "http://192.168.1.2/", false), ("1.1", "http://192.168.1.1/", false),
                ("[::1]", "http://[::1]/", true), ("::1", "http://[::1]/", true), ("0:0::1", "http://[::1]/", true),
                ("::1", "http://[::2]/", false), ("fd00::/8", "http://[fdff::1]/", true),
                ("fd00::/8", "http://[fc00::1]/", false), ("2001:db8::/65", "http://[2001:db8::7fff:0:0:1]/", true),
                ("2001:db8::/65", "http://[2001:db8::8000:0:0:1]/", false), ("::/0", "http://[fc00::1]/", true),
                ("fd00::1/128", "http://[fd00::1]/", true), ("fd00::1/128", "http://[fd00::2]/", false),
                ("10.0.0.1/32", "http://10.0.0.1/", true), ("10.0.0.1/32", "http://10.0.0.2/", false),
                ("::/129", "http://[::]/", false), ("::/0", "http://1.2.3.4/", false),
                ("0.0.0.0/0", "http://[::1]/", false), ("0.0.0.0/0", "http://a.org/", false),
            ])
        func exclusions(list: String, url: String, isDirect: Bool) throws {
            let url = try HTTPURL(url)
            let environment = ProxyRules(environment: ["all_proxy": "p:1", "no_proxy": list])
            #expect((environment.proxy(for: url) == nil) == isDirect)
            let configured = ProxyRules(try NetworkProxy("http://p", excluding: [list]))
            #expect((configured.proxy(for: url) == nil) == isDirect)
        }

        @Test(
            "A proxy has a host and port as the session of Apple systems expects them",
            arguments: [
                ("http://p.example", "p.example", 80, false, false),
                ("https://P.example", "p.example", 443, true, false),
                ("socks5://127.0.0.1", "127.0.0.1", 1080, false, true), ("socks5h://[::1]:9", "::1", 9, false, true),
            ])
        func endpoint(url: String, host: String, port: Int, isSecure: Bool, isSOCKS: Bool) throws {
            let proxy = try NetworkProxy(url)
            #expect(proxy.hostAndPort == (host, port))
            #expect(proxy.isSecure == isSecure && proxy.isSOCKS == isSOCKS)
        }
    }
#endif
