import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// A folder that is removed with this object.
final class TemporaryFolder: Sendable {
    let path = NSTemporaryDirectory() + "net-offline-\(UUID())"
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    func files(_ suffix: String) -> [String] { names.filter { $0.hasSuffix(suffix) }.map { path + "/" + $0 } }
}

private final class Copies: Sendable {
    let list = Mutex<[TemporaryFolder]>([])
}

@Suite(.timeLimit(.minutes(5))) struct OfflineSyncTests {
    private let server = RecordServer()
    private let folder = TemporaryFolder()
    private let copies = Copies()
    private let schema = ModelSchema(host: "api.example.com", path: "notes")

    private func open() throws -> OfflineSync { try OfflineSync(server.sync, folder: folder.path, schema: schema) }

    private func note(_ sync: OfflineSync, _ attributes: [String: JSONEntity]) -> Model {
        Model(attributes, schema: schema, sync: sync)
    }

    // MARK: The queue

    @Test("Changes made offline survive a restart and are sent in order, each under its own key")
    func restart() async throws {
        server.go(.offline)
        do {
            let sync = try open()
            let (milk, bread) = (note(sync, ["t": "milk"]), note(sync, ["t": "bread"]))
            try await milk.save()
            try await bread.save()
            try await note(sync, ["id": 7, "t": "old"]).save()
            try await note(sync, ["id": 8]).destroy()
            #expect(milk.idText?.hasPrefix("local-") == true && milk["t"] == "milk")
        }
        let sync = try open()
        #expect(sync.pending.map(\.verb) == [.create, .create, .update, .delete])
        #expect(sync.pending.map { $0.mine["t"].string("-") } == ["milk", "bread", "old", "-"])
        #expect(sync.pending.allSatisfy { $0.failure == nil } && server.takeLog() == [])
        await #expect(throws: NetworkError.self) { try await sync.drain() }
        #expect(sync.pending.count == 4)
        server.change(7, ["t": "theirs"])
        server.change(8, [:])
        server.go(nil)
        try await sync.drain()
        #expect(
            server.takeLog() == [
                #"POST /notes {"t":"milk"}"#, #"POST /notes {"t":"bread"}"#, #"PUT /notes/7 {"id":7,"t":"old"}"#,
                "DELETE /notes/8",
            ])
        #expect(sync.pending.isEmpty && Set(server.state.withLock { $0.keys }).count == 4)
        try await sync.drain()
        #expect(server.takeLog() == [], "nothing is sent twice")
        #expect(folder.files(".record").count == 3)
    }

    @Test("Online, an operation is one request, and its answer is set")
    func online() async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        #expect(milk.id == 1 && sync.pending.isEmpty)
        try await milk.save(["t": "cream"])
        try await milk.destroy()
        #expect(
            server.takeLog() == [
                #"POST /notes {"t":"milk"}"#, #"PUT /notes/1 if "1" {"id":1,"t":"cream"}"#, "DELETE /notes/1 if \"2\"",
            ])
        #expect(folder.files(".record").isEmpty)
    }

    @Test(
        "Unsent changes of a record are joined",
        arguments: [
            ("new: save=a save=b", [#"POST /notes {"t":"b"}"#]), ("new: save=a destroy", []),
            ("new: save=a save=b destroy", []), ("old: save=a save=b", [#"PUT /notes/7 {"id":7,"t":"b"}"#]),
            ("old: save=a destroy", ["DELETE /notes/7"]), ("old: destroy destroy", ["DELETE /notes/7"]),
            ("old: destroy save=a", [#"PUT /notes/7 {"id":7,"t":"a"}"#]),
        ])
    func joining(script: String, requests: [String]) async throws {
        server.change(7, ["t": "x"])
        for restarts in [false, true] {
            server.go(.offline)
            let folder = TemporaryFolder()
            var sync = try OfflineSync(server.sync, folder: folder.path, schema: schema)
            var model = note(sync, script.hasPrefix("new") ? [:] : ["id": 7])
            for step in script.split(separator: " ").dropFirst() {
                if restarts {
                    // The connection was refused, so nothing was sent; but the file doesn't record this.
                    let attributes = model.attributes
                    _ = consume model
                    _ = consume sync
                    sync = try OfflineSync(server.sync, folder: folder.path, schema: schema)
                    model = note(sync, attributes)
                }
                if step == "destroy" {
                    try await model.destroy()
                } else {
                    try await model.save(["t": JSONEntity(String(step.dropFirst(5)))])
                }
            }
            server.go(nil)
            try await sync.drain()
            let log = server.takeLog()
            if !restarts { #expect(log == requests) }
            #expect(sync.pending.isEmpty)
            let last = script.hasSuffix("destroy") ? nil : script.last.map(String.init)
            let texts = server.texts
            let others = script.hasPrefix("new") ? ["x"] : []
            #expect(
                texts.values.map { try? JSONEntity(parsing: $0)["t"].string() }.sorted { ($0 ?? "") < ($1 ?? "") }
                    == (last.map { [$0] } ?? []) + others)
            for id in texts.keys { server.delete(id) }
            server.change(7, ["t": "x"])
        }
    }

    @Test("A change whose answer was lost is sent again under its key; later changes follow with the new identifier")
    func lostAnswer() async throws {
        server.go(.lostAnswer)
        do {
            let sync = try open()
            let milk = note(sync, ["t": "milk"])
            try await milk.save()
            try await milk.save(["t": "cream"])
            #expect(sync.pending.map(\.verb) == [.create, .update])
        }
        _ = server.takeLog()
        server.go(nil)
        let sync = try open()
        try await sync.drain()
        #expect(
            server.takeLog() == [#"POST /notes {"t":"milk"}"#, #"PUT /notes/1 if "1" {"id":1,"t":"cream"}"#])
        let keys = server.state.withLock { $0.keys }
        #expect(Set(keys).count == 2 && server.state.withLock { $0.effects } == 2)
        #expect(server.texts == [1: #"{"id":1,"t":"cream"}"#])
    }

    @Test("A repeated update that the server has already applied is complete, although its version is outdated")
    func applied() async throws {
        let server = RecordServer(knowsAllKeys: false)
        let sync = try OfflineSync(server.sync, folder: folder.path, schema: schema)
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        server.go(.lostAnswer)
        try await milk.save(["t": "cream"])
        server.go(nil)
        try await sync.drain()
        #expect(sync.pending.isEmpty && server.state.withLock { $0.effects } == 2)
        try await milk.save(["t": "butter"])
        #expect(server.texts == [1: #"{"id":1,"t":"butter"}"#] && sync.pending.isEmpty)
    }

    @Test("A model receives its identifier with the late answer, except attributes that have changed")
    func lateAnswer() async throws {
        server.go(.offline)
        let sync = try open()
        let notes = ModelCollection(schema: schema, sync: sync)
        let milk = try await notes.create(["t": "milk", "n": 1])
        let log = EventLog()
        let watch = notes.observe { log.add($0.name) }
        try milk.set(["n": 2], silent: true)
        server.go(nil)
        try await sync.drain()
        #expect(milk.id == 1 && milk["n"] == 2 && notes[id: "1"] === milk && log.take() == ["change:id", "change"])
        try await notes.fetch(.merge)
        #expect(notes.count == 1)
        try await milk.save(["t": "cream"])
        #expect(server.takeLog().last == #"PUT /notes/1 if "1" {"id":1,"n":1,"t":"cream"}"#)
        withExtendedLifetime(watch) {}
    }

    @Test("Identifiers in later changes are replaced, in paths, keys and values, also after a restart")
    func references() async throws {
        server.go(.offline)
        var sync = try open()
        let list = note(sync, ["t": "list"])
        try await list.save()
        let id = try #require(list.idText)
        let item = Model(
            ["in": JSONEntity(id), "by": [[JSONEntity(id): 1].first!.key], "url": JSONEntity("/notes/\(id)#x")],
            schema: schema, sync: sync)
        try await item.save()
        // The list refers to the later item, so this change can't become part of the creation.
        try await list.save(["first": JSONEntity(item.idText ?? ""), "votes": JSONEntity(object: [(id, 3)])])
        #expect(sync.pending.map(\.verb) == [.create, .create, .update])
        sync = try reopened(sync)
        server.go(nil)
        try await sync.drain()
        #expect(
            server.texts == [
                1: #"{"first":2,"id":1,"t":"list","votes":{"1":3}}"#,
                2: ##"{"by":[1],"id":2,"in":1,"url":"/notes/1#x"}"##,
            ])
        // The application may have stored the first identifier.
        let again = note(sync, ["id": JSONEntity(id)])
        try await again.fetch()
        #expect(again.id == 1 && again["t"] == "list")
        try await note(sync, ["id": JSONEntity(id), "t": "renamed"]).save()
        #expect(server.takeLog().last == #"PUT /notes/1 if "3" {"id":1,"t":"renamed"}"#)
    }

    /// Opens a copy of the folder, as after a crash; the models still use the first sync.
    private func reopened(_ sync: OfflineSync) throws -> OfflineSync {
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: copies.list.withLock { $0.last?.path } ?? folder.path, toPath: copy.path)
        copies.list.withLock { $0.append(copy) }
        return try OfflineSync(server.sync, folder: copy.path, schema: schema)
    }

    @Test("Changes that refer to a record whose creation was refused wait, others don't")
    func waiting() async throws {
        server.go(.offline)
        let sync = try open()
        let list = note(sync, ["t": "bad"])
        try await list.save()
        try await note(sync, ["in": JSONEntity(list.idText ?? "")]).save()
        try await note(sync, ["t": "free"]).save()
        server.fault.withLock { fault in
            fault = {
                $0.body.inMemory.map { String(decoding: $0, as: UTF8.self) }?.contains("bad") == true
                    ? .status(422) : nil
            }
        }
        try await sync.drain()
        #expect(server.takeLog() == [#"POST /notes {"t":"bad"}"#, #"POST /notes {"t":"free"}"#])
        #expect(sync.pending.map { $0.failure?.status } == [422, nil])
        try await list.save(["t": "good"])
        #expect(server.takeLog() == [#"POST /notes {"t":"good"}"#, #"POST /notes {"in":2}"#] && sync.pending.isEmpty)
        #expect(list.id == 2)
    }

    // MARK: Answers

    @Test(
        "A server that fails midway keeps the rest of the queue, in order",
        arguments: [401, 407, 408, 425, 429, 500, 502, 503, 504, nil] as [Int?])
    func midway(status: Int?) async throws {
        server.go(.offline)
        let sync = try open()
        for name in ["a", "b", "c"] { try await note(sync, ["t": JSONEntity(name)]).save() }
        let count = Mutex(0)
        server.fault.withLock { fault in
            fault = { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 2 ? status.map { .status($0) } ?? .lostAnswer : nil
            }
        }
        let error = await #expect(throws: NetworkError.self) { try await sync.drain() }
        #expect(error?.status == status && sync.pending.map { $0.mine["t"] } == ["b", "c"])
        #expect(sync.pending.allSatisfy { $0.failure == nil })
        server.go(nil)
        try await sync.drain()
        #expect(
            server.texts.count == 3
                && server.texts.sorted { $0.key < $1.key }.map(\.value) == [
                    #"{"id":1,"t":"a"}"#, #"{"id":2,"t":"b"}"#, #"{"id":3,"t":"c"}"#,
                ])
    }

    @Test("A refusal is thrown by the operation that waits, and stored for a change that was queued")
    func refusals() async throws {
        let sync = try open()
        server.go(.status(422))
        let fresh = note(sync, ["t": ""])
        let error = await #expect(throws: NetworkError.self) { try await fresh.save() }
        #expect(error?.code == .validationFailed && sync.pending.isEmpty && folder.files(".record").isEmpty)
        #expect(fresh.isNew)
        server.go(.offline)
        try await fresh.save()
        server.go(.status(400))
        try await sync.drain()
        let refused = try #require(sync.pending.first)
        #expect(refused.failure?.status == 400 && refused.failure?.code == .unacceptableStatus)
        try await sync.drain()
        #expect(server.takeLog().count == 2, "a refused change isn't sent again")
        let again = try reopened(sync)
        #expect(again.pending.first?.failure?.status == 400)
        try again.resolve(refused, .merged(["t": "good"]))
        server.go(nil)
        try await again.drain()
        #expect(server.texts == [1: #"{"id":1,"t":"good"}"#])
        try again.resolve(refused, .mine)
        #expect(again.pending.isEmpty, "the change is no longer pending")
    }

    // MARK: Conflicts

    @Test(
        "A conflict has all three versions, and is resolved with mine, theirs or other attributes",
        arguments: [409, 412], ["mine", "theirs", "merged"])
    func conflicts(status: Int, choice: String) async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        server.go(.offline)
        try await milk.save(["t": "mine"])
        try await note(sync, ["t": "other"]).save()
        server.change(1, ["t": "theirs"])
        server.fault.withLock { $0 = { status == 409 && $0.method == .put ? .status(409) : nil } }
        try await sync.drain()
        let conflict = try #require(sync.pending.first)
        #expect(sync.pending.count == 1, "the other record doesn't wait")
        #expect(conflict.failure?.status == status && (status == 409 || conflict.failure?.code == .conflict))
        #expect(conflict.base["t"] == "milk" && conflict.mine["t"] == "mine" && conflict.theirs["t"] == "theirs")
        try await milk.fetch()
        #expect(milk["t"] == "mine")
        let again = try reopened(sync)
        #expect(again.pending.first?.theirs["t"] == "theirs")
        let isBad = #expect(throws: NetworkError.self) { try again.resolve(conflict, .merged([1])) }
        #expect(isBad?.code == .encodingFailed)
        switch choice {
        case "mine": try again.resolve(conflict, .mine)
        case "theirs": try again.resolve(conflict, .theirs)
        default: try again.resolve(conflict, .merged(["id": 1, "t": "merged"]))
        }
        server.go(nil)
        try await again.drain()
        #expect(again.pending.isEmpty && server.texts[1] == #"{"id":1,"t":"\#(choice)"}"#)
        // A model with the version from before the conflict doesn't conflict with the decision.
        let before = note(again, ["id": 1])
        try await before.fetch()
        try await before.save(["t": "after"])
        #expect(server.texts[1] == #"{"id":1,"t":"after"}"#)
    }

    @Test("A conflict of a deletion keeps the record until it is resolved")
    func deletionConflict() async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        server.go(.offline)
        try await milk.destroy()
        server.change(1, ["t": "theirs"])
        server.go(nil)
        try await sync.drain()
        let conflict = try #require(sync.pending.first)
        #expect(conflict.verb == .delete && conflict.theirs["t"] == "theirs" && server.texts.count == 1)
        try sync.resolve(conflict, .mine)
        try await sync.drain()
        #expect(server.texts.isEmpty && folder.files(".record").isEmpty)
    }

    @Test("A record deleted on the server is reported, and is created again or removed", arguments: [true, false])
    func deletedThere(isMine: Bool) async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        let gone = note(sync, ["t": "gone"])
        try await milk.save()
        try await gone.save()
        server.go(.offline)
        try await milk.save(["t": "mine"])
        try await gone.destroy()
        server.delete(1)
        server.delete(2)
        server.go(nil)
        try await sync.drain()
        let conflict = try #require(sync.pending.first)
        #expect(sync.pending.count == 1 && conflict.failure?.status == 404 && !conflict.theirs.isValid)
        try sync.resolve(conflict, isMine ? .mine : .theirs)
        try await sync.drain()
        #expect(server.texts == (isMine ? [3: #"{"id":3,"t":"mine"}"#] : [:]) && sync.pending.isEmpty)
        if isMine {
            try await note(sync, ["id": 1, "t": "by the old path"]).save()
            #expect(server.takeLog().last == #"PUT /notes/3 if "3" {"id":1,"t":"by the old path"}"#)
        }
    }

    @Test("Without versions, waiting changes are compared with the server's record", arguments: [true, false])
    func withoutVersions(isChanged: Bool) async throws {
        let server = RecordServer(hasVersions: false)
        server.change(1, ["t": "milk"])
        let sync = try OfflineSync(server.sync, folder: folder.path, schema: schema)
        let notes = ModelCollection(schema: schema, sync: sync)
        try await notes.fetch()
        server.go(.offline)
        try await notes.first?.save(["t": "mine"])
        if isChanged { server.change(1, ["t": "theirs"]) }
        server.go(nil)
        try await sync.drain()
        #expect(sync.pending.map { $0.failure?.code } == (isChanged ? [.conflict] : []))
        #expect(server.texts == [1: #"{"id":1,"t":"\#(isChanged ? "theirs" : "mine")"}"#])
        #expect(server.state.withLock { $0.overwritten } == 0)
    }

    // MARK: Reading

    @Test("Fetches return the stored records offline, with unsent changes, also after a restart")
    func reading() async throws {
        for name in 1...4 { server.change(name, ["t": JSONEntity("\(name)")]) }
        var sync = try open()
        try await ModelCollection(schema: schema, sync: sync).fetch()
        server.go(.offline)
        sync = try reopened(sync)
        do {
            let notes = ModelCollection(schema: schema, sync: sync)
            try await notes.fetch()
            #expect(notes.count == 4)
            try await notes[id: "2"]?.save(["t": "two"])
            try await notes[id: "3"]?.destroy()
            try await notes.create(["t": "five"])
        }
        sync = try reopened(sync)
        let notes = ModelCollection(schema: schema, sync: sync)
        try await notes.fetch()
        #expect(notes.pluck("t") == ["1", "two", "4", "five"])
        let two = note(sync, ["id": 2])
        try await two.fetch()
        #expect(two["t"] == "two")
        let deleted = await #expect(throws: NetworkError.self) { try await note(sync, ["id": 3]).fetch() }
        #expect(deleted?.status == 404)
        let unknown = await #expect(throws: NetworkError.self) { try await note(sync, ["id": 9]).fetch() }
        #expect(unknown?.code == .cannotConnect)
        server.delete(4)
        server.go(nil)
        try await notes.fetch()
        #expect(notes.pluck("t") == ["1", "two", "five"] && notes.last?.id == 5)
        server.go(.status(503))
        try await notes.fetch()
        #expect(notes.pluck("t") == ["1", "two", "five"])
        server.go(.status(403))
        await #expect(throws: NetworkError.self) { try await notes.fetch() }
    }

    @Test("Envelopes are parsed once, online and offline")
    func envelopes() async throws {
        var schema = schema
        schema.parse = { $0["note"] }
        schema.parseList = { $0["notes"] }
        let isOnline = Mutex(true)
        let client = NetworkClient(
            transport: StubTransport { request throws(NetworkError) in
                guard isOnline.withLock({ $0 }) else { throw NetworkError(.notConnected) }
                return request.url.path == "/notes" && request.method == .get
                    ? .json(#"{"notes": [{"note": {"id": 1, "t": "a"}}]}"#)
                    : .json(#"{"note": {"id": 1, "t": "\#(request.method == .put ? "b" : "a")"}}"#)
            })
        let sync = try OfflineSync(RESTSync(client), folder: folder.path, schema: schema)
        let notes = ModelCollection(schema: schema, sync: sync)
        for isOn in [true, false] {
            isOnline.withLock { $0 = isOn }
            try await notes.fetch()
            #expect(notes.pluck("t") == ["a"])
        }
        isOnline.withLock { $0 = true }
        try await notes.first?.save(["n": 1])
        #expect(notes.pluck("t") == ["b"])
    }

    // MARK: Sharing and cancellation

    @Test("Tasks that save, fetch and drain at the same time send each change once")
    func atTheSameTime() async throws {
        let sync = try open()
        let attempts = Mutex(0)
        server.fault.withLock { fault in
            fault = { _ in
                attempts.withLock { attempts in
                    attempts += 1
                    return attempts % 5 == 0 ? .lostAnswer : attempts % 7 == 0 ? .offline : nil
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { [self] in
                    let model = note(sync, ["n": JSONEntity(number)])
                    try await model.save()
                    try await model.save(["m": 1])
                    _ = try? await model.fetch()
                    try? await sync.drain()
                }
            }
            try await group.waitForAll()
        }
        server.go(nil)
        try await sync.drain()
        let texts = server.texts.values
        #expect(texts.count == 40 && texts.allSatisfy { $0.contains(#""m":1"#) } && sync.pending.isEmpty)
        #expect(Set(texts.compactMap { try? JSONEntity(parsing: $0)["n"].int() }).count == 40)
    }

    @Test("A cancelled save remains in the queue")
    func cancelling() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let count = Mutex(0)
        let client = NetworkClient(
            transport: StubTransport { _ throws(NetworkError) in
                count.withLock { $0 += 1 }
                for await _ in gate { break }
                if Task.isCancelled { throw NetworkError(.cancelled) }
                return .json(#"{"id": 1}"#, status: 201)
            })
        let sync = try OfflineSync(RESTSync(client), folder: folder.path, schema: schema)
        let model = note(sync, ["t": "milk"])
        let task = Task { try await model.save() }
        try await until { count.withLock { $0 } == 1 }
        task.cancel()
        let result = await task.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.isCancellation == true && sync.pending.count == 1)
        open.finish()
        try await sync.drain()
        #expect(sync.pending.isEmpty && model.id == 1)
    }

    @Test("A user's records are removed on request")
    func removingAll() async throws {
        let sync = try open()
        server.change(1, ["t": "x"])
        let notes = ModelCollection(schema: schema, sync: sync)
        try await notes.fetch()
        server.go(.offline)
        try await notes.create(["t": "y"])
        sync.removeAll()
        #expect(sync.pending.isEmpty && folder.names == ["lock"])
        await #expect(throws: NetworkError.self) { try await notes.fetch() }
    }
}
