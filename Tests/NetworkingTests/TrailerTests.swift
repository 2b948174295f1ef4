import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

#if os(Linux)
    /// Fields behind the bodies of responses and requests.
    @Suite(.timeLimit(.minutes(5))) struct TrailerTests {
        private static let chunked = "HTTP/1.1 200 OK\r\nX: head\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

        struct Case: CustomTestStringConvertible, Sendable {
            let sent: String
            var fields: [String] = []
            var code: NetworkError.Code?
            var testDescription: String { String(sent.prefix(30).debugDescription) }
        }

        static let cases: [Case] = [
            Case(sent: ""),
            Case(sent: "X-Sum: 1\r\n", fields: ["X-Sum: 1"]),
            Case(sent: "X-Sum: 1\r\nX-Sum: 2\r\n", fields: ["X-Sum: 1", "X-Sum: 2"]),
            Case(sent: "X-Sum:\r\nY: \t two words \r\n", fields: ["X-Sum: ", "Y: two words"]),
            Case(sent: "X-Sum: a\r\n b\r\n", fields: ["X-Sum: a b"]),
            Case(sent: "X: tail\r\nContent-Length: 99\r\n", fields: ["X: tail", "Content-Length: 99"]),
            Case(sent: String(repeating: "X: 1\r\n", count: 200), fields: [String](repeating: "X: 1", count: 200)),
            Case(sent: String(repeating: "X: 1\r\n", count: 201), code: .badResponse),
            Case(
                sent: String(repeating: "X: " + String(repeating: "x", count: 1000) + "\r\n", count: 70),
                code: .badResponse),
            Case(sent: " X: 1\r\n", code: .badResponse), Case(sent: "X\r\n", code: .badResponse),
            Case(sent: "X y: 1\r\n", code: .badResponse), Case(sent: ": 1\r\n", code: .badResponse),
            Case(sent: "X: 1\nY: 2\r\n", code: .badResponse), Case(sent: "X: \u{7F}\r\n", code: .badResponse),
            Case(sent: "X: 1\rY: 2\r\n", code: .corrupted),
        ]

        @Test(
            "Fields behind the last chunk are trailers, separate from the head, or make the response fail",
            arguments: cases)
        func received(input: Case) async throws {
            let server = try FaultServer { connection in
                while connection.request() != nil { connection.write(Self.chunked + input.sent + "\r\n") }
            }
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url)
            for _ in 0..<2 {
                let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
                guard input.code == nil else {
                    #expect(result.failure?.code == input.code)
                    continue
                }
                let response = try result.get()
                #expect(response.trailers.map(\.description) == input.fields)
                #expect(response.headers["X"] == "head")
                #expect(try response.text() == "ok")
            }
            #expect(server.connectionCount == (input.code == nil ? 1 : 2))
        }

        @Test("The values of trailers are bytes")
        func bytes() async throws {
            let server = try FaultServer(raw: Array(Self.chunked.utf8) + [0x58, 0x3A, 0xE9, 13, 10, 13, 10])
            let client = try TransportKind.curl.client()
            #expect(try await client.send(client.request(.get, server.url)).trailers["x"] == "é")
        }

        @Test("libcurl rejects a line of more than 4 KiB in a trailer")
        func longLine() async throws {
            let server = try FaultServer(raw: Self.chunked + "X: " + String(repeating: "x", count: 5000) + "\r\n\r\n")
            let client = try TransportKind.curl.client()
            let request = try client.request(.get, server.url)
            let failure = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
            #expect([.badResponse, .corrupted, .truncated].contains(failure?.code))
        }

        @Test("The trailers of a stream exist at its end, not before and not if it fails")
        func streamed() async throws {
            let goesOn = DispatchSemaphore(value: 0)
            let server = try FaultServer { connection in
                while let request = connection.request() {
                    connection.write(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n")
                    guard request.target == "/whole" else { return connection.finish() }
                    _ = goesOn.wait(timeout: .now() + 20)
                    connection.write("\r\n")
                }
            }
            let client = try TransportKind.curl.client()
            let whole = try await client.stream(client.request(.get, server.url + "/whole"))
            #expect(try await whole.body.next() == Array("ok".utf8))
            #expect(whole.trailers.isEmpty)
            goesOn.signal()
            #expect(try await whole.body.next() == nil)
            #expect(whole.trailers["X-Sum"] == "1")
            let cut = try await client.stream(client.request(.get, server.url + "/cut"))
            await #expect(throws: NetworkError.self) { while try await cut.body.next() != nil {} }
            #expect(cut.trailers.isEmpty)
        }

        @Test("Trailers arrive over HTTP/2", .enabled(if: SecureNginx.isAvailable, "nginx is not installed"))
        func http2() async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try Self.secureClient()
            for _ in 0..<3 {
                let response = try await client.send(client.request(.get, server.url + "/trailers/small.txt"))
                #expect(response.head.version == "2")
                #expect(try response.text() == "small")
                #expect(response.trailers.map(\.value) == ["abc", "def"])
                #expect(!response.headers.contains("X-Sum"))
                #expect(try await client.send(client.request(.get, server.url + "/which")).trailers.isEmpty)
            }
        }

        @Test("A stub has trailers and interim heads")
        func stub() async throws {
            var answer = StubResponse.text("ok")
            answer.trailers = ["X-Sum": "1"]
            answer.interims = [ResponseHead(status: 103, headers: ["Link": "</a>"])]
            let client = NetworkClient(transport: StubTransport(["GET /": answer]))
            let seen = Mutex<[Int]>([])
            var request = try client.request(.get, "https://a.example/")
            request.options.interim = { head in seen.withLock { $0.append(head.status) } }
            #expect(try await client.send(request).trailers["X-Sum"] == "1")
            #expect(seen.withLock { $0 } == [103])
        }

        // MARK: Requests

        private static func secureClient() throws -> NetworkClient {
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = TLSServer.path("ca.pem")
            return try TransportKind.curl.client(configuration)
        }

        /// A server that records the bytes of chunked bodies and answers each request.
        private static func recorder(_ log: Mutex<[String]>, status: Int = 200) throws -> FaultServer {
            try FaultServer { connection in
                while let head = connection.head() {
                    var text = ""
                    while head.contains("chunked"), !text.contains("0\r\n") || !text.hasSuffix("\r\n\r\n"),
                        let bytes = connection.receive()
                    {
                        text += String(decoding: bytes, as: UTF8.self)
                    }
                    let trailer = head.split(separator: "\r\n").first { $0.hasPrefix("Trailer") } ?? "no trailer"
                    log.withLock { $0.append(trailer + "|" + text) }
                    let moves = head.hasPrefix("PUT /old ")
                    connection.write(moves ? answer(307, ["Location: /new"]) : answer(body: "ok"))
                }
            }
        }

        struct Upload: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let body: RequestBody
            let received: String
        }

        static let uploads: [Upload] = [
            Upload(
                testDescription: "bytes", body: .text("hello").withTrailers(["X-Sum"]) { ["X-Sum": "5"] },
                received: "Trailer: X-Sum|5\r\nhello\r\n0\r\nX-Sum: 5\r\n\r\n"),
            Upload(
                testDescription: "no bytes", body: RequestBody.empty.withTrailers(["X-Sum"]) { ["x-sum": "0"] },
                received: "Trailer: X-Sum|0\r\nx-sum: 0\r\n\r\n"),
            Upload(
                testDescription: "two fields",
                body: .text("a").withTrailers(["A", "B"]) { ["A": "1", "B": "two words"] },
                received: "Trailer: A, B|1\r\na\r\n0\r\nA: 1\r\nB: two words\r\n\r\n"),
            Upload(
                testDescription: "announced, but none", body: .text("a").withTrailers(["A"]) { [:] },
                received: "Trailer: A|1\r\na\r\n0\r\n\r\n"),
        ]

        @Test("Trailers follow a body in chunks, and the connection serves other requests", arguments: uploads)
        func sent(input: Upload) async throws {
            let log = Mutex<[String]>([])
            let server = try Self.recorder(log)
            let client = try TransportKind.curl.client()
            for _ in 0..<3 {
                #expect(try await client.send(client.request(.put, server.url, body: input.body)).text() == "ok")
                #expect(try await client.send(client.request(.get, server.url)).text() == "ok")
                let plain = RequestBody.stream { AsyncStream<[UInt8]> { $0.finish() } }
                #expect(try await client.send(client.request(.put, server.url, body: plain)).text() == "ok")
            }
            let round = [input.received, "no trailer|", "no trailer|0\r\n\r\n"]
            #expect(log.withLock { $0 } == round + round + round)
            #expect(server.connectionCount == 1)
        }

        @Test("A checksum is computed while the body is read, once for each time it is sent")
        func checksum() async throws {
            let log = Mutex<[String]>([])
            let server = try Self.recorder(log)
            let client = try TransportKind.curl.client()
            let sum = Mutex(0)
            let body = RequestBody.stream {
                sum.withLock { $0 = 0 }
                return AsyncStream<[UInt8]> { continuation in
                    for value in 1...3 {
                        sum.withLock { $0 += value }
                        continuation.yield([UInt8(ascii: "a")])
                    }
                    continuation.finish()
                }
            }.withTrailers(["X-Sum"]) { ["X-Sum": String(sum.withLock { $0 })] }
            #expect(try await client.send(client.request(.put, server.url + "/old", body: body)).text() == "ok")
            #expect(log.withLock { $0.map { $0.hasSuffix("0\r\nX-Sum: 6\r\n\r\n") } } == [true, true])
        }

        struct BadTrailer: CustomTestStringConvertible, Sendable {
            let testDescription: String
            var names = ["X-Sum"]
            var fields: HTTPHeaders = ["X-Sum": "1"]
            var code = NetworkError.Code.invalidHeader
        }

        static let badTrailers: [BadTrailer] = [
            BadTrailer(testDescription: "a name that isn't announced", fields: ["Y": "1"]),
            BadTrailer(testDescription: "an announced name with a space", names: ["X Sum"]),
            BadTrailer(testDescription: "an empty name", names: [""]),
            BadTrailer(testDescription: "a line end in the value", fields: ["X-Sum": "1\r\nEvil: 1"]),
            BadTrailer(testDescription: "a length", names: ["Content-Length"], fields: ["Content-Length": "1"]),
            BadTrailer(testDescription: "credentials", names: ["authorization"], fields: ["authorization": "x"]),
        ]

        @Test("Trailers that must not be sent make the request fail", arguments: badTrailers)
        func rejected(input: BadTrailer) async throws {
            let log = Mutex<[String]>([])
            let server = try Self.recorder(log)
            let client = try TransportKind.curl.client()
            let body = RequestBody.text("a").withTrailers(input.names) { input.fields }
            let request = try client.request(.put, server.url, body: body)
            let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
            #expect(result.failure?.code == input.code, "\(result)")
            #expect(try await client.send(client.request(.get, server.url)).text() == "ok")
            #expect(!log.withLock { $0.joined() }.contains("Evil"))
        }

        @Test("A closure that throws makes the request fail with its error, and a slow one delays only its request")
        func throwing() async throws {
            struct Failure: Error {}
            let log = Mutex<[String]>([])
            let server = try Self.recorder(log)
            let client = try TransportKind.curl.client()
            let bad = try client.request(
                .put, server.url, body: RequestBody.text("a").withTrailers(["X"]) { throw Failure() })
            let failure = await outcome { () async throws(NetworkError) in try await client.send(bad) }.failure
            #expect(failure?.code == .invalidBody)
            #expect(failure?.underlying is Failure)
            let opened = Mutex(false)
            let slow = try client.request(
                .put, server.url,
                body: RequestBody.text("a").withTrailers(["X"]) {
                    while !opened.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
                    return ["X": "late"]
                })
            async let answer = client.send(slow)
            for _ in 0..<10 { #expect(try await client.send(client.request(.get, server.url)).text() == "ok") }
            opened.withLock { $0 = true }
            #expect(try await answer.text() == "ok")
            #expect(log.withLock { $0.contains { $0.hasSuffix("X: late\r\n\r\n") } })
        }

        @Test(
            "A request with trailers uses HTTP/1.1, also if another connection uses HTTP/2",
            .enabled(if: SecureNginx.isAvailable, "nginx is not installed"))
        func version() async throws {
            let server = try await offPool { try SecureNginx() }
            let client = try Self.secureClient()
            for _ in 0..<2 {
                #expect(try await client.send(client.request(.get, server.url + "/which")).head.version == "2")
                let body = RequestBody.text("hello").withTrailers(["X-Sum"]) { ["X-Sum": "5"] }
                let sent = try await client.send(client.request(.post, server.url + "/which", body: body))
                #expect(sent.head.version == "1.1")
            }
        }
    }
#endif
