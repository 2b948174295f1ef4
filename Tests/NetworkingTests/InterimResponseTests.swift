import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

#if os(Linux)
    /// Interim heads (1xx) reach the request's handler and the observers.
    @Suite(.timeLimit(.minutes(5))) struct InterimResponseTests {
        private static let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>\r\n\r\n"

        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let sent: String
            var statuses: [Int] = []
            var code: NetworkError.Code?
        }

        static let cases: [Case] = [
            Case(testDescription: "none", sent: answer(body: "x")),
            Case(testDescription: "103", sent: hint + answer(body: "x"), statuses: [103]),
            Case(testDescription: "100", sent: "HTTP/1.1 100 Continue\r\n\r\n" + answer(body: "x"), statuses: [100]),
            Case(
                testDescription: "three in a row",
                sent: "HTTP/1.1 102 Processing\r\n\r\n" + hint + hint + answer(body: "x"), statuses: [102, 103, 103]),
            Case(
                testDescription: "32", sent: String(repeating: hint, count: 32) + answer(body: "x"),
                statuses: [Int](repeating: 103, count: 32)),
            Case(
                testDescription: "33", sent: String(repeating: hint, count: 33) + answer(body: "x"),
                statuses: [Int](repeating: 103, count: 32), code: .badResponse),
            Case(
                testDescription: "one and a malformed one", sent: hint + "HTTP/1.1 103 Early\r\nX\r\n\r\n" + answer(),
                statuses: [103], code: .badResponse),
            Case(
                testDescription: "too large",
                sent: "HTTP/1.1 103 Early\r\nX: " + String(repeating: "x", count: 70_000) + "\r\n\r\n" + answer(),
                code: .badResponse),
            Case(testDescription: "one and no response", sent: hint, statuses: [103], code: .connectionLost),
            Case(
                testDescription: "in front of a failure", sent: hint + answer(500), statuses: [103],
                code: .unacceptableStatus),
            Case(testDescription: "101 without a request", sent: "HTTP/1.1 101 Switch\r\n\r\n", code: .badResponse),
        ]

        @Test(
            "A handler receives every interim head in order before the response, also on a reused connection",
            arguments: cases)
        func heads(input: Case) async throws {
            let server = try FaultServer { connection in
                while connection.request() != nil {
                    connection.write(input.sent)
                    if input.code != nil { return connection.finish() }
                }
            }
            let client = try TransportKind.curl.client()
            for _ in 0..<2 {
                let seen = Mutex<[ResponseHead]>([])
                var request = try client.request(.get, server.url)
                request.options.interim = { head in seen.withLock { $0.append(head) } }
                let sent = request
                let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
                #expect(seen.withLock { $0.map(\.status) } == input.statuses)
                #expect(result.failure?.code == input.code, "\(result)")
                for head in seen.withLock({ $0 }) where head.status == 103 {
                    #expect(head.headers.map(\.value) == ["</a.css>; rel=preload", "</b.js>"])
                    #expect(head.version == "1.1")
                }
                if input.code == nil { #expect(try result.get().headers["Link"] == nil) }
            }
            if input.code == nil { #expect(server.connectionCount == 1) }
        }

        @Test("The handler is called before the server sends its response")
        func early() async throws {
            let (arrived, waited) = (DispatchSemaphore(value: 0), Mutex(false))
            let server = try FaultServer { connection in
                guard connection.request() != nil else { return }
                connection.write(Self.hint)
                let result = arrived.wait(timeout: .now() + 20)
                waited.withLock { $0 = result == .success }
                connection.write(answer(body: "x"))
                connection.finish()
            }
            let client = try TransportKind.curl.client()
            var request = try client.request(.get, server.url)
            request.options.interim = { _ in arrived.signal() }
            #expect(try await client.send(request).text() == "x")
            #expect(waited.withLock { $0 })
        }

        @Test("A handler that blocks delays only its own request")
        func blocking() async throws {
            let server = try FaultServer(answering: { $0.target == "/hint" ? Self.hint + answer() : answer(body: "x") })
            let client = try TransportKind.curl.client()
            let release = DispatchSemaphore(value: 0)
            var request = try client.request(.get, server.url + "/hint")
            request.options.interim = { _ in _ = release.wait(timeout: .now() + 20) }
            let hinted = request
            let waiting = Task { try await client.send(hinted).status }
            for _ in 0..<50 { #expect(try await client.send(client.request(.get, server.url)).text() == "x") }
            release.signal()
            #expect(try await waiting.value == 200)
        }

        @Test("An observer that asks for exchanges receives interim heads with redacted fields")
        func observer() async throws {
            let server = try FaultServer(answering: { _ in
                "HTTP/1.1 103 Early\r\nLink: </a>\r\nSet-Cookie: a=secret\r\n\r\n" + answer(body: "x")
            })
            let events = Mutex<[NetworkEvent]>([])
            var configuration = ClientConfiguration()
            configuration.observers = [
                NetworkObserver(observesExchanges: true) { event in events.withLock { $0.append(event) } }
            ]
            let client = try TransportKind.curl.client(configuration)
            #expect(try await client.send(client.request(.get, server.url)).text() == "x")
            let seen = events.withLock { $0 }
            #expect(seen.map(\.kind) == [.began, .sent, .interim, .head, .measured, .ended])
            let interim = try #require(seen.first { $0.kind == .interim })
            #expect(interim.status == 103)
            #expect(interim.attempt == 1)
            #expect(interim.headers?["Link"] == "</a>")
            #expect(interim.headers?.description.contains("secret") == false)
        }
    }
#endif
