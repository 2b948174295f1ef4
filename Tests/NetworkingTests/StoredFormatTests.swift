#if os(Linux) || os(macOS)
    import AshlarNetworking
    import AshlarTestSupport
    import Foundation
    import Testing

    /// Files of a client that one process writes and another reads; each process has hash seeds of its own.
    @Suite(.timeLimit(.minutes(2))) struct StoredFormatTests {
        let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder([:]) }

        private static func client(_ folder: String, _ transport: StubTransport) throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.cache = try .directory(folder)
            return NetworkClient(configuration, transport: transport)
        }

        @Test("A response that another process stored needs no request")
        func cache() async throws {
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                let stub = StubTransport { _ in
                    StubResponse(
                        headers: ["Cache-Control": "max-age=600", "ETag": "\"1\""], chunks: [Array("written".utf8)])
                }
                try #require(try await StoredFormatTests.client(path, stub).get("https://h/a").text() == "written")
            }
            let stub = StubTransport { _ in .text("requested") }
            let response = try await Self.client(folder.path, stub).get("https://h/a")
            #expect(try response.text() == "written" && response.headers["ETag"] == "\"1\"")
            #expect(stub.requests.isEmpty)
        }

        @Test("A cookie that another process stored is sent")
        func cookies() async throws {
            await #expect(processExitsWith: .success) { [path = folder.file("cookies.json") as String] in
                let jar = try CookieJar(file: path, clock: { 1000 })
                jar.store(
                    ["Set-Cookie": "a=\"\u{e4}\"; Max-Age=60; Path=/b; Domain=example.com; Secure; HttpOnly"],
                    from: try HTTPURL("https://api.example.com/"))
                try jar.save()
            }
            let jar = try CookieJar(file: folder.file("cookies.json"), clock: { 1059 })
            let cookie = try #require(jar.cookies.first)
            #expect(jar.cookies.count == 1 && cookie.domain == "example.com" && cookie.expires == 1060)
            #expect(cookie.isSecure && !cookie.isHostOnly)
            let url = try HTTPURL("https://example.com/b/c")
            #expect(jar.header(for: url) == "a=\"\u{e4}\"")
        }

        @Test("A host that was selected in another process is used")
        func hosts() async throws {
            await #expect(processExitsWith: .success) { [path = folder.file("hosts.json") as String] in
                let hosts = HostSwitch(try exampleMap(), store: .file(path))
                try hosts.select("QA", for: "httpbin.org")
                try hosts.select("BOX", for: "USDA", userHost: "7")
            }
            let hosts = HostSwitch(try exampleMap(), store: .file(folder.file("hosts.json")))
            #expect(hosts.warnings.isEmpty)
            let chosen = try #require(hosts.resolve("httpbin.org"))
            #expect(chosen == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
            #expect(try #require(hosts.resolve("USDA")).host == "box-7.usda.example:8443")
        }
    }
#endif
