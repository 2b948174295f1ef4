import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarModels

/// Random edits, failures, crashes and restarts, compared with a sequential model.
@Suite(.timeLimit(.minutes(10))) struct OfflineModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
    private static let seeds = Array(UInt64(1)...(isLong ? 400 : 24))

    /// A device with records, each of which has a label that never changes, and the records as they should be.
    private final class Device {
        var random: SeededRandom
        let server: RecordServer
        var folder = TemporaryFolder()
        var sync: OfflineSync
        /// The expected values by label.
        var expected: [Int: Int] = [:]
        /// The identifiers and versions by label, as the device knows them.
        var ids: [Int: String] = [:]
        var versions: [Int: String] = [:]
        var lastLabel = 0
        /// A copy of the folder at the moment of a crash.
        let crash = Locked<TemporaryFolder?>(nil)
        /// The path of the current folder.
        let place = Locked("")

        init(_ seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            server = RecordServer(knowsAllKeys: random.chance(50))
            sync = try OfflineSync(server.sync, folder: folder.path)
            place.withLock { [folder] in $0 = folder.path }
        }

        func target(_ label: Int?, _ value: Int = 0) -> ModelSyncTarget {
            guard let label else { return ModelSyncTarget(host: "h", path: "notes") }
            guard let id = ids[label] else {
                return ModelSyncTarget(
                    host: "h", path: "notes", body: ["label": JSONEntity(label), "value": JSONEntity(value)])
            }
            let body: JSONEntity = ["id": JSONEntity(id), "label": JSONEntity(label), "value": JSONEntity(value)]
            let version = random.chance(50) ? versions[label] : nil
            return ModelSyncTarget(host: "h", path: "notes/" + id, body: body, version: version)
        }

        /// Chooses the state of the connection for the next operations.
        func changeWeather() {
            let choice = random.below(10)
            let source = Locked(SeededRandom(seed: random.next()))
            server.fault.withLock { fault in
                fault = { [crash, place] _ in
                    // A process that has crashed sends nothing more.
                    if crash.withLock({ $0 != nil }) { return .offline }
                    return source.withLock { random in
                        if random.chance(10) {
                            let copy = TemporaryFolder()
                            try? FileManager.default.copyItem(atPath: place.withLock { $0 }, toPath: copy.path)
                            crash.withLock { $0 = copy }
                            return random.chance(50) ? .lostAnswer : .offline
                        }
                        return switch choice {
                        case 0...3: nil
                        case 4...5: .offline
                        case 6: .lostAnswer
                        case 7: .status(random.pick([401, 429, 500, 503]))
                        default: random.pick([nil, .offline, .lostAnswer, .status(503)])
                        }
                    }
                }
            }
        }

        func restart(_ crashed: TemporaryFolder?) throws {
            var path = folder.path
            if let crashed { path = crashed.path }
            let copy = TemporaryFolder()
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            sync = try OfflineSync(server.sync, folder: copy.path)
            folder = copy
            place.withLock { $0 = copy.path }
        }

        /// Performs an edit and remembers the answer.
        func edit() async throws {
            let known = ids.keys.sorted()
            let (label, verb): (Int, ModelSyncVerb) =
                known.isEmpty || random.chance(30)
                ? (lastLabel + 1, .create) : (random.pick(known), random.chance(25) ? .delete : .update)
            let value = random.below(1000)
            if verb == .create { lastLabel = label }
            var target = target(label, value)
            if verb == .delete { target.body = nil }
            let answer = try await sync.perform(verb, target)
            if verb == .delete {
                expected[label] = nil
                (ids[label], versions[label]) = (nil, nil)
            } else {
                expected[label] = value
                if verb == .create { ids[label] = text(answer.json["id"]) }
                versions[label] = answer.version ?? versions[label]
            }
        }

        func text(_ id: JSONEntity) -> String { id.string() ?? id.text() }

        /// Fetches the list and returns the values by label, or nil if the server refuses the fetch.
        func fetch() async throws -> [Int: Int]? {
            do throws(NetworkError) {
                var target = target(nil)
                target.isList = true
                let list = try await sync.perform(.read, target).json
                for element in list { ids[element["label"].int(0)] = text(element["id"]) }
                #expect(Set(list.map { $0["label"].int(0) }).count == list.count, "no record is repeated")
                return Dictionary(list.map { ($0["label"].int(0), $0["value"].int(-1)) }, uniquingKeysWith: { $1 })
            } catch {
                guard error.status == 401 || (expected.isEmpty && error.isTransient) else { throw error }
                return nil
            }
        }

        var values: [Int: Int] {
            server.state.withLock { state in
                Dictionary(
                    state.records.values.map {
                        ($0.attributes["label"]?.int() ?? 0, $0.attributes["value"]?.int() ?? -1)
                    },
                    uniquingKeysWith: { _, _ in -2 })
            }
        }
    }

    @Test("One device: every edit is visible at once and reaches the server once", arguments: seeds)
    func alone(seed: UInt64) async throws {
        let device = try Device(seed)
        for step in 0..<60 {
            if device.random.chance(30) { device.changeWeather() }
            try await device.edit()
            if let crashed = device.crash.withLock({ $0 }) {
                device.crash.withLock { $0 = nil }
                try device.restart(crashed)
            } else if device.random.chance(10) {
                try device.restart(nil)
            }
            if device.random.chance(50), let seen = try await device.fetch() {
                #expect(seen == device.expected, "seed \(seed), step \(step)")
                // A crash during the fetch loses nothing, so it can be ignored.
                device.crash.withLock { $0 = nil }
            }
            #expect(device.sync.unreadableFiles.isEmpty)
        }
        device.server.go(nil)
        try await device.sync.drain()
        #expect(device.sync.pending.isEmpty, "seed \(seed)")
        #expect(device.values == device.expected, "seed \(seed)")
        #expect(try await device.fetch() == device.expected, "seed \(seed)")
        #expect(device.server.state.withLock { $0.records.count } == device.expected.count, "seed \(seed)")
    }

    @Test("Two devices: no unread version is replaced, and after all decisions both agree", arguments: seeds)
    func withOthers(seed: UInt64) async throws {
        let device = try Device(seed)
        for _ in 0..<60 {
            if device.random.chance(30) { device.changeWeather() }
            let known = device.server.state.withLock { $0.records.keys.sorted() }
            if !known.isEmpty, device.random.chance(25) {
                let id = device.random.pick(known)
                if device.random.chance(25) {
                    device.server.delete(id)
                } else {
                    device.server.change(id, ["value": JSONEntity(device.random.below(1000))])
                }
            }
            // The server refuses edits of records that another device has changed or deleted.
            do { try await device.edit() } catch let error as NetworkError {
                #expect(error.code == .conflict || error.isMissing, "seed \(seed): \(error)")
            }
            if let crashed = device.crash.withLock({ $0 }) {
                device.crash.withLock { $0 = nil }
                try device.restart(crashed)
            }
            if device.random.chance(30) { _ = try? await device.fetch() }
            for change in device.sync.pending where change.failure != nil && device.random.chance(50) {
                let label = [change.mine, change.theirs, change.base].map { $0["label"] }.first(where: \.isValid)
                let merged: JSONEntity = ["label": label ?? 0, "value": 5000]
                let resolution: OfflineResolution =
                    label == nil || device.random.chance(30)
                    ? .mine : device.random.chance(50) ? .theirs : .merged(merged)
                try device.sync.resolve(change, resolution)
            }
        }
        device.server.go(nil)
        for round in 0..<10 {
            try await device.sync.drain()
            if device.sync.pending.isEmpty { break }
            #expect(round < 9, "seed \(seed): \(device.sync.pending)")
            for change in device.sync.pending {
                try device.sync.resolve(change, device.random.chance(50) ? .mine : .theirs)
            }
        }
        #expect(device.server.state.withLock { $0.overwritten } == 0, "seed \(seed)")
        let online = try await device.fetch()
        device.server.go(.offline)
        #expect(try await device.fetch() == online, "seed \(seed)")
        #expect(online == device.values, "seed \(seed)")
    }
}

extension NetworkError {
    fileprivate var isMissing: Bool { status == 404 || status == 410 }
}

/// Saves whose server answers late, files that are slow, and large collections.
@Suite(.timeLimit(.minutes(5))) struct OfflineTimeTests: OfflineSuite {
    let world = OfflineWorld()

    @Test("A save returns after the local write if the server doesn't answer, and the model gets the late answer")
    func lateAnswer() async throws {
        let isReleased = Locked(false)
        let ended = Locked(0)
        let client = NetworkClient(
            transport: StubTransport { request throws(NetworkError) in
                defer { ended.withLock { $0 += 1 } }
                do { try await until { isReleased.withLock { $0 } } } catch {
                    throw NetworkError(wrapping: error)
                }
                let body = request.body.inMemory.map { String(decoding: $0, as: UTF8.self) } ?? ""
                return body.contains("bad")
                    ? .status(422) : .json("{\"id\": 7, \"t\": \"milk\"}", status: 201)
            })
        let sync = try OfflineSync(RESTSync(client), folder: folder.path, schema: schema)
        let notes = ModelCollection(schema: schema, sync: sync)
        let milk = try await notes.create(["t": "milk"])
        let bad = try await notes.create(["t": "bad"])
        #expect(ended.withLock { $0 } == 0, "both are stored, and the first request still waits for its answer")
        #expect(milk.idText?.hasPrefix("local-") == true && sync.pending.count == 2 && notes.count == 2)
        #expect(folder.files(".record").count == 2)
        isReleased.withLock { $0 = true }
        try await sync.drain()
        #expect(milk.id == 7 && notes[id: "7"] === milk)
        #expect(sync.pending.map { $0.failure?.code } == [.validationFailed] && bad.idText?.hasPrefix("local-") == true)
    }

    @Test("Reading the queue doesn't wait for files")
    func pendingDuringWrite() async throws {
        server.go(.offline)
        let sync = try open()
        let milk = note(sync, ["t": "milk"])
        try await milk.save()
        // Another holder of the lock delays the next write of the record.
        let file = try #require(folder.files(".record").first) + ".lock"
        let descriptor = Foundation.open(file, O_RDWR | O_CREAT, 0o600)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let began = Locked(false)
        let saving = Task {
            began.withLock { $0 = true }
            try await milk.save(["t": "cream"])
        }
        try await until { began.withLock { $0 } }
        // The write begins soon, and can't end.
        for _ in 0..<200 {
            #expect(sync.pending.map { $0.mine["t"] } == ["milk"])
            usleep(1000)
        }
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try await saving.value
        #expect(sync.pending.map { $0.mine["t"] } == ["cream"])
    }

    @Test("Adding and removing many models takes linear time")
    func manyModels() throws {
        let ratio = try growth(from: 1_000, to: 8_000, limit: 24) { count in
            (0..<count).map { Model(["id": JSONEntity($0), "n": JSONEntity($0 * 7919 % count)]) }
        } _: { models in
            let collection = ModelCollection(sortedBy: { $0["n"].int(0) < $1["n"].int(0) })
            try collection.add(models)
            #expect(collection.count == models.count && collection.pluck("n").first == 0)
            collection.remove(models)
            #expect(collection.isEmpty && collection[id: "1"] == nil)
        }
        // Eight times as many models take 8 times as long; with quadratic time, 64 times.
        #expect(ratio < 24)
    }
}
