import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// The queue of an offline sync: order, joining, restarts and references.
@Suite(.timeLimit(.minutes(5))) struct OfflineSyncTests: OfflineSuite {
    let world = OfflineWorld()

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
        let log = Recorder<String>()
        let watch = notes.observe { log.note($0.name) }
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
}
