import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Digest authentication (RFC 7616), against the examples of the RFC, a server of the test's own and httpbin.
@Suite(.timeLimit(.minutes(2))) struct DigestTests {
    private let mufasa = BasicCredentials(user: "Mufasa", password: "Circle of Life")
    private let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    private func challenge(_ text: String) throws -> DigestChallenge {
        try #require(
            AuthenticationChallenge.parse(["WWW-Authenticate": text]).lazy.compactMap { DigestChallenge($0) }.first)
    }

    @Test(
        "The answers are those of RFC 7616, section 3.9.1",
        arguments: [
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ])
    func examples(algorithm: String, response: String) throws {
        let challenge = try challenge(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), nonce="\(nonce)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        let answer = challenge.answer(
            mufasa, method: "GET", target: "/dir/index.html", count: 1, clientNonce: clientNonce)
        #expect(
            answer == """
                Digest username="Mufasa", realm="http-auth@example.org", nonce="\(nonce)", uri="/dir/index.html", \
                algorithm=\(algorithm), response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, nc=00000001, cnonce="\(clientNonce)"
                """)
    }

    // The user's hash is that of the RFC's erratum 4897; the responses are from Python's hashlib.
    @Test("A hashed user name and SHA-512-256 work as in RFC 7616, section 3.9.2")
    func hashedUser() throws {
        let jason = BasicCredentials(user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?")
        func answer(_ parameters: String) throws -> String {
            try challenge(
                """
                Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, charset=UTF-8, \(parameters) \
                nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK"
                """
            ).answer(
                jason, method: "GET", target: "/doe.json", count: 1, clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        }
        let response = "response=\"7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c\""
        let hashed = try answer("userhash=true,")
        let name = "username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\""
        #expect(hashed.contains(name) && hashed.contains("userhash=true") && hashed.contains(response))
        let plain = try answer("")
        #expect(plain.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe") && plain.contains(response))
    }

    // The responses are from Python's hashlib.
    @Test(
        "Every algorithm, with and without -sess and qop, has the response of an independent implementation",
        arguments: [
            ("", "", "2f0fe29d23f7501f3ebd6f4e9e09494e"),
            ("", ", qop=auth", "5d6fac3d16152f5b55b2b51aa47fa6d3"),
            ("MD5", "", "2f0fe29d23f7501f3ebd6f4e9e09494e"),
            ("MD5", ", qop=auth", "5d6fac3d16152f5b55b2b51aa47fa6d3"),
            ("md5-sess", "", "d759ec72614fd095b5a895294b1c8549"),
            ("md5-sess", ", qop=auth", "1b6f9f870ec3d7c9fa5a50aae436a259"),
            ("MD5-sess", "", "d759ec72614fd095b5a895294b1c8549"),
            ("MD5-sess", ", qop=auth", "1b6f9f870ec3d7c9fa5a50aae436a259"),
            ("SHA-256", "", "65106849b59056ee126c2eeea06c585835e5ad488ddde6d9a2ddf7d1f44072ad"),
            ("SHA-256", ", qop=auth", "621469eb1aefc9af781cf2adf30c8fa1f0532517945bc8038a4776a3efff69b6"),
            ("SHA-256-sess", "", "b5dc6b667a8eabeffd1cde881315ff128c8a02bfcebacea208710f12f591de8e"),
            ("SHA-256-sess", ", qop=auth", "017db9f9e8b619f881294c3b7fce30bffcd116f1fe2b40050b98d75c6290f007"),
            ("SHA-512-256", "", "ac82de7b09aee049ff7775266260718d43664e1298c8cd9ffed2c566cfa46642"),
            ("SHA-512-256", ", qop=auth", "33a3262e906b9596fa2f15552bda209370263d9b88ecdc324cf2a3510dd2944f"),
            ("SHA-512-256-sess", "", "a638fd22d01ce30c3d86dab59bafa049a90c77373cb4274cfc9faf25cea69cc0"),
            ("SHA-512-256-sess", ", qop=auth", "e3ae9323dbe44a6fd469a809aeca515a7b98c22dc8c061774f8343f7e10539de"),
        ])
    func algorithms(algorithm: String, quality: String, response: String) throws {
        let challenge = try challenge(
            "Digest realm=\"r \\\"x\\\"\", nonce=\"n\(algorithm.isEmpty ? "" : "\", algorithm=\"\(algorithm)")\"\(quality)"
        )
        let answer = challenge.answer(
            BasicCredentials(user: "u", password: "p\u{e9}"), method: "PUT", target: "/a?b=c", count: 0x2A,
            clientNonce: "c")
        #expect(answer.contains("response=\"\(response)\""), "\(answer)")
        #expect(answer.contains(#"realm="r \"x\"""#))
        #expect(answer.contains("nc=0000002a") == !quality.isEmpty)
        #expect(answer.contains("algorithm=") == !algorithm.isEmpty)
    }

    // The responses are from Python's hashlib.
    @Test(
        "With auth-int, the response protects the body; auth is preferred",
        arguments: [
            ("auth-int", "", "69faf86a35c949de7c577a2ef02299e2"),
            ("auth-int", "body \u{e9}", "706a10fd2a73aa5514dec384309b4615"),
            ("x, AUTH-INT", "body \u{e9}", "706a10fd2a73aa5514dec384309b4615"),
            ("auth-int,auth", "body \u{e9}", "5d6fac3d16152f5b55b2b51aa47fa6d3"),
        ])
    func integrity(qualities: String, body: String, response: String) throws {
        let challenge = try challenge("Digest realm=\"r \\\"x\\\"\", nonce=\"n\", qop=\"\(qualities)\"")
        let answer = challenge.answer(
            BasicCredentials(user: "u", password: "p\u{e9}"), method: "PUT", target: "/a?b=c", body: Array(body.utf8),
            count: 0x2A, clientNonce: "c")
        #expect(answer.contains("response=\"\(response)\""), "\(answer)")
        #expect(answer.contains(qualities.contains(",auth") ? "qop=auth," : "qop=auth-int,"))
    }

    @Test("auth-int reads bodies in memory, files and streams; a body that can be read once fails before it is sent")
    func integrityOfBodies() async throws {
        let file = NSTemporaryDirectory() + "net-digest-\(UUID())"
        try Data("content".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let stub = StubTransport { request throws(NetworkError) in
            guard let field = request.headers["Authorization"] else {
                return .status(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=\"auth-int\""])
            }
            return .text(field)
        }
        var configuration = ClientConfiguration()
        configuration.authentication = .digest(user: "u", password: "p")
        configuration.authentication?.allowsEveryHost = true
        configuration.authentication?.allowsPlainHTTP = true
        let client = NetworkClient(configuration, transport: stub)
        let chunks: @Sendable () -> AsyncStream<[UInt8]> = {
            AsyncStream { continuation in
                for byte in "content".utf8 { continuation.yield([byte]) }
                continuation.finish()
            }
        }
        for body in [RequestBody.text("content"), .file(file), .stream(chunks)] {
            let text = try await client.send(NetworkRequest(.put, "http://h/a", body: body)).text()
            let parameters = AuthenticationChallenge.parameters(String(text.dropFirst("Digest ".count)))
            func md5(_ text: String) -> String { DigestChallenge.Hash.md5.hexadecimal(Array(text.utf8)) }
            let (count, nonce) = (try #require(parameters["nc"]), try #require(parameters["cnonce"]))
            let content = md5("PUT:/a:" + md5("content"))
            #expect(parameters["response"] == md5("\(md5("u:r:p")):n:\(count):\(nonce):auth-int:\(content)"))
        }
        let sent = stub.requests.count
        let once = try NetworkRequest(.put, "http://h/a", body: .once(chunks()))
        let error = await outcome { () async throws(NetworkError) in try await client.send(once) }.failure
        #expect(error?.code == .bodyNotReplayable && error?.requestState == .notSent && stub.requests.count == sent)
        let missing = try NetworkRequest(.put, "http://h/a", body: .file(file + ".missing"))
        #expect(
            await outcome { () async throws(NetworkError) in try await client.send(missing) }.failure?.code
                == .fileFailed)
    }

    @Test(
        "Challenges that can't be answered are none",
        arguments: [
            "Digest realm=\"r\"", "Digest nonce=\"n\"", "Digest realm=r, nonce=n, algorithm=SHA-1",
            "Digest realm=r, nonce=n, qop=\"auth-conf\"", "Digest realm=r, nonce=n, qop=\"\"",
            "Digest realm=r, nonce=n, nonce=m", "Basic realm=\"r\"",
            "Digest realm=\"r, nonce=\"n", "", "Digest", ",,,", "=", "Digest realm=r nonce=n",
        ])
    func unanswerable(text: String) {
        let challenges = AuthenticationChallenge.parse(["WWW-Authenticate": text])
        #expect(challenges.compactMap { DigestChallenge($0) }.isEmpty)
    }

    @Test("Several challenges in one field or several are read in order, with other schemes between them")
    func lists() throws {
        let headers: HTTPHeaders = [
            "WWW-Authenticate": "Negotiate, Basic realm=\"a, b\", NTLM TlRM==, digest realm=r , nonce = \"n\\\"\" ,",
            "www-authenticate": "Bearer, Digest realm=\"s\", nonce=\"m\", algorithm=SHA-256, qop=\"auth\"",
        ]
        let challenges = AuthenticationChallenge.parse(headers)
        #expect(challenges.map(\.scheme) == ["negotiate", "basic", "ntlm", "digest", "bearer", "digest"])
        #expect(challenges[1]["realm"] == "a, b" && challenges[3]["nonce"] == "n\"")
        #expect(challenges.compactMap { DigestChallenge($0)?.hash } == [.md5, .sha256])
    }

    @Test("Random text is read without a trap")
    func randomText() {
        var random = SeededRandom(seed: 20_260)
        let pieces = ["Digest", " ", ",", "=", "\"", "\\", "realm", "nonce", "x", "\u{ff}", "\t", "qop=auth", "=="]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
            let challenges = AuthenticationChallenge.parse(["WWW-Authenticate": text.joined()])
            #expect(challenges.count <= text.count)
        }
    }

    // MARK: A server

    /// A server that checks the response, the counts and the URI, and lets a nonce expire after some requests.
    private final class Server: Sendable {
        struct State {
            var nonce = 1
            var counts: Set<Int> = []
            var log: [String] = []
        }
        let state = Mutex(State())
        let lifetime: Int
        let saysStale: Bool
        let next: Bool

        init(lifetime: Int = .max, saysStale: Bool = true, next: Bool = false) {
            (self.lifetime, self.saysStale, self.next) = (lifetime, saysStale, next)
        }

        var stub: StubTransport {
            StubTransport { [self] request in
                if request.url.path == "/redirect" { return .redirect(302, to: "/target?x=1") }
                return state.withLock { answer(&$0, request) }
            }
        }

        private func answer(_ state: inout State, _ request: NetworkRequest) -> StubResponse {
            let field = request.headers["Authorization"]
            let sent = field.map { AuthenticationChallenge.parse(["WWW-Authenticate": $0])[0] }
            let current = "n\(state.nonce)"
            guard let sent, let count = Int(sent["nc"] ?? "", radix: 16) else {
                state.log.append("none")
                return challenge(&state, "")
            }
            guard sent["nonce"] == current, state.counts.count < lifetime else {
                state.log.append("stale")
                return challenge(&state, saysStale ? ", stale=TRUE" : "")
            }
            let expected = DigestChallenge(
                AuthenticationChallenge(
                    scheme: "digest",
                    parameters: [
                        .init(name: "realm", value: "r"), .init(name: "nonce", value: current),
                        .init(name: "qop", value: "auth"), .init(name: "algorithm", value: "SHA-256"),
                    ]))
            let text = expected?.answer(
                BasicCredentials(user: "u", password: "p"), method: request.method.rawValue,
                target: request.url.target, count: UInt32(count), clientNonce: sent["cnonce"] ?? "")
            guard text == field else {
                state.log.append("wrong")
                return challenge(&state, "")
            }
            guard state.counts.insert(count).inserted else {
                state.log.append("replayed")
                return .status(400)
            }
            state.log.append("\(current) \(count)")
            guard next else { return .text("ok") }
            state.nonce += 1
            state.counts = []
            return .status(200, headers: ["Authentication-Info": "nextnonce=\"n\(state.nonce)\", qop=auth"])
        }

        private func challenge(_ state: inout State, _ more: String) -> StubResponse {
            if state.log.last == "stale" { (state.nonce, state.counts) = (state.nonce + 1, []) }
            let value = "Digest realm=\"r\", nonce=\"n\(state.nonce)\", qop=\"auth\", algorithm=SHA-256\(more)"
            return .status(401, headers: ["WWW-Authenticate": value])
        }
    }

    private func client(_ transport: any NetworkTransport, password: String = "p") -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.authentication = .digest(user: "u", password: password)
        configuration.authentication?.allowsEveryHost = true
        configuration.authentication?.allowsPlainHTTP = true
        return NetworkClient(configuration, transport: transport)
    }

    private func log(_ server: Server, _ paths: [String], password: String = "p") async throws -> [String] {
        let client = client(server.stub, password: password)
        for path in paths { _ = try? await client.send(NetworkRequest(.get, "http://h\(path)")) }
        return server.state.withLock { $0.log }
    }

    @Test("The first request is challenged; later ones answer in advance and count")
    func counts() async throws {
        #expect(try await log(Server(), ["/a", "/b?q=%20", "/c"]) == ["none", "n1 1", "n1 2", "n1 3"])
    }

    @Test("An expired nonce is replaced, whether the server says stale or not", arguments: [true, false])
    func expired(saysStale: Bool) async throws {
        let server = Server(lifetime: 2, saysStale: saysStale)
        #expect(
            try await log(server, ["/a", "/a", "/a", "/a", "/a"])
                == ["none", "n1 1", "n1 2", "stale", "n2 1", "n2 2", "stale", "n3 1"])
    }

    @Test("The next nonce that a response announces is used")
    func nextNonce() async throws {
        #expect(try await log(Server(next: true), ["/a", "/a", "/a"]) == ["none", "n1 1", "n2 1", "n3 1"])
    }

    @Test("A wrong password is sent once for each request")
    func wrongPassword() async throws {
        #expect(try await log(Server(), ["/a", "/a"], password: "q") == ["none", "wrong", "none", "wrong"])
    }

    @Test("Each hop of a redirect has its own target and count")
    func redirect() async throws {
        #expect(try await log(Server(), ["/redirect", "/redirect"]) == ["none", "n1 2", "n1 4"])
    }

    @Test("Parallel requests never use a count twice")
    func parallel() async throws {
        let server = Server()
        let client = client(server.stub)
        _ = try await client.send(NetworkRequest(.get, "http://h/"))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let response = try? await client.send(NetworkRequest(.get, "http://h/\(index)"))
                    #expect(response?.status == 200)
                }
            }
        }
        #expect(server.state.withLock { $0.counts } == Set(1...201))
    }

    @Test("Another origin receives no answer, even if it challenges after a redirect")
    func foreign() async throws {
        let stub = StubTransport { request in
            request.url.host == "h"
                ? .redirect(302, to: "http://evil/")
                : .status(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"])
        }
        let client = client(stub)
        for _ in 0..<2 { _ = try? await client.send(NetworkRequest(.get, "http://h/")) }
        #expect(stub.requests.count == 4 && stub.requests.allSatisfy { !$0.headers.contains("Authorization") })
    }
}
