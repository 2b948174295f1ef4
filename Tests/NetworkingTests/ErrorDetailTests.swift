import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// The details of an error: phase, attempts and received bytes; and the secrets that it hides.
@Suite(.timeLimit(.minutes(5))) struct ErrorDetailTests {
    private func failure(_ client: NetworkClient, _ request: NetworkRequest) async throws -> NetworkError {
        try #require(await outcome { () async throws(NetworkError) in try await client.send(request) }.failure)
    }

    @Test(
        "The error of an interrupted body contains its beginning", arguments: TransportKind.allCases,
        ["closed", "reset", "idle"])
    func broken(kind: TransportKind, how: String) async throws {
        let seen = DispatchSemaphore(value: 0)
        let server = try FaultServer { connection in
            while let request = connection.request() {
                if request.target.hasPrefix("/first") {
                    connection.write(answer(302, ["Location: /then?token=t-3"]))
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nSet-Cookie: s=1\r\n\r\nbegun")
                switch how {
                case "closed": connection.finish()
                case "reset":
                    // A reset discards bytes that haven't been read.
                    #expect(seen.wait(timeout: .now() + 60) == .success)
                    return connection.reset()
                default: _ = connection.waitForClose()
                }
                return
            }
        }
        let client = try kind.client()
        var request = try client.request(
            .get, server.url + "/first?api_key=k-1", headers: ["Authorization": "Bearer b-2"])
        if how == "idle" { request.options.idleTimeout = .milliseconds(400) }
        request.options.progress = { if $0.received > 0 { seen.signal() } }
        let sent = request
        var found: NetworkError?
        try await repeatingOnce(if: "the body begins after the idle timeout") {
            let error = try await failure(client, sent)
            found = error
            return how != "idle" || error.attempts == 2 && error.phase == .receive
        }
        let error = try #require(found)
        #expect(error.code == (how == "idle" ? .timedOut : .truncated), "\(error)")
        #expect(error.phase == .receive)
        #expect(error.attempts == 2)
        #expect(error.status == 200)
        #expect(error.bodyPrefix.starts(with: Array("begun".utf8)))
        #expect(error.headers?["Set-Cookie"] == "<redacted>")
        #expect(error.history == [server.url + "/first?api_key=<redacted>"])
        #expect(error.request?.url == server.url + "/first?api_key=<redacted>")
        for text in ["\(error)", String(reflecting: error), "\(String(describing: error.underlying))"] {
            for secret in ["k-1", "b-2", "t-3"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test(
        "A failure after the head has the hops before it, however the response is read",
        arguments: ["send", "stream", "download", "type", "json"])
    func history(reading: String) async throws {
        let stub = StubTransport { request in
            guard request.url.host != "a" else { return .redirect(302, to: "http://b/") }
            var answer = StubResponse(headers: ["Content-Length": "9"], chunks: [[1]])
            answer.bodyFailure = reading == "type" || reading == "json" ? nil : NetworkError(.truncated)
            return answer
        }
        let client = NetworkClient(transport: stub)
        let request = try client.request(.get, "http://a/?token=t-1")
        let folder = try TemporaryFolder([:])
        let error = await outcome { () async throws(NetworkError) in
            switch reading {
            case "send": _ = try await client.send(request)
            case "stream": for try await _ in try await client.stream(request).body {}
            case "download": try await client.download(request, to: folder.path + "/file")
            case "type": _ = try await client.get("http://a/?token=t-1", as: Int.self)
            default: _ = try await client.send(request).json()
            }
        }.failure
        #expect(error?.history == ["http://a/?token=<redacted>"], "\(error as Any)")
        #expect(error?.status == 200)
    }

    @Test(
        "Errors of every phase hide secrets, also in the underlying error", arguments: TransportKind.allCases,
        ["refused", "unknown", "lost", "status", "decode", "header"])
    func secrets(kind: TransportKind, how: String) async throws {
        let server = try FaultServer { connection in
            guard connection.request() != nil else { return }
            if how == "lost" { return connection.reset() }
            connection.write(
                answer(
                    how == "status" ? 401 : 200,
                    [
                        "Set-Cookie: sid=cookie-secret", "WWW-Authenticate: Digest nonce=\"nonce-secret\"",
                        "Content-Location: http://u:pass-secret@h/p?token=token-secret#key=fragment-secret",
                        "X-Auth-Token: head-secret",
                    ], body: "{"))
            connection.finish()
        }
        let closed = try FaultServer(raw: "").port
        let hosts = ["refused": "127.0.0.1:\(closed)", "unknown": "no-such-host.invalid"]
        let client = try kind.client()
        var request = try client.request(
            .post,
            "http://\(hosts[how] ?? "127.0.0.1:\(server.port)")/x?key=query-secret#access_token=f-secret",
            headers: ["Authorization": "Bearer auth-secret", "X-Session": "session-secret"],
            body: .form(["password": "body-secret"]))
        request.headers.append("X-Plain", "marked-secret", isSensitive: true)
        if how == "header" { request.headers["X-Api-Key"] = "value-secret\r\n" }
        let sent = request
        let error = try #require(
            await outcome { () async throws(NetworkError) in try await client.send(sent).json() }.failure)
        let texts = [
            "\(error)", String(reflecting: error), error.message, error.userMessage, "\(error.request as Any)",
            "\(error.request?.headers as Any)", "\(error.headers as Any)", "\(error.underlying as Any)",
            String(reflecting: error.underlying), "\((error.underlying as NSError?)?.userInfo as Any)",
        ]
        for text in texts { #expect(!text.contains("secret"), "\(text)") }
    }

    @Test("An unacceptable status after repeats contains their number; the prefix ends at 4 KiB")
    func attempts() async throws {
        struct Retry: NetworkMiddleware {
            func intercept(
                _ request: NetworkRequest, next: NetworkNext
            ) async throws(NetworkError) -> StreamedResponse {
                for _ in 0..<3 {
                    let response = try await next(request)
                    guard response.status == 503 else { return response }
                    response.body.cancel()
                }
                return try await next(request)
            }
        }
        var configuration = ClientConfiguration()
        configuration.middleware = [Retry()]
        let long = String(repeating: "b", count: 5000)
        let stub = StubTransport { _ in .text(long, status: 503) }
        let client = NetworkClient(configuration, transport: stub)
        let error = try await failure(client, client.request(.get, "http://h/"))
        #expect(error.attempts == 4 && stub.requests.count == 4)
        #expect(error.status == 503 && error.bodyPrefix.count == 4096 && error.isTransient)
    }

    @Test(
        "Cancellation has its own code in every phase", arguments: TransportKind.allCases,
        ["accept", "head", "body", "upload"])
    func cancelled(kind: TransportKind, phase: String) async throws {
        let reached = Counter()
        let server = try FaultServer { connection in
            guard connection.head() != nil else { return }
            if phase == "head" { connection.write("HTTP/1.1 200 OK\r\nX: ") }
            if phase == "body" { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
            _ = reached.next()
            _ = connection.waitForClose()
        }
        let client = try kind.client()
        var request = try client.request(.get, server.url)
        if phase == "upload" {
            request.method = .post
            let asked = Counter()
            let stalled = AsyncStream<[UInt8]> {
                if asked.next() == 0 { return [1, 2, 3] }
                try? await Task.sleep(for: .seconds(1000))
                return nil
            }
            request.body = .once(length: 10, stalled)
        }
        let sent = request
        let task = Task { await outcome { () async throws(NetworkError) in try await client.send(sent) } }
        try await until { reached.value > 0 }
        task.cancel()
        let error = await task.value.failure
        #expect(error?.code == .cancelled, "\(String(describing: error))")
        #expect(error?.attempts == 1)
        #expect(error?.request?.url == server.url + "/")
        // Cancelling once more, after the end, changes nothing.
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
    }

    @Test("A body that never arrives ends at the total timeout", arguments: TransportKind.allCases)
    func stalledUpload(kind: TransportKind) async throws {
        let server = try FaultServer(answering: { _ in answer() })
        let client = try kind.client()
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield([1])
        var request = try client.request(.post, server.url, body: .once(length: 2, stream))
        request.options.totalTimeout = .milliseconds(200)
        let error = try await failure(client, request)
        #expect(error.code == .timedOut)
        continuation.finish()
    }
}
