import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// HTTP/2 connections that end: nothing is lost that may be repeated, and nothing is sent twice that may not.
    @Suite(
        .timeLimit(.minutes(5)), .enabled(if: TLSServer.hasHTTP2, "python3-hpack is not installed"),
        .enabled(if: TLSServer.offersHTTP2, "libcurl is older than 8.5"))
    struct HTTP2FaultTests {
        private static func client() throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            return try TransportKind.curl.client(configuration)
        }

        private static func send(
            _ client: NetworkClient, _ url: String, _ method: HTTPMethod = .get, body: RequestBody = .empty
        ) async -> Result<NetworkResponse, NetworkError> {
            await outcome { () async throws(NetworkError) in
                try await client.send(client.request(method, url, body: body))
            }
        }

        /// Sends requests, some at a time, and returns their failures.
        static func failures(
            of count: Int, concurrently width: Int, _ send: @escaping @Sendable (Int) async -> String?
        ) async -> [String] {
            await withTaskGroup(of: String?.self) { group in
                var failures: [String] = []
                for number in 0..<count {
                    if number >= width, let failure = await group.next() ?? nil { failures.append(failure) }
                    group.addTask { await send(number) }
                }
                for await failure in group { if let failure { failures.append(failure) } }
                return failures
            }
        }

        @Test(
            "No POST is lost if nginx closes connections after some requests",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            arguments: [(1000, 8), (1000, 100), (7, 1), (7, 8), (7, 100)])
        func nginx(keepaliveRequests: Int, width: Int) async throws {
            let count = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? 10_000 : 2500
            let server = try await offPool { try SecureNginx(keepaliveRequests: keepaliveRequests) }
            let client = try Self.client()
            for method in [HTTPMethod.post, .get] {
                let failures = await Self.failures(of: count, concurrently: width) { number in
                    let text = String(repeating: "x", count: number % 100)
                    let body: RequestBody = method == .post ? .text(text) : .empty
                    let result = await Self.send(client, server.url + "/length?\(number)", method, body: body)
                    if case .success(let response) = result, response.head.version == "2" {
                        let expected = method == .post ? "\(text.count)" : ""
                        let found = String(decoding: response.bytes, as: UTF8.self)
                        return found == expected ? nil : "\(number): \(found)"
                    }
                    return "\(number): \(result)"
                }
                #expect(failures.isEmpty, "\(method): \(failures.count), first \(failures.first ?? "")")
            }
        }

        @Test("No response is lost if the server answers before it has read the body")
        func early() async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            let failures = await Self.failures(of: 1000, concurrently: 100) { number in
                let path = "/\(number % 7 == 0 ? "leave" : "early")/\(number)"
                let result = await Self.send(client, server.url + path, .post, body: .text("body"))
                let found = (try? result.get().text()) ?? "\(result)"
                return found == "POST \(path) body" || found == "early" ? nil : "\(number): \(found)"
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
        }

        @Test("An early response to a long body isn't lost if the server then refuses the rest without an error")
        func earlyLong() async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            let body = RequestBody.text(String(repeating: "b", count: 1_000_000))
            for number in 0..<60 {
                let path = "/early/\(number)"
                let found = try? await Self.send(client, server.url + path, .post, body: body).get().text()
                #expect(found == "early" || found?.hasPrefix("POST \(path) b") == true)
            }
        }

        @Test("A connection whose TLS the server has ended gets no request")
        func endedTLS() async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            for number in 0..<20 {
                var request = try client.request(.get, server.url + "/notify/\(number)")
                request.options.idleTimeout = .seconds(5)
                let sent = request
                let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
                #expect((try? result.get().text()) == "GET /notify/\(number) ", "\(result)")
            }
        }

        @Test(
            "No error response of nginx to a long body is lost if other requests run",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            arguments: [(HTTPMethod.post, 4), (.put, 8), (.post, 8), (.post, 64)])
        func earlyErrors(method: HTTPMethod, width: Int) async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try Self.client()
            let body = RequestBody.text(String(repeating: "b", count: 200_000))
            async let neighbors = Self.failures(of: 800, concurrently: 8) { number in
                let result = await Self.send(client, server.url + "/small.txt?\(number)")
                return (try? result.get().text()) == "small" ? nil : "\(number): \(result)"
            }
            let failures =
                await Self.failures(of: 200, concurrently: width) { number in
                    let result = await Self.send(client, server.url + "/limited/\(number)", method, body: body)
                    return result.failure?.status == 413 ? nil : "\(number): \(result)"
                } + neighbors
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
        }

        @Test(
            "A response ends an exchange whose body nginx doesn't read",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"),
            arguments: [20_000, 200_000, 3_000_000], [1, 4])
        func unreadBodies(length: Int, width: Int) async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try Self.client()
            let body = RequestBody.text(String(repeating: "b", count: length))
            let failures = await Self.failures(of: 10, concurrently: width) { number in
                let result = await Self.send(client, server.url + "/length?\(number)", .post, body: body)
                return (try? result.get().text()) == "\(length)" ? nil : "\(number): \(result)"
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
        }

        @Test(
            "No GET is lost if each connection of nginx serves few requests",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"))
        func shortConnections() async throws {
            let server = try await offPool { try SecureNginx(keepaliveRequests: 7) }
            let client = try Self.client()
            let failures = await Self.failures(of: 2000, concurrently: 100) { number in
                let result = await Self.send(client, server.url + "/small.txt?\(number)")
                return (try? result.get().text()) == "small" ? nil : "\(number): \(result)"
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
        }

        @Test(
            "A request that the server refused is sent again with any method and body",
            arguments: [("refuse", 1), ("goaway", 1), ("goaway", 20), ("refuse", 20), ("shut", 1), ("shut", 20)])
        func refused(fault: String, width: Int) async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
            try Data(repeating: UInt8(ascii: "f"), count: 150_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            // A connection that ends during an upload says nothing about the streams before the last one it served.
            let kinds = width == 1 ? 3 : 1
            let failures = await Self.failures(of: 60, concurrently: width) { [path = file.path] number in
                let kind = number % kinds
                let text = String(repeating: "y", count: kind == 1 ? 100_000 : 10)
                let body: RequestBody = kind == 2 ? .file(path) : .text(text)
                let expected = kind == 2 ? String(repeating: "f", count: 150_000) : text
                let result = await Self.send(client, server.url + "/\(fault)/\(number)", .post, body: body)
                let found = (try? result.get().text()) ?? "\(result)"
                return found == "POST /\(fault)/\(number) \(expected)" ? nil : "\(number): \(found.prefix(300))"
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
            #expect(try await Self.send(client, server.url + "/counts").get().text() == "")
        }

        @Test(
            "An idempotent request is repeated if its connection ends without a response",
            arguments: ["drop", "reset", "goaway", "leave"], [HTTPMethod.get, .put])
        func dropped(fault: String, method: HTTPMethod) async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            for number in 0..<30 {
                for path in ["/ok/\(number)", "/\(fault)/\(number)"] {
                    let result = await Self.send(client, server.url + path, method)
                    #expect((try? result.get().text()) == "\(method) \(path) ", "\(result)")
                }
            }
        }

        @Test("A POST isn't repeated if its connection ends without a response", arguments: ["drop", "reset"])
        func droppedPost(fault: String) async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            for number in 0..<20 {
                _ = try await Self.send(client, server.url + "/ok/\(number)", .post, body: .text("a")).get()
                let result = await Self.send(client, server.url + "/\(fault)/\(number)", .post, body: .text("b"))
                let error = try #require(result.failure, "\(result)")
                #expect(error.code == .connectionLost, "\(error)")
                #expect(error.requestState == .sent, "\(error)")
            }
            #expect(try await Self.send(client, server.url + "/counts").get().text() == "")
        }

        @Test("Neighbors of a dropped connection are repeated, unless their response has begun")
        func neighbors() async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            let truncated = Counter()
            let failures = await Self.failures(of: 600, concurrently: 50) { number in
                let names = ["ok", "ok", "drop", "ok", "goaway", "leave", "refuse", "ok", "reset", "ok"]
                let path = "/\(names[number % names.count])/\(number)"
                let result = await Self.send(client, server.url + path)
                if let error = result.failure, error.code == .truncated, error.status == 200 {
                    truncated.next()  // libcurl discards what has arrived
                    return nil
                }
                return (try? result.get().text()) == "GET \(path) " ? nil : "\(path): \(result)"
            }
            #expect(failures.isEmpty, "\(failures.count), first \(failures.first ?? "")")
            #expect(truncated.value < 300, "\(truncated.value)")
        }

        @Test(
            "A defective stream has its own error, and the connection goes on",
            arguments: [
                ("/break/1", NetworkError.Code.connectionLost), ("/cut/1", .truncated), ("/head/70000", .badResponse),
                ("/head/100000", .badResponse),
                ("/head/500000", .badResponse),
            ])
        func defective(path: String, code: NetworkError.Code) async throws {
            let server = try await offPool { try TLSServer.http2() }
            let client = try Self.client()
            for _ in 0..<2 {
                let result = await Self.send(client, server.url + path)
                #expect(result.failure?.code == code, "\(result)")
                #expect(try await Self.send(client, server.url + "/ok").get().text() == "GET /ok ")
            }
        }
    }

    /// Connections that have the same local port.
    @Suite(.timeLimit(.minutes(5))) struct LocalPortTests {
        @Test(
            "Bytes on an idle connection never answer a request if other connections have its local port",
            .enabled(if: getuid() == 0, "only root can create a network namespace"))
        func sharedPorts() async throws {
            await #expect(processExitsWith: .success) {
                // From here to the first `await`, everything is on this thread and thus in its namespace.
                typealias Unshare = @convention(c) (Int32) -> Int32
                let unshare = try #require(dlsym(nil, "unshare").map { unsafeBitCast($0, to: Unshare.self) })
                guard unshare(0x4000_0000) == 0 else { return }  // a container without the right
                let setup = "ip link set lo up && echo 41000 41003 > /proc/sys/net/ipv4/ip_local_port_range"
                try #require(system(setup) == 0)
                let client = try TransportKind.curl.client()
                let written = Counter()
                let servers = try (0..<8).map { index in
                    try FaultServer(port: 20_000 + index) { connection in
                        while let request = connection.request() {
                            connection.write(answer(body: request.target))
                            guard request.target.hasSuffix("evil") else { continue }
                            connection.pause(0.03)
                            connection.write(answer(body: "evil"))
                            _ = written.next()
                        }
                    }
                }
                for round in 0..<4 {
                    for server in servers {
                        let target = "/\(round)evil"
                        #expect(try await client.send(client.request(.get, server.url + target)).text() == target)
                    }
                    try await until { written.value == (round + 1) * servers.count }
                }
            }
        }
    }
#endif
