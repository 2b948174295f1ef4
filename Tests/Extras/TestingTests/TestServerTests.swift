import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import AshlarTesting
import Foundation
import Testing

/// The server for tests of apps.
@Suite(.timeLimit(.minutes(5))) struct TestServerTests {
    @Test("Queued responses answer in order, the handler answers after them, and requests are recorded")
    func queue() async throws {
        let server = try TestServer { .text("handled \($0.target)") }
        server.enqueue(.text("one"), .json("[1]", status: 201), .bytes([0, 255]))
        let client = NetworkClient()
        let first = try await client.send(client.request(.post, server.url + "/a?b=c", body: .text("héllo")))
        #expect(try first.text() == "one")
        let second = try await client.send(client.request(.get, server.url + "/second"))
        #expect(second.status == 201 && second.headers["Content-Type"] == "application/json")
        #expect(try await client.send(client.request(.get, server.url + "/third")).bytes == [0, 255])
        #expect(try await client.send(client.request(.get, server.url + "/x")).text() == "handled /x")
        let request = try await server.takeRequest()
        #expect(request.method == .post && request.target == "/a?b=c" && request.text == "héllo")
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
        #expect(try await server.takeRequest().target == "/second")
        #expect(server.requestCount == 4 && server.connectionCount == 1)
        #expect(try await server.takeRequest().connection == 1)
    }

    @Test("A request without a response receives 500, which names it")
    func unexpected() async throws {
        let server = try TestServer()
        let client = NetworkClient()
        let result = await outcome { () async throws(NetworkError) in
            try await client.send(client.request(.get, server.url + "/none"))
        }
        #expect(result.failure?.status == 500)
        let text = String(decoding: result.failure?.bodyPrefix ?? [], as: UTF8.self)
        #expect(text.contains("GET /none"))
    }

    @Test("Waiting for a request ends with its arrival, the time limit, or the task")
    func waiting() async throws {
        let server = try TestServer { _ in .status(204) }
        let late = await outcome { () async throws(NetworkError) in
            try await server.takeRequest(within: .milliseconds(20))
        }
        #expect(late.failure?.code == .timedOut)
        let none = await outcome { () async throws(NetworkError) in try await server.takeRequest(within: .zero) }
        #expect(none.failure?.code == .timedOut)
        let task = Task {
            await outcome { () async throws(NetworkError) in try await server.takeRequest(within: .seconds(100)) }
        }
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        async let request = server.takeRequest()
        _ = try await NetworkClient().send(NetworkRequest(.get, server.url + "/now"))
        #expect(try await request.target == "/now")
    }

    @Test("Bodies arrive in chunks, slowly, or after a delay")
    func shapes() async throws {
        let server = try TestServer()
        var chunks = TestServer.Response.text("0123456789")
        chunks.chunkBytes = 3
        var slow = TestServer.Response.text(String(repeating: "x", count: 40))
        slow.bytesPerSecond = 200
        var late = TestServer.Response.text("late")
        late.headDelay = .milliseconds(60)
        late.bodyDelay = .milliseconds(60)
        server.enqueue(chunks, slow, late)
        let client = NetworkClient()
        let response = try await client.send(client.request(.get, server.url))
        #expect(try response.text() == "0123456789")
        #expect(response.headers["Transfer-Encoding"] == "chunked")
        for text in [String(repeating: "x", count: 40), "late"] {
            let start = ContinuousClock.now
            #expect(try await client.send(client.request(.get, server.url)).text() == text)
            #expect(ContinuousClock.now - start >= .milliseconds(95))
        }
        #expect(server.connectionCount == 1)
        server.enqueue(.status(204), .status(205), .text("after"))
        for status in [204, 205, 200] {
            #expect(try await client.send(client.request(.get, server.url)).status == status)
        }
        #expect(server.connectionCount == 1)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fault: TestServer.Fault
        let code: NetworkError.Code
    }

    static let cases = [
        Case(testDescription: "closeAtStart", fault: .closeAtStart, code: .connectionLost),
        Case(testDescription: "closeBeforeHead", fault: .closeBeforeHead, code: .connectionLost),
        Case(testDescription: "resetBeforeHead", fault: .resetBeforeHead, code: .connectionLost),
        Case(testDescription: "closeAfterHead", fault: .closeAfterHead, code: .truncated),
        Case(testDescription: "closeInBody", fault: .closeInBody, code: .truncated),
        Case(testDescription: "resetInBody", fault: .resetInBody, code: .truncated),
        Case(testDescription: "stallBeforeHead", fault: .stallBeforeHead, code: .timedOut),
        Case(testDescription: "stallInBody", fault: .stallInBody, code: .timedOut),
    ]

    @Test("A fault is an error of its kind, and the next request succeeds", arguments: cases, [nil, 4])
    func faults(input: Case, chunkBytes: Int?) async throws {
        try await repeatingOnce(if: "the request arrives after the idle timeout") {
            let server = try TestServer { _ in .text("fine") }
            var response = TestServer.Response.fault(input.fault)
            response.chunkBytes = chunkBytes
            server.enqueue(response)
            let client = NetworkClient()
            var request = try client.request(.post, server.url, body: .text("once"))
            if input.code == .timedOut { request.options.idleTimeout = .milliseconds(500) }
            let faulty = request
            let result = await outcome { () async throws(NetworkError) in try await client.send(faulty) }
            #expect(result.failure?.code == input.code, "\(result)")
            guard input.code != .timedOut || server.requestCount == 1 else { return false }
            #expect(try await client.send(client.request(.get, server.url)).text() == "fine")
            return true
        }
    }

    @Test("Bytes of fields arrive unchanged in both directions")
    func fields() async throws {
        let server = try TestServer { request in
            var response = TestServer.Response.text(request.text)
            response.headers["X-Name"] = request.headers["X-Name"]
            return response
        }
        let client = NetworkClient()
        for text in ["first", "second"] {
            let response = try await client.send(
                client.request(.post, server.url, headers: ["X-Name": "J\u{F6}rg"], body: .text(text)))
            #expect(try response.text() == text)
            #expect(response.headers["X-Name"] == "J\u{F6}rg")
        }
        #expect(server.connectionCount == 1)
        #expect(try await server.takeRequest().headers["X-Name"] == "J\u{F6}rg")
    }

    #if os(Linux)
        @Test(
            "A malformed request ends its connection only",
            arguments: [
                "Content-Length: -5\r\n\r\n", "Content-Length: x\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n-5\r\n",
                "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
                "Transfer-Encoding: chunked\r\n\r\n\r\n",
            ])
        func malformed(rest: String) async throws {
            let server = try TestServer { _ in .text("fine") }
            let bytes = Array("POST / HTTP/1.1\r\n\(rest)".utf8)
            let answer = try await offPool { [port = server.port] in
                let connection = try #require(Upstream(port: port))
                #expect(connection.send(bytes))
                return connection.receive()
            }
            #expect(answer == nil)
            #expect(try await NetworkClient().send(NetworkRequest(.get, server.url)).text() == "fine")
        }

        @Test("A request in chunks with extensions, in any case of letters, has its body")
        func chunkExtensions() async throws {
            let server = try TestServer { .text("<\($0.text)>") }
            let bytes = Array("POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n".utf8)
            let answer = try await offPool { [port = server.port] in
                let connection = try #require(Upstream(port: port))
                #expect(connection.send(bytes))
                var answer = ""
                while !answer.hasSuffix(">"), let piece = connection.receive() {
                    answer += String(decoding: piece, as: UTF8.self)
                }
                return answer
            }
            #expect(answer.hasSuffix("<abc>"))
        }
    #endif

    @Test("A connection that is open already is closed instead of accepted")
    func closeOpenConnection() async throws {
        let server = try TestServer()
        server.enqueue(.text("first"), .fault(.closeAtStart), .text("second"))
        let client = NetworkClient()
        _ = try await client.send(client.request(.get, server.url))
        let request = try client.request(.post, server.url, body: .text("once"))
        let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
        #expect(result.failure?.code == .connectionLost, "\(result)")
        #expect(try await client.send(client.request(.get, server.url)).text() == "second")
    }

    @Test("A stopped or released server ends its connections")
    func ends() async throws {
        let stopped = try TestServer()
        stopped.enqueue(.fault(.stallBeforeHead))
        let client = NetworkClient()
        let request = try client.request(.post, stopped.url, body: .text("x"))
        let task = Task { await outcome { () async throws(NetworkError) in try await client.send(request) } }
        _ = try await stopped.takeRequest()
        stopped.stop()
        #expect(await task.value.failure?.code == .connectionLost)
        var released: TestServer? = try TestServer { _ in .status(204) }
        let url = try #require(released?.url)
        _ = try await client.send(client.request(.get, url))
        released = nil
        let result = await outcome { () async throws(NetworkError) in try await client.send(client.request(.get, url)) }
        #expect(result.failure != nil)
    }

    #if os(Linux)
        @Test("A server with TLS is trusted by its certificate and its pin, and by nothing else")
        func secure() async throws {
            let server = try TestServer(tls: true) { .text("secure \($0.target)") }
            let other = try TestServer(tls: true)
            let file = NSTemporaryDirectory() + "roots-\(UUID()).pem"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try server.certificate?.write(toFile: file, atomically: true, encoding: .utf8)
            var configuration = ClientConfiguration()
            configuration.transport.trustRoots = file
            for (pin, isTrusted) in [(nil, true), (server.pin, true), (other.pin, false)] {
                configuration.transport.pinnedKeys = pin.map { ["127.0.0.1": $0, "localhost": $0] } ?? [:]
                let client = NetworkClient(configuration)
                for host in ["127.0.0.1", "localhost"] {
                    let result = await outcome { () async throws(NetworkError) in
                        try await client.send(client.request(.get, "https://\(host):\(server.port)/\(host)"))
                    }
                    if isTrusted {
                        #expect(try result.get().text() == "secure /\(host)")
                    } else {
                        #expect(result.failure?.code == .certificateUntrusted, "\(result)")
                    }
                }
            }
            configuration.transport.pinnedKeys = [:]
            let strangers = [NetworkClient(), NetworkClient(configuration)]
            for (client, url) in zip(strangers, [server.url, other.url]) {
                let result = await outcome { () async throws(NetworkError) in
                    try await client.send(client.request(.get, url))
                }
                #expect(result.failure?.code == .certificateUntrusted, "\(result)")
            }
            server.enqueue(.fault(.closeInBody), .fault(.resetBeforeHead), .fault(.stallBeforeHead))
            let client = NetworkClient(configuration)
            for code: NetworkError.Code in [.truncated, .connectionLost, .timedOut] {
                var request = try client.request(.post, server.url, body: .text("x"))
                // The request must arrive in this time.
                if code == .timedOut { request.options.idleTimeout = .seconds(3) }
                let faulty = request
                let result = await outcome { () async throws(NetworkError) in try await client.send(faulty) }
                #expect(result.failure?.code == code, "\(result)")
            }
            let large = String(repeating: "0123456789", count: 100_000)
            server.enqueue(.text(large))
            #expect(try await client.send(client.request(.get, server.url)).text() == large)
        }
    #endif
}
