import AshlarNetworking
import Testing

/// The methods that send a request in one line.
@Suite struct MethodTests {
    struct Note: Codable, Hashable, Sendable {
        var id: Int?
        var title: String
    }

    struct Failing: Encodable {
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    private func client(_ stub: StubTransport, base: EndpointHost? = "https://api.example.com/v2") -> NetworkClient {
        var configuration = ClientConfiguration()
        configuration.base = base
        return NetworkClient(configuration, transport: stub)
    }

    @Test("A path is appended to the base, and the JSON of the response is decoded")
    func get() async throws {
        let stub = StubTransport(["GET /v2/notes/5": .json(#"{"id": 5, "title": "Milk"}"#)])
        let note = try await client(stub).get("notes/\(5)", query: ["full": true], as: Note.self)
        #expect(note == Note(id: 5, title: "Milk"))
        #expect(stub.requests[0].url.requestText == "https://api.example.com/v2/notes/5?full=true")
        #expect(try await client(stub).get("/notes/5").status == 200)
    }

    @Test("An encodable value becomes the JSON body", arguments: [HTTPMethod.post, .put, .patch])
    func bodies(method: HTTPMethod) async throws {
        let stub = StubTransport { request in
            .json(String(decoding: request.body.inMemory ?? [], as: UTF8.self))
        }
        let client = client(stub)
        let note = Note(id: nil, title: "Bread")
        let answer =
            switch method {
            case .post: try await client.post("notes", note, as: Note.self)
            case .put: try await client.put("notes", note, as: Note.self)
            default: try await client.patch("notes", note, as: Note.self)
            }
        #expect(answer == note)
        let sent = try #require(stub.requests.first)
        #expect(sent.method == method && sent.body.contentType == "application/json")
        switch method {
        case .post: try await client.post("notes", note, headers: ["X-A": "1"])
        case .put: try await client.put("notes", note, headers: ["X-A": "1"])
        default: try await client.patch("notes", note, headers: ["X-A": "1"])
        }
        #expect(stub.requests[1].headers["X-A"] == "1" && stub.requests[1].method == method)
    }

    @Test("delete sends no body and discards the response")
    func delete() async throws {
        let stub = StubTransport(["DELETE /v2/notes/5": .status(204)])
        try await client(stub).delete("notes/5")
        #expect(stub.requests[0].body.isEmpty)
    }

    @Test("A JSON entity preserves the digits of its numbers in both directions")
    func entities() async throws {
        let digits = "[0.1000000000000000055511151231257827]"
        let stub = StubTransport { request in .json(String(decoding: request.body.inMemory ?? [], as: UTF8.self)) }
        let answer = try await client(stub).post("echo", try JSONEntity(parsing: digits), as: JSONEntity.self)
        #expect(answer.text() == digits)
    }

    @Test("A canonical base follows the host selection")
    func canonicalBase() async throws {
        let stub = StubTransport { _ in .status(200) }
        var configuration = ClientConfiguration()
        configuration.base = "api.example.com"
        let client = NetworkClient(configuration, transport: stub) { host, _ in
            host == "api.example.com" ? ProtocolHostPair(scheme: "http", host: "127.0.0.1:9") : nil
        }
        _ = try await client.get("notes")
        #expect(stub.requests[0].url.requestText == "http://127.0.0.1:9/notes")
    }

    @Test("A URL needs no base; values in it stay within their segment or query value")
    func urls() async throws {
        let stub = StubTransport { _ in .status(200) }
        let client = client(stub, base: nil)
        let (name, tag) = ("a/b?c", "x&y=z")
        _ = try await client.get("https://example.com:8443/users/\(name)?tag=\(tag)")
        #expect(stub.requests[0].url.requestText == "https://example.com:8443/users/a%2Fb%3Fc?tag=x%26y%3Dz")
    }

    @Test("A path without a base and a value that changes the path are rejected before sending")
    func refusals() async throws {
        let stub = StubTransport { _ in .status(200) }
        let missing = await #expect(throws: NetworkError.self) { try await client(stub, base: nil).get("notes") }
        #expect(missing?.code == .invalidURL)
        let parent = await #expect(throws: NetworkError.self) { try await client(stub).get("notes/\("..")") }
        #expect(parent?.code == .invalidURL)
        let body = await #expect(throws: NetworkError.self) { try await client(stub).post("notes", Failing()) }
        #expect(body?.code == .encodingFailed)
        #expect(stub.requests.isEmpty)
    }

    @Test("The scheme of a URL may be in uppercase; dots, slashes and a question mark of a path are sent as written")
    func odd() async throws {
        let stub = StubTransport { _ in .status(200) }
        for path in ["HTTPS://o.example/x", "../up", "a//b", "q?z=1", "", "/"] as [EndpointPath] {
            _ = try await client(stub).get(path)
        }
        #expect(
            stub.requests.map { $0.url.requestText.dropFirst(8) } == [
                "o.example/x", "api.example.com/v2/../up", "api.example.com/v2/a//b", "api.example.com/v2/q%3Fz=1",
                "api.example.com/v2", "api.example.com/v2/",
            ])
    }

    @Test("An empty response is nil for an optional type and a clear error for another one")
    func emptyBody() async throws {
        let stub = StubTransport { _ in .status(204) }
        #expect(try await client(stub).get("notes/1", as: Note?.self) == nil)
        let error = await #expect(throws: NetworkError.self) { try await client(stub).get("notes/1", as: Note.self) }
        #expect(error?.code == .invalidJSON && error?.message == "the response has no body" && error?.status == 204)
    }

    @Test("A decoding error contains the path and the request")
    func decodingErrors() async throws {
        let stub = StubTransport { _ in .json(#"{"title": 7}"#) }
        let error = await #expect(throws: NetworkError.self) {
            try await client(stub).get("notes/1", as: Note.self)
        }
        #expect(error?.code == .decodingFailed && error?.path == "$.title" && error?.attempts == 1)
        #expect(error?.request?.url == "https://api.example.com/v2/notes/1")
    }
}
