import AshlarCore
import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Testing

/// A server of one note that accepts only saves of its current version.
private final class VersionedServer: ModelSync {
    struct State {
        var note: [String: JSONEntity] = ["id": 1, "a": 0, "b": 0]
        var version = 1
        /// The attributes whose newer value was replaced by an older one.
        var lost: [String] = []
        /// The lists that were read, and wait for their delivery.
        var lists: [Promise<Void>] = []
        /// The saves that were accepted, and wait for their delivery.
        var saves: [Promise<Void>] = []
        var holdsSaves = false
        /// What saves wait for before they arrive, and the number of waiting ones.
        var gate: Promise<Void>?
        var waiting = 0
    }

    let state = Mutex(State())

    func perform(_ verb: ModelSyncVerb, _ target: ModelSyncTarget) async throws(NetworkError) -> ModelSyncAnswer {
        if target.path == "notes" {
            let (list, promise) = state.withLock { state in
                state.lists.append(Promise())
                return (JSONEntity(array: [JSONEntity(object: state.note)]), state.lists.last)
            }
            _ = await promise?.value(within: .seconds(60))
            return ModelSyncAnswer(list)
        }
        let gate = state.withLock { state in
            if verb == .update, state.gate != nil { state.waiting += 1 }
            return verb == .update ? state.gate : nil
        }
        _ = await gate?.value(within: .seconds(60))
        let (answer, promise): (ModelSyncAnswer?, Promise<Void>?) = state.withLock { state in
            var promise: Promise<Void>?
            if verb == .update {
                guard target.version == "\(state.version)" else { return (nil, nil) }
                for (name, value) in target.body?.dictionary() ?? [:] {
                    if value.int(0) < state.note[name]?.int(0) ?? 0 { state.lost.append(name) }
                    state.note[name] = value
                }
                state.version += 1
                if state.holdsSaves {
                    promise = Promise()
                    if let promise { state.saves.append(promise) }
                }
            }
            return (ModelSyncAnswer(JSONEntity(object: state.note), version: "\(state.version)"), promise)
        }
        if let promise { _ = await promise.value(within: .seconds(60)) }
        guard let answer else { throw NetworkError(.conflict, "the server has a newer version") }
        return answer
    }
}

/// Several clients that change one record at the same time.
@Suite(.timeLimit(.minutes(2))) struct ModelConflictTests {
    private func list(_ server: VersionedServer, _ schema: ModelSchema = .init(path: "notes")) -> ModelCollection {
        ModelCollection([Model(["id": 1, "a": 0, "b": 0], schema: schema)], schema: schema, sync: server)
    }

    @Test("An answer that is rejected doesn't make its version that of the old attributes")
    func rejectedAnswer() async throws {
        let server = VersionedServer()
        var schema = ModelSchema(path: "notes")
        schema.validate = { changes, _ in changes["a"]?.int() == 7 ? ["a must not be 7"] : [] }
        let notes = list(server, schema)
        let note = try #require(notes.first)
        try await note.fetch()
        server.state.withLock { state in
            state.note["a"] = 7
            state.version += 1
        }
        let rejected = await #expect(throws: NetworkError.self) { try await note.fetch() }
        #expect(rejected?.code == .validationFailed)
        let conflict = await #expect(throws: NetworkError.self) { try await note.save(["b": 1]) }
        #expect(conflict?.code == .conflict)
        #expect(server.state.withLock { $0.note["a"] } == 7)
    }

    @Test("A list that is older than the model doesn't replace its attributes")
    func oldList() async throws {
        let server = VersionedServer()
        let notes = list(server)
        let note = try #require(notes.first)
        let merge = Task { try await notes.fetch(.merge) }
        try await until { server.state.withLock { $0.lists.count } == 1 }
        server.state.withLock { state in
            state.note["a"] = 5
            state.version += 1
        }
        try await note.fetch()
        server.state.withLock { $0.lists[0] }.fulfill(())
        try await merge.value
        #expect(note["a"] == 5)
        try await note.save(["b": 1])
        #expect(server.state.withLock { $0.lost }.isEmpty)
    }

    @Test("A list that was read before a running save doesn't replace the saved attributes")
    func listDuringSave() async throws {
        let server = VersionedServer()
        let notes = list(server)
        let note = try #require(notes.first)
        try await note.fetch()
        let gate = Promise<Void>()
        server.state.withLock { $0.gate = gate }
        let save = Task { try await note.save(["a": 1]) }
        try await until { server.state.withLock { $0.waiting } == 1 }
        let merge = Task { try await notes.fetch(.merge) }
        try await until { server.state.withLock { $0.lists.count } == 1 }
        gate.fulfill(())
        try await save.value
        server.state.withLock { $0.lists[0] }.fulfill(())
        try await merge.value
        #expect(note["a"] == 1)
        try await note.save(["b": 1])
        #expect(server.state.withLock { $0.lost }.isEmpty)
    }

    @Test("What is set during a save keeps its value, and the next save sends it")
    func editDuringSave() async throws {
        let server = VersionedServer()
        let notes = list(server)
        let note = try #require(notes.first)
        try await note.fetch()
        server.state.withLock { $0.holdsSaves = true }
        let save = Task { try await note.save(["a": 1]) }
        try await until { server.state.withLock { $0.saves.count } == 1 }
        try note.set(["a": 2])
        server.state.withLock { $0.holdsSaves = false }
        server.state.withLock { $0.saves[0] }.fulfill(())
        try await save.value
        #expect(note["a"] == 2)
        try await note.save()
        #expect(server.state.withLock { $0.note["a"] } == 2)
    }

    @Test("No interleaving of saves, fetches and lists replaces a newer value by an older one", arguments: 0..<60)
    func interleavings(seed: UInt64) async throws {
        var generator = SeededRandom(seed: seed)
        let server = VersionedServer()
        let clients = [list(server), list(server)]
        for client in clients { try await client.first?.fetch() }
        var pending: [(promise: Promise<Void>, task: Task<Void, any Error>)] = []
        var (last, saved) = (0, 0)
        for _ in 0..<60 {
            let client = clients[Int.random(in: 0..<2, using: &generator)]
            let note = try #require(client.first)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                last += 1
                let name = Bool.random(using: &generator) ? "a" : "b"
                if (try? await note.save([name: JSONEntity(last)])) != nil { saved += 1 }
            case 1:
                try await note.fetch()
            case 2:
                let count = server.state.withLock { $0.lists.count }
                let task = Task { try await client.fetch(.merge) }
                try await until { server.state.withLock { $0.lists.count } == count + 1 }
                pending.append((server.state.withLock { $0.lists[count] }, task))
            default:
                guard let index = pending.indices.randomElement(using: &generator) else { continue }
                let (promise, task) = pending.remove(at: index)
                promise.fulfill(())
                try await task.value
            }
        }
        for (promise, task) in pending {
            promise.fulfill(())
            try await task.value
        }
        #expect(server.state.withLock { $0.lost }.isEmpty, "seed \(seed)")
        #expect(saved > 0, "seed \(seed)")
    }
}
