import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Refusals and conflicts of queued changes.
@Suite(.timeLimit(.minutes(5))) struct OfflineAnswerTests: OfflineSuite {
    let world = OfflineWorld()

    @Test(
        "A server that fails midway keeps the rest of the queue, in order",
        arguments: [401, 407, 408, 425, 429, 500, 502, 503, 504, nil] as [Int?])
    func midway(status: Int?) async throws {
        server.go(.offline)
        let sync = try open()
        for name in ["a", "b", "c"] { try await note(sync, ["t": JSONEntity(name)]).save() }
        let count = Locked(0)
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
        let notes = ModelCollection(schema: schema, sync: sync)
        try await notes.fetch()
        #expect(notes.pluck("t") == ["mine", "other"])
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

    @Test(
        "The model gets the result of a resolution, and later edits of other clients conflict with it",
        arguments: ["mine", "theirs"])
    func adoption(choice: String) async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        server.go(.offline)
        try await milk.save(["t": "mine"])
        server.change(1, ["t": "theirs"])
        server.go(nil)
        try await sync.drain()
        let conflict = try #require(sync.pending.first)
        try sync.resolve(conflict, choice == "mine" ? .mine : .theirs)
        try await sync.drain()
        #expect(milk["t"] == JSONEntity(choice))
        server.change(1, ["t": "newer"])
        let error = await #expect(throws: NetworkError.self) { try await milk.save(["t": "again"]) }
        #expect(error?.status == 412 || error?.code == .conflict)
        #expect(server.texts[1]?.contains("newer") == true)
    }

    @Test("A model that doesn't know the resolution of a conflict can't overwrite the other client's edit")
    func stale() async throws {
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        let stale = note(sync, ["id": 1])
        try await stale.fetch()
        server.go(.offline)
        try await milk.save(["t": "mine"])
        server.change(1, ["t": "theirs"])
        server.go(nil)
        try await sync.drain()
        try sync.resolve(try #require(sync.pending.first), .theirs)
        let error = await #expect(throws: NetworkError.self) { try await stale.save(["t": "stale"]) }
        #expect(error?.status == 412 || error?.code == .conflict)
        #expect(server.texts[1]?.contains("theirs") == true)
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
}
