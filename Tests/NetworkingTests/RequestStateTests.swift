import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Testing

    /// The state of the request in errors: whether the server may have processed it.
    @Suite(.timeLimit(.minutes(5))) struct RequestStateTests {
        private func failure(
            _ url: String, _ method: HTTPMethod = .post, body: RequestBody = .text("body"),
            _ change: (inout RequestOptions) -> Void = { _ in }
        ) async throws -> NetworkError {
            let client = try TransportKind.curl.client()
            var request = try client.request(method, url, body: body)
            change(&request.options)
            let sent = request
            let result = await outcome { () async throws(NetworkError) in try await client.send(sent) }
            return try #require(result.failure, "\(result)")
        }

        @Test("A request that was never sent has the state notSent")
        func notSent() async throws {
            let gone = try FaultServer(raw: "").url  // closed again at once
            #expect(try await failure(gone).requestState == .notSent)
            #expect(try await failure("http://name.invalid/").requestState == .notSent)
            let full = try FullListener()
            let late = try await failure("http://127.0.0.1:\(full.port)/") { $0.connectTimeout = .milliseconds(100) }
            #expect(late.requestState == .notSent)
            #expect(try await failure("http://a:b@127.0.0.1/").requestState == .notSent)
        }

        @Test("A request without a response has the state sent")
        func sent() async throws {
            let closing = try FaultServer { connection in _ = connection.request() }
            let lost = try await failure(closing.url)
            #expect(lost.code == .connectionLost)
            #expect(lost.requestState == .sent)
            let silent = try FaultServer { connection in _ = connection.waitForClose() }
            try await repeatingOnce(if: "the request is sent after the idle timeout") {
                try await failure(silent.url) { $0.idleTimeout = .milliseconds(400) }.requestState == .sent
            }
        }

        @Test("A body that stops in the middle has the state partlySent")
        func partlySent() async throws {
            let silent = try FaultServer { connection in
                _ = connection.waitForClose()
            }
            let body = RequestBody.stream(length: 1 << 20) {
                AsyncStream<[UInt8]> { continuation in continuation.yield([1, 2, 3]) }
            }
            try await repeatingOnce(if: "the request is sent after the total timeout") {
                let error = try await failure(silent.url, body: body) { $0.totalTimeout = .milliseconds(500) }
                return error.requestState == .partlySent
            }
        }

        @Test("A response that starts has the state answered")
        func answered() async throws {
            for text in ["HTTP/1.1 200 OK\r\nX", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", answer(500)] {
                let server = try FaultServer(raw: text)
                #expect(try await failure(server.url).requestState == .answered, "\(text)")
            }
        }
    }
#endif
