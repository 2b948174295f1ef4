import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Testing

/// A server of notes behind a stub transport: `/notes` and `/notes/id`, with versions.
private final class NotesServer: Sendable {
    let requests = Locked<[String]>([])
    let answers = Locked<[String: StubResponse]>([:])

    var client: NetworkClient {
        NetworkClient(
            transport: StubTransport { request in
                let body = request.body.inMemory.map { String(decoding: $0, as: UTF8.self) } ?? ""
                let match = request.headers["If-Match"].map { " if \($0)" } ?? ""
                let line = "\(request.method) \(request.url.requestText)\(match)\(body.isEmpty ? "" : " " + body)"
                self.requests.withLock { $0.append(line) }
                return self.answers.withLock { $0["\(request.method) \(request.url.path)"] } ?? .text("", status: 404)
            })
    }

    func answer(_ line: String, _ text: String, status: Int = 200, etag: String? = nil) {
        let headers: HTTPHeaders = etag.map { ["ETag": $0] } ?? [:]
        answers.withLock { $0[line] = StubResponse(status: status, headers: headers, chunks: [Array(text.utf8)]) }
    }

    func take() -> [String] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ModelSyncTests {
    private let server = NotesServer()
    private let schema = ModelSchema(host: "api.example.com", path: "notes")
    private var sync: RESTSync { RESTSync(server.client) }

    @Test("The codes of models have a sentence for users, and are equal to codes with their names")
    func userMessages() {
        #expect(NetworkError(.conflict, "").userMessage == "Someone else has changed this in the meantime.")
        #expect(NetworkError(.busy, "").userMessage == "This is still being worked on.")
        let named = NetworkError.Code(rawValue: "conflict")
        #expect(named == .conflict)
        #expect(Set([named]).contains(.conflict))
    }

    @Test("Save creates a new model and replaces an old one; the response is set")
    func saving() async throws {
        let note = Model(["title": "Milk"], schema: schema, sync: sync)
        let log = Recorder<String>()
        let watch = note.observe { log.note($0.name) }
        server.answer("POST /notes", #"{"id": 7, "title": "Milk", "at": 1}"#, status: 201, etag: "\"v1\"")
        try await note.save()
        #expect(server.take() == [#"POST https://api.example.com/notes {"title":"Milk"}"#])
        #expect(note.idText == "7" && note["at"] == 1 && log.take() == ["change:at", "change:id", "change"])
        server.answer("PUT /notes/7", "", status: 204)
        try await note.save(["title": "Bread"])
        #expect(server.take() == [#"PUT https://api.example.com/notes/7 if "v1" {"at":1,"id":7,"title":"Bread"}"#])
        #expect(log.take() == ["change:title", "change"])
        withExtendedLifetime(watch) {}
    }

    @Test("Fetch sets the server's attributes, converted by parse")
    func fetching() async throws {
        var schema = schema
        schema.parse = { $0["note"].isValid ? $0["note"] : $0 }
        let note = Model(["id": 7, "local": true], schema: schema, sync: sync)
        server.answer("GET /notes/7", #"{"note": {"id": 7, "title": "Milk"}}"#)
        try await note.fetch()
        #expect(note.attributes == ["id": 7, "local": true, "title": "Milk"])
        server.answer("GET /notes/7", "[1]")
        let error = await #expect(throws: NetworkError.self) { try await note.fetch() }
        #expect(error?.code == .decodingFailed && error?.message == "expected an object, found an array")
    }

    @Test("A destroyed model leaves its collections; a new one needs no request")
    func destroying() async throws {
        let collection = ModelCollection(schema: schema, sync: sync)
        let (old, new) = (Model(["id": 7]), Model(["a": 1]))
        try collection.add([old, new])
        let log = Recorder<String>()
        let watch = collection.observe { log.note("\($0.name) \($0.model?.idText ?? "new")") }
        try await new.destroy()
        #expect(server.take() == [] && log.take() == ["remove new", "destroy new"])
        server.answer("DELETE /notes/7", "", status: 204)
        try await old.destroy()
        #expect(server.take() == ["DELETE https://api.example.com/notes/7"])
        #expect(log.take() == ["remove 7", "destroy 7"] && collection.isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test(
        "Every status outside 2xx is an error; 422 has the messages, 412 is a conflict",
        arguments: [
            (
                422, #"{"title": ["is empty", "is short"], "tags": ["are many"]}"#, NetworkError.Code.validationFailed,
                ["title is empty", "title is short", "tags are many"]
            ),
            (422, #"{"errors": {"title": "is empty"}}"#, .validationFailed, ["title is empty"]),
            (422, "nonsense", .validationFailed, []),
            (412, "", .conflict, []), (400, "{}", .unacceptableStatus, []), (404, "", .unacceptableStatus, []),
            (409, "{}", .unacceptableStatus, []),
            (500, "{}", .unacceptableStatus, []), (503, "", .unacceptableStatus, []),
        ])
    func statuses(status: Int, body: String, code: NetworkError.Code, messages: [String]) async throws {
        let note = Model(["id": 7, "title": ""], schema: schema, sync: sync)
        let log = Recorder<String>()
        let watch = note.observe { log.note("\($0.name) \($0.error?.code.rawValue ?? "")") }
        server.answer("PUT /notes/7", body, status: status)
        let error = await #expect(throws: NetworkError.self) { try await note.save() }
        #expect(error?.code == code && error?.status == status && error?.messages == messages)
        #expect(log.take() == ["error \(code.rawValue)"])
        #expect(note["title"] == "")
        withExtendedLifetime(watch) {}
    }

    @Test("A rejected set sends nothing")
    func refusedSave() async throws {
        var schema = schema
        schema.validate = { changes, _ in changes["title"]?.string() == "" ? ["title is empty"] : [] }
        let note = Model(["id": 7], schema: schema, sync: sync)
        let error = await #expect(throws: NetworkError.self) { try await note.save(["title": ""]) }
        #expect(error?.messages == ["title is empty"] && server.take() == [])
    }

    @Test("A fetch replaces the collection, adds to it or merges by id")
    func collections() async throws {
        let collection = ModelCollection(schema: schema, sync: sync)
        let log = Recorder<String>()
        let watch = collection.observe { log.note("\($0.name) \($0.model?.idText ?? "")") }
        server.answer("GET /notes", #"[{"id": 1, "t": "a"}, {"id": 2, "t": "b"}]"#)
        try await collection.fetch()
        #expect(log.take() == ["reset "] && collection.pluck("t") == ["a", "b"])
        let first = try #require(collection[id: "1"])
        server.answer("GET /notes", #"[{"id": 1, "t": "A"}, {"id": 3, "t": "c"}]"#)
        try await collection.fetch(.add)
        #expect(log.take() == ["add 3"] && first["t"] == "a")
        try await collection.fetch(.merge)
        #expect(
            log.take() == ["change:t 1", "change 1"] && first["t"] == "A" && collection[id: "1"] === first
                && collection.count == 3)
        try await collection.fetch()
        #expect(collection[id: "1"] !== first && collection.count == 2)
        _ = log.take()
        server.answer("GET /notes", #"{"notes": [1]}"#)
        let error = await #expect(throws: NetworkError.self) { try await collection.fetch() }
        #expect(error?.message == "expected an array of models, found an object" && error?.path == "$")
        #expect(log.take() == ["error "] && collection.count == 2)
        withExtendedLifetime(watch) {}
    }

    @Test("A created model is added after the server has accepted it")
    func creating() async throws {
        let collection = ModelCollection(schema: schema, sync: sync)
        server.answer("POST /notes", "{}", status: 500)
        await #expect(throws: NetworkError.self) { try await collection.create(["t": "x"]) }
        #expect(collection.isEmpty)
        server.answer("POST /notes", #"{"id": 9}"#, status: 201)
        let model = try await collection.create(["t": "x"])
        #expect(collection[id: "9"] === model && model["t"] == "x")
    }

    /// A sync that responds when the test requests it.
    private final class SlowSync: ModelSync {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let calls = Locked<[ModelSyncVerb]>([])
        func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer {
            calls.withLock { $0.append(verb) }
            for await _ in gate { return ModelSyncAnswer(["id": 1, "n": 5]) }
            throw NetworkError(.cancelled)
        }
        var isCalled: Bool { calls.withLock { !$0.isEmpty } }
        func waitForCall() async throws { try await until { isCalled } }
    }

    @Test("A second fetch joins the first; another verb fails as busy")
    func joining() async throws {
        let sync = SlowSync()
        let model = Model(["id": 1], schema: schema, sync: sync)
        let log = Recorder<String>()
        let watch = model.observe { log.note($0.name) }
        async let first: Void = model.fetch()
        try await sync.waitForCall()
        async let second: Void = model.fetch()
        let busy = await #expect(throws: NetworkError.self) { try await model.save() }
        #expect(busy?.code == .busy && log.take() == [])
        sync.open.yield()
        try await first
        sync.open.yield()
        try await second
        #expect(log.take().filter { $0 == "change:n" }.count == 1 && model["n"] == 5)
        #expect(sync.calls.withLock { $0.allSatisfy { $0 == .read } })
        try await model.destroy()
        #expect(log.take() == ["destroy"], "no operation is running")
        withExtendedLifetime(watch) {}
    }

    @Test("An operation ends when all of its waiting tasks are cancelled, not earlier")
    func cancelling() async throws {
        let sync = SlowSync()
        let model = Model(["id": 1], schema: schema, sync: sync)
        let first = Task { try await model.fetch() }
        try await sync.waitForCall()
        first.cancel()
        let result = await first.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        let next = await #expect(throws: NetworkError.self) { try await model.save() }
        #expect(next?.code == .cancelled, "the sync has no more answers, but no operation is running")
    }

    @Test("The client's retries apply to a fetch, which succeeds after two failures of the server")
    func retries() async throws {
        var configuration = ClientConfiguration()
        configuration.retry = .standard
        configuration.retry?.firstPause = .milliseconds(1)
        let count = Counter()
        let server = StubTransport { _ in count.next() < 2 ? .status(503) : .text(#"{"t": 1}"#) }
        let note = Model(
            ["id": 1], schema: ModelSchema(path: "https://x.example/notes"),
            sync: RESTSync(NetworkClient(configuration, transport: server)))
        try await note.fetch()
        #expect(note["t"].int() == 1 && server.requests.count == 3)
        let failing = Model(
            ["id": 1], schema: ModelSchema(path: "https://x.example/notes"),
            sync: RESTSync(NetworkClient(transport: StubTransport { _ in .status(503) })))
        let error = await #expect(throws: NetworkError.self) { try await failing.fetch() }
        #expect(error?.code == .unacceptableStatus && error?.status == 503)
    }

    @Test("A strong version is sent with If-Match; a weak one isn't, because it never matches", arguments: ["", "W/"])
    func versions(prefix: String) async throws {
        server.answer("GET /notes/5", #"{"id": 5}"#, etag: prefix + "\"1\"")
        server.answer("PUT /notes/5", "")
        let note = Model(["id": 5], schema: schema, sync: sync)
        try await note.fetch()
        try await note.save()
        let match = prefix.isEmpty ? " if \"1\"" : ""
        #expect(server.take().last?.hasPrefix("PUT https://api.example.com/notes/5\(match) {") == true)
    }

    @Test("Requests follow the conventions, and can be changed before they are sent")
    func conventions() async throws {
        let seen = Locked<[NetworkRequest]>([])
        let client = NetworkClient(
            transport: StubTransport { request in
                seen.withLock { $0.append(request) }
                return .text("{}")
            })
        let sync = RESTSync(client) { verb, request in request.headers["X-Verb"] = verb.rawValue }
        let note = Model(["id": "a/b"], schema: ModelSchema(path: "https://x.example/v1/notes/"), sync: sync)
        try await note.save(["t": 1])
        let request = try #require(seen.withLock { $0.first })
        #expect(request.url.requestText == "https://x.example/v1/notes/a%2Fb" && request.method == .put)
        #expect(request.headers["Content-Type"] == "application/json" || request.body.contentType == "application/json")
        #expect(request.headers["Accept"] == "application/json" && request.headers["X-Verb"] == "update")
        #expect(request.headers["If-Match"] == nil && (request.options.totalTimeout ?? .zero) > .seconds(250))
    }

    @Test("A model that is being created can't be destroyed")
    func destroyDuringCreate() async throws {
        let sync = SlowSync()
        let model = Model(["n": 1], schema: schema, sync: sync)
        async let save: Void = model.save()
        try await sync.waitForCall()
        let busy = await #expect(throws: NetworkError.self) { try await model.destroy() }
        #expect(busy?.code == .busy)
        sync.open.yield()
        try await save
    }
}
