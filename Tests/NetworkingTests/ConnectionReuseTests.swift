import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Testing

    /// Connections left by a misbehaving server: none of them affects the next request.
    @Suite(.timeLimit(.minutes(5))) struct ConnectionReuseTests {
        private func send(
            _ client: NetworkClient, _ url: String, _ method: HTTPMethod = .get, body: RequestBody = .empty
        ) async -> Result<NetworkResponse, NetworkError> {
            await outcome { () async throws(NetworkError) in
                try await client.send(client.request(method, url, body: body))
            }
        }

        @Test("A head that begins with a folded line doesn't crash the process")
        func foldedFirstLine() async throws {
            setenv("SWIFT_BACKTRACE", "enable=no", 1)
            let bad = try FaultServer(raw: "HTTP/1.1 200 OK\r\n X-A: one\r\nContent-Length: 1\r\n\r\nx")
            let good = try FaultServer(answering: { answer(200, ["X-Field: value"], body: $0.target) })
            await #expect(processExitsWith: .success) { [bad = bad.url as String, good = good.url as String] in
                let client = try TransportKind.curl.client()
                for number in 0..<100 {
                    let text = try await client.send(client.request(.get, good + "/\(number)")).text()
                    #expect(text == "/\(number)")
                    let request = try client.request(.get, bad)
                    let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                    #expect(result.failure?.code == .badResponse, "\(result)")
                }
            }
        }

        static let unsolicited: [String] = [
            "HTTP/1.1 200 EVIL\r\nContent-Length: 4\r\n\r\nevil",
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 EV", "\r\n", "x", "HTTP/1.1 100 Continue\r\n\r\n",
        ]

        @Test("Bytes that arrive on an idle connection never answer a request", arguments: unsolicited)
        func unsolicitedBytes(bytes: String) async throws {
            let written = Counter()
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    connection.write(answer(body: request.target))
                    connection.pause(0.02)
                    connection.write(bytes)
                    _ = written.next()
                    _ = connection.waitForClose()
                    return
                }
            }
            let client = try TransportKind.curl.client()
            for number in 1...6 {
                #expect(try await send(client, server.url + "/\(number)").get().text() == "/\(number)")
                try await until { written.value == number }
            }
            #expect(server.connectionCount == 6)
        }

        @Test("Bytes after a complete body close the connection", arguments: [true, false])
        func surplus(isChunked: Bool) async throws {
            let body =
                isChunked ? "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" : "Content-Length: 2\r\n\r\nok"
            let server = try FaultServer { connection in
                while connection.request() != nil {
                    connection.write("HTTP/1.1 200 OK\r\n" + body + "HTTP/1.1 200 EVIL\r\nContent-Le")
                    connection.write("ngth: 4\r\n\r\nevil")
                }
            }
            let client = try TransportKind.curl.client()
            for _ in 0..<20 { #expect(try await send(client, server.url).get().text() == "ok") }
            #expect(server.connectionCount == 20)
        }

        @Test("Bytes after a compressed body close the connection, although its reader had no room")
        func surplusOfInflatedBody() async throws {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "Fixtures/zeros-8MiB.gz")
            let zeros = [UInt8](try Data(contentsOf: path))
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            let bytes =
                Array((head + String(zeros.count, radix: 16) + "\r\n").utf8) + zeros
                + Array("\r\n0\r\n\r\nHTTP/1.1 200 EVIL\r\nContent-Le".utf8)
            let server = try FaultServer { connection in
                while connection.request() != nil { connection.write(bytes) }
            }
            let client = try TransportKind.curl.client()
            for _ in 0..<5 { #expect(try await send(client, server.url).get().bytes.count == 8 << 20) }
            #expect(server.connectionCount == 5)
        }

        @Test("A POST whose idle connection was closed is sent once on another connection")
        func postOnClosedConnection() async throws {
            let (closed, posts) = (Counter(), Counter())
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                if request.method == "POST" { _ = posts.next() }
                connection.write(answer(body: request.text))
                connection.endWriting()
                _ = closed.next()
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            for number in 1...50 {
                let result = await send(client, server.url, .post, body: .text("body \(number)"))
                #expect(try result.get().text() == "body \(number)")
                try await until { closed.value == number }
            }
            #expect(posts.value == 50)
        }

        @Test(
            "Idempotent requests succeed if the server drops a connection at its second request",
            arguments: [HTTPMethod.get, .head, .put, .delete, .options])
        func droppedAtSecondRequest(method: HTTPMethod) async throws {
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                connection.write(request.method == "HEAD" ? answer() : answer(body: request.target))
                _ = connection.head()
            }
            let client = try TransportKind.curl.client()
            var failures: [NetworkError] = []
            for number in 0..<1000 {
                let body: RequestBody = method == .put ? .text("value") : .empty
                switch await send(client, server.url + "/\(number)", method, body: body) {
                case .success(let response):
                    let text = String(decoding: response.bytes, as: UTF8.self)
                    #expect(method == .head || text == "/\(number)")
                case .failure(let error): failures.append(error)
                }
            }
            #expect(failures.isEmpty, "\(failures.count) failed, first \(failures[0])")
        }

        @Test("Eight dead connections at once do not use up the retries of one request")
        func manyDeadConnections() async throws {
            let server = try FaultServer { connection in
                guard let request = connection.request() else { return }
                connection.pause(0.05)
                connection.write(answer(body: request.target))
                _ = connection.head()
            }
            let client = try TransportKind.curl.client()
            for round in 0..<10 {
                let texts = await withTaskGroup(of: String.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let result = await send(client, server.url + "/\(round)-\(number)")
                            return (try? result.get().text()) ?? "\(result)"
                        }
                    }
                    return await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(texts == Set((0..<8).map { "/\(round)-\($0)" }))
            }
        }
    }
#endif
