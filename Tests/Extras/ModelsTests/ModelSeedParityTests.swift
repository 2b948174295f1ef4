import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Testing

/// iStructure's Model, Collection and Sync as its documentation and headers describe them.
@Suite(.timeLimit(.minutes(5))) struct ModelSeedParityTests {
    private let schema = ModelSchema(host: "notes.example.com", path: "notes")

    private func client(_ answers: [String: StubResponse]) -> NetworkClient {
        NetworkClient(transport: StubTransport(answers))
    }

    @Test("A Note is stored on the server or can be: isNew, id, cid, collection, idAttribute")
    func note() {
        let (stored, fresh) = (Model(["id": 5], schema: schema), Model(["title": "Simple Notes"], schema: schema))
        #expect(!stored.isNew && fresh.isNew && stored.idText == "5" && stored.cid != fresh.cid)
        #expect(stored.collection == nil && schema.idAttribute == "id")
    }

    @Test("baseUrl + path: the collection's, then the model's own; a new model at the path, others behind it")
    func urls() throws {
        let collection = ModelCollection([Model(["id": 5]), Model()], schema: schema)
        #expect(try collection.models.map { try $0.location().path } == ["notes/5", "notes"])
        let places = Model(["id": 1], schema: ModelSchema(path: "https://maps.example.com/places"))
        #expect(try places.location().path == "https://maps.example.com/places/1", "an absolute URL as path")
        #expect(throws: NetworkError.self) { try Model().location() }
    }

    @Test("createPath, updatePath, fetchPath and destroyPath")
    func paths() throws {
        var schema = schema
        schema.pathFor = { verb, _ in verb == .create ? "notes/new" : nil }
        #expect(try Model(schema: schema).location(for: .create).path == "notes/new")
        #expect(try Model(["id": 1], schema: schema).location(for: .update).path == "notes/1")
    }

    @Test("ISBasicSync: JSON over HTTP with GET, POST, PUT and DELETE")
    func sync() async throws {
        let seen = Recorder<String>()
        let client = NetworkClient(
            transport: StubTransport { request in
                seen.note("\(request.method) \(request.url.path)")
                return .text(#"{"id": 1}"#)
            })
        let note = Model(["title": "x"], schema: schema, sync: RESTSync(client))
        try await note.save()
        try await note.save()
        try await note.fetch()
        try await note.destroy()
        #expect(seen.items == ["POST /notes", "PUT /notes/1", "GET /notes/1", "DELETE /notes/1"])
    }

    @Test("Custom sync classes")
    func ownSync() async throws {
        struct Memory: ModelSync {
            func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer
            {
                ModelSyncAnswer(["id": 1, "verb": JSONEntity(verb.rawValue), "path": JSONEntity(target.path)])
            }
        }
        let note = Model(schema: schema, sync: Memory())
        try await note.save()
        #expect(note["verb"] == "create" && note["path"] == "notes")
    }

    @Test("Events: change:<attr> then change, add, remove, reset, destroy, error")
    func events() async throws {
        let collection = ModelCollection(schema: schema, sync: RESTSync(client([:])))
        let log = Recorder<String>()
        let watch = collection.observe { log.note($0.name) }
        let note = Model(["title": "a"], schema: schema)
        try collection.add([note])
        try note.set(["title": "b"])
        collection.remove([note])
        try collection.reset([note])
        await #expect(throws: NetworkError.self) { try await collection.fetch() }
        try await note.destroy()
        #expect(log.items == ["add", "change:title", "change", "remove", "reset", "error", "remove", "destroy"])
        withExtendedLifetime(watch) {}
    }

    @Test(
        "fetch resets unless ADD_OR_RESET; createModel adds after the server has accepted; byCid, get and at return nil"
    )
    func collection() async throws {
        let answers: [String: StubResponse] = [
            "GET /notes": .text(#"[{"id": 1}, {"id": 2}]"#)
        ]
        let collection = ModelCollection([Model(["id": 9])], schema: schema, sync: RESTSync(client(answers)))
        try await collection.fetch(.add)
        #expect(collection.models.map(\.idText) == ["9", "1", "2"])
        try await collection.fetch()
        #expect(collection.models.map(\.idText) == ["1", "2"])
        #expect(collection[cid: "none"] == nil && collection[id: "none"] == nil && collection[at: 7] == nil)
    }

    @Test("All statuses other than 2xx are errors; in iStructure only 422, 500, 404 and 403")
    func statuses() async throws {
        let answers: [String: StubResponse] = ["GET /notes/1": .text("{}", status: 409)]
        let note = Model(["id": 1], schema: schema, sync: RESTSync(client(answers)))
        let error = await #expect(throws: NetworkError.self) { try await note.fetch() }
        #expect(error?.code == .unacceptableStatus && error?.status == 409)
    }
}
