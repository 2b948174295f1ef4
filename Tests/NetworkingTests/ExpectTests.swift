import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// Requests that ask with `Expect: 100-continue` whether the server wants the body.
    @Suite(.timeLimit(.minutes(2))) struct ExpectTests {
        static let bodies: [(String, RequestBody)] = [10, 200_000].flatMap { size -> [(String, RequestBody)] in
            let text = String(repeating: "b", count: size)
            let stream = RequestBody.stream(length: size) {
                AsyncStream {
                    $0.yield(Array(text.utf8))
                    $0.finish()
                }
            }
            return [("text of \(size) bytes", .text(text)), ("stream of \(size) bytes", stream)]
        }

        private func send(
            _ client: NetworkClient, _ method: HTTPMethod, _ url: String, _ body: RequestBody
        ) async throws -> NetworkResponse {
            var request = try client.request(method, url, headers: ["Expect": "100-continue"], body: body)
            request.options.acceptedStatuses = nil
            request.options.idleTimeout = .seconds(5)
            return try await client.send(request)
        }

        @Test(
            "A response before the body doesn't make the server read the next request as the body",
            arguments: [200, 204, 303, 401, 500], bodies.indices)
        func early(status: Int, index: Int) async throws {
            let server = try FaultServer { connection in
                while let head = connection.head() {
                    if head.hasPrefix("GET") {
                        connection.write(answer(body: "next"))
                        continue
                    }
                    connection.write(answer(status, status == 303 ? ["Location: /next"] : []))
                    let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
                    guard connection.take(length.flatMap { Int($0) } ?? 0) != nil else { return }
                }
            }
            let client = try TransportKind.curl.client()
            for _ in 0..<3 {
                let response = try await send(client, .post, server.url, Self.bodies[index].1)
                #expect(response.status == (status == 303 ? 200 : status), "\(Self.bodies[index].0)")
                var next = try client.request(.get, server.url)
                next.options.idleTimeout = .seconds(5)
                #expect(try await client.send(next).text() == "next", "\(Self.bodies[index].0)")
            }
        }

        @Test(
            "If the server refuses the expectation, the request is sent again without it",
            arguments: [HTTPMethod.post, .put], [false, true])
        func refused(method: HTTPMethod, closes: Bool) async throws {
            let server = try FaultServer { connection in
                while let head = connection.head() {
                    let fields = head.split(separator: "\r\n")
                    if fields.contains("Expect: 100-continue") {
                        connection.write(answer(417, closes ? ["Connection: close"] : [], body: "no"))
                        if closes { return }
                        continue
                    }
                    let length = fields.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) }
                    guard let body = connection.take(length ?? 0) else { return }
                    connection.write(answer(body: "received \(body.count)"))
                }
            }
            let client = try TransportKind.curl.client()
            for (name, body) in Self.bodies {
                let response = try await send(client, method, server.url, body)
                #expect(response.status == 200, "\(name)")
                #expect(try response.text() == "received \(body.length ?? 0)", "\(name)")
            }
        }

        @Test("A second refusal is the response")
        func refusedTwice() async throws {
            let server = try FaultServer { connection in
                while connection.head() != nil { connection.write(answer(417, ["Connection: close"], body: "no")) }
            }
            let response = try await send(try TransportKind.curl.client(), .post, server.url, .text("body"))
            #expect(try response.status == 417 && response.text() == "no")
            #expect(server.connectionCount == 2)
        }
    }
#endif
