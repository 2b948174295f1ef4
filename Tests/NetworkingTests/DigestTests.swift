import AshlarCore
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Digest authentication (RFC 7616) with a server of the test's own.
@Suite(.timeLimit(.minutes(2))) struct DigestTests {
    /// A server that challenges requests and checks the answers; the password of `u` is `p`.
    private final class Server: Sendable {
        let requests = Mutex<[ServedRequest]>([])
        /// The number of right answers that are rejected because their nonce has expired.
        private let expirations: Mutex<Int>

        init(expirations: Int = 0) { self.expirations = Mutex(expirations) }

        /// The number of requests and the number of those with credentials.
        var counts: [Int] {
            requests.withLock { requests in [requests.count, requests.count { $0["Authorization"] != nil }] }
        }

        func respond(to request: ServedRequest) -> String {
            requests.withLock { $0.append(request) }
            let expired = expirations.withLock { $0 }
            let refusal = request.method == "HEAD" ? "" : "no"
            guard isRight(request, nonce: "n\(expired)") else {
                return answer(401, [challenge(expired, "")], body: refusal)
            }
            if expired > 0 {
                expirations.withLock { $0 -= 1 }
                return answer(401, [challenge(expired - 1, ", stale=true")], body: refusal)
            }
            if request.target == "/redirect" { return answer(302, ["Location: /target?x=%20"]) }
            if request.method == "HEAD" { return answer() }
            return answer(body: "\(request.method) \(request.target) \(request.text)")
        }

        private func challenge(_ nonce: Int, _ parameters: String) -> String {
            #"WWW-Authenticate: Digest realm="r", nonce="n\#(nonce)", qop="auth", algorithm=SHA-256\#(parameters)"#
        }

        private func isRight(_ request: ServedRequest, nonce: String) -> Bool {
            guard let field = request["Authorization"], field.hasPrefix("Digest ") else { return false }
            let pairs = field.matches(of: /(\w+)="?([^",]*)"?/).map { (String($0.1), String($0.2)) }
            let parameters = Dictionary(pairs) { first, _ in first }
            guard let count = parameters["nc"], let client = parameters["cnonce"], parameters["nonce"] == nonce,
                parameters["uri"] == request.target
            else { return false }
            func hash(_ text: String) -> String { SHA256.hexadecimal(Array(text.utf8)) }
            let content = hash("\(request.method):\(request.target)")
            return parameters["response"] == hash("\(hash("u:r:p")):\(nonce):\(count):\(client):auth:\(content)")
        }
    }

    private func client(_ kind: TransportKind, password: String = "p") throws -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.authentication = .digest(user: "u", password: password)
        configuration.authentication?.allowsEveryHost = true
        return try kind.client(configuration)
    }

    @Test("A challenge is answered, with the target of each hop", arguments: TransportKind.allCases)
    func right(kind: TransportKind) async throws {
        let log = Server()
        let server = try FaultServer(answering: { log.respond(to: $0) })
        let client = try client(kind)
        for path in ["/a?b=c", "/d"] {
            let response = try await client.send(NetworkRequest(.get, server.url + path))
            #expect(try response.text() == "GET \(path) ")
            #expect(response.history.isEmpty)
        }
        let redirected = try await client.send(NetworkRequest(.get, server.url + "/redirect"))
        #expect(try redirected.text() == "GET /target?x=%20 ")
        #expect(redirected.history.count == 1)
        let head = try await client.send(NetworkRequest(.head, server.url + "/d"))
        #expect(head.status == 200)
    }

    @Test("A wrong password is sent once, and the response to it is returned", arguments: TransportKind.allCases)
    func wrong(kind: TransportKind) async throws {
        let log = Server()
        let server = try FaultServer(answering: { log.respond(to: $0) })
        let client = try client(kind, password: "q")
        let request = try NetworkRequest(.get, server.url)
        let error = await outcome { () async throws(NetworkError) in try await client.send(request) }.failure
        #expect(error?.code == .unacceptableStatus && error?.status == 401 && error?.attempts == 1)
        #expect(error?.bodyPrefix == Array("no".utf8))
        #expect(log.counts == [2, 1])
    }

    @Test("An expired nonce is replaced", arguments: TransportKind.allCases)
    func expired(kind: TransportKind) async throws {
        let log = Server(expirations: 1)
        let server = try FaultServer(answering: { log.respond(to: $0) })
        #expect(try await client(kind).send(NetworkRequest(.get, server.url + "/a")).text() == "GET /a ")
        #expect(log.counts == [3, 2])
    }

    @Test("Bodies of all kinds reach the server with the answer", arguments: TransportKind.allCases)
    func bodies(kind: TransportKind) async throws {
        let folder = try TemporaryFolder([:])
        let long = String(repeating: "0123456789", count: 20_000)
        let file = try folder.write(long, to: "body")
        let chunks: @Sendable () -> AsyncStream<[UInt8]> = {
            AsyncStream { continuation in
                for piece in [long.prefix(9), long.dropFirst(9)] { continuation.yield(Array(piece.utf8)) }
                continuation.finish()
            }
        }
        let bodies: [RequestBody] = [
            .text(long), .file(file), .stream(chunks), .stream(length: long.utf8.count, chunks),
        ]
        let log = Server()
        let server = try FaultServer(answering: { log.respond(to: $0) })
        let client = try client(kind)
        let short = try await client.send(NetworkRequest(.post, server.url + "/a", body: .text("short")))
        #expect(try short.text() == "POST /a short")
        for body in bodies {
            let response = try await client.send(NetworkRequest(.put, server.url + "/a", body: body))
            #expect(try response.text() == "PUT /a " + long)
        }
        #expect(log.counts == [10, 5])
        let once = await outcome { () async throws(NetworkError) in
            try await client.send(NetworkRequest(.put, server.url + "/a", body: .once(chunks())))
        }
        #expect(once.failure?.code == .bodyNotReplayable)
    }

    @Test(
        "Another origin receives no answer, even if it challenges after a redirect", arguments: TransportKind.allCases)
    func foreign(kind: TransportKind) async throws {
        let log = Server()
        let foreign = try FaultServer(answering: { log.respond(to: $0) })
        let server = try FaultServer(answering: { _ in answer(302, ["Location: \(foreign.url)/a"]) })
        let client = try client(kind)
        let request = try NetworkRequest(.get, server.url)
        for _ in 0..<2 {
            let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
            #expect(result.failure?.status == 401)
        }
        #expect(log.counts == [2, 0])
    }

    @Test(
        "A challenge that can't be answered is returned with its body", arguments: TransportKind.allCases,
        [
            "X: y", "WWW-Authenticate: Basic realm=\"r\"",
            "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=X-9",
        ])
    func unanswerable(kind: TransportKind, field: String) async throws {
        for body in ["", "no", "HTTP/1.1 200 OK\r\n\r\n", String(repeating: "no", count: 100_000)] {
            let requests = Mutex(0)
            let server = try FaultServer(answering: { _ in
                requests.withLock { $0 += 1 }
                return answer(401, [field], body: body)
            })
            var request = try NetworkRequest(.get, server.url)
            request.options.acceptedStatuses = nil
            let response = try await client(kind).send(request)
            #expect(try response.status == 401 && response.text() == body)
            #expect(requests.withLock { $0 } == 1)
        }
    }

    @Test("A POST isn't repeated if the connection ends after the answer", arguments: TransportKind.allCases)
    func lost(kind: TransportKind) async throws {
        let log = Mutex<[Int]>([])
        let server = try FaultServer { connection in
            while let request = connection.request() {
                log.withLock { $0.append(request.body.count) }
                guard request["Authorization"] == nil else { return connection.finish() }
                connection.write(answer(401, [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#]))
            }
        }
        let client = try client(kind)
        let post = try NetworkRequest(.post, server.url, body: .text("abc"))
        let result = await outcome { () async throws(NetworkError) in try await client.send(post) }
        #expect(result.failure?.code == .connectionLost)
        #if os(Linux)
            #expect(result.failure?.requestState == .sent)
            #expect(log.withLock { $0 } == [3, 3])
        #endif
    }

    @Test("Credentials that can't be sent fail first", arguments: ["a:b", "a:\u{301}b", "a\r\nX: y"])
    func flaws(user: String) async throws {
        let stub = StubTransport { _ in .status(200) }
        var configuration = ClientConfiguration()
        configuration.authentication = .digest(user: user, password: "p")
        configuration.authentication?.allowsEveryHost = true
        let client = NetworkClient(configuration, transport: stub)
        let request = try NetworkRequest(.get, "https://h/")
        let result = await outcome { () async throws(NetworkError) in try await client.send(request) }
        #expect(result.failure?.code == .authenticationFailed && stub.requests.isEmpty)
    }
}
