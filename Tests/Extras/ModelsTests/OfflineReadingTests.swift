import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Fetches, shared use, cancellation and removal of an offline sync.
@Suite(.timeLimit(.minutes(5))) struct OfflineReadingTests: OfflineSuite {
    let world = OfflineWorld()

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

    @Test(
        "Attributes have the client's format of dates and keys, online, offline and after a restart",
        arguments: [JSONFormat(dates: .secondsSince1970, keys: .snakeCase), JSONFormat(dates: .rfc3339)])
    func format(_ format: JSONFormat) async throws {
        struct Note: Codable, Hashable {
            var createdAt: Date
        }
        let value = Note(createdAt: Date(timeIntervalSince1970: 1_795_180_778))
        let json = try JSONEntity(encoding: value, format: format)
        let key = try #require(json.keys.first)
        let (isOnline, copy) = (Locked(true), TemporaryFolder())
        var configuration = ClientConfiguration()
        configuration.json = format
        let client = NetworkClient(
            configuration,
            transport: StubTransport { request throws(NetworkError) in
                guard isOnline.withLock({ $0 }) else { throw NetworkError(.notConnected) }
                let record = #"{"id": 1, "\#(key)": \#(json[key].text())}"#
                return .json(request.url.path == "/notes" ? "[\(record)]" : record)
            })
        var sync = try OfflineSync(RESTSync(client), folder: folder.path, schema: schema)
        for state in ["online", "offline", "after a restart"] {
            let notes = ModelCollection(schema: schema, sync: sync)
            try await notes.fetch()
            let note = try #require(notes.first)
            #expect(note[key].date() == value.createdAt, "\(state)")
            #expect(try note.json.decode(Note.self) == value, "\(state)")
            #expect(try notes.json.decode([Note].self) == [value], "\(state)")
            #expect(try note.clone().attributes[key]?.decode(Date.self) == value.createdAt, "\(state)")
            if state == "offline" {
                try await note.save(["title": "a", key: json[key]])
                try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
                sync = try OfflineSync(RESTSync(client), folder: copy.path, schema: schema)
                #expect(try sync.pending.map { try $0.mine.decode(Note.self) } == [value])
                #expect(try sync.pending.map { try $0.base.decode(Note.self) } == [value])
            }
            isOnline.withLock { $0 = false }
        }
        let new = Model([key: try JSONEntity(parsing: json[key].text())], schema: schema, sync: sync)
        #expect(new[key].date() == value.createdAt)
        try await new.save()
        #expect(new[key].date() == value.createdAt && !new.isNew)
    }

    @Test("Envelopes are parsed once, online and offline")
    func envelopes() async throws {
        var schema = schema
        schema.parse = { $0["note"] }
        schema.parseList = { $0["notes"] }
        let isOnline = Locked(true)
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

    @Test("Tasks that save, fetch and drain at the same time send each change once")
    func atTheSameTime() async throws {
        let sync = try open()
        let attempts = Locked(0)
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
        let count = Locked(0)
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
        try sync.removeAll()
        #expect(sync.pending.isEmpty && folder.names == ["lock"])
        await #expect(throws: NetworkError.self) { try await notes.fetch() }
    }

    @Test("A fetch that runs during the removal stores nothing", arguments: [true, false])
    func removingDuringFetch(isList: Bool) async throws {
        let removing = Locked<OfflineSync?>(nil)
        let client = NetworkClient(
            transport: StubTransport { _ throws(NetworkError) in
                try removing.withLock { $0 }?.removeAll()
                return .json(isList ? #"[{"id": 1, "t": "x"}]"# : #"{"id": 1, "t": "x"}"#)
            })
        let sync = try OfflineSync(RESTSync(client), folder: folder.path, schema: schema)
        removing.withLock { $0 = sync }
        if isList {
            let notes = ModelCollection(schema: schema, sync: sync)
            try await notes.fetch()
            #expect(notes.pluck("t") == ["x"])
        } else {
            let model = note(sync, ["id": 1])
            try await model.fetch()
            #expect(model["t"] == "x")
        }
        #expect(folder.names == ["lock"])
        removing.withLock { $0 = nil }
        if isList {
            try await ModelCollection(schema: schema, sync: sync).fetch()
        } else {
            try await note(sync, ["id": 1]).fetch()
        }
        #expect(folder.files(".record").count == 1)
    }

    @Test("A file that can't be removed is reported, and the others are removed")
    func failedRemoval() async throws {
        let directory = folder.path + "/a.record"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let sync = try open()
        server.go(.offline)
        try await note(sync, ["t": "y"]).save()
        let error = #expect(throws: NetworkError.self) { try sync.removeAll() }
        #expect(error?.code == .fileFailed && error?.file == directory)
        #expect(folder.names == ["a.record", "lock"] && sync.pending.isEmpty)
    }
}
