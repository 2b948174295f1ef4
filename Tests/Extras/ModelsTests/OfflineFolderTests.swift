import AshlarCore
import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarModels

/// The folder of an offline sync: damage, neighbours, other processes, and a full disk.
@Suite(.timeLimit(.minutes(5))) struct OfflineFolderTests {
    private let folder = TemporaryFolder()

    static func sync(_ path: String, _ server: RecordServer = offline) throws -> OfflineSync {
        try OfflineSync(server.sync, folder: path)
    }

    static var offline: RecordServer {
        let server = RecordServer()
        server.go(.offline)
        return server
    }

    static func note(_ sync: OfflineSync, _ attributes: [String: JSONEntity]) -> Model {
        Model(attributes, schema: ModelSchema(host: "h", path: "notes"), sync: sync)
    }

    @Test("A damaged file is reported and remains, and the other records are read")
    func damage() async throws {
        do {
            let sync = try Self.sync(folder.path)
            try await Self.note(sync, ["t": "milk"]).save()
            try await Self.note(sync, ["t": "bread"]).save()
        }
        let file = try #require(folder.files(".record").first)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        var damaged = [[], Array("{}".utf8), bytes + [0x20]] as [[UInt8]]
        for count in stride(from: 1, to: bytes.count, by: 7) { damaged.append(Array(bytes[..<count])) }
        for index in stride(from: 0, to: bytes.count, by: 5) {
            var copy = bytes
            copy[index] ^= 1
            damaged.append(copy)
        }
        for content in damaged {
            try Data(content).write(to: URL(fileURLWithPath: file))
            let sync = try Self.sync(folder.path)
            #expect(sync.unreadableFiles == [file] && sync.pending.count == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(content))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        #expect(try Self.sync(folder.path).pending.count == 2)
    }

    @Test("Other files and folders remain, and files that a killed writer left are removed")
    func neighbours() async throws {
        do { try await Self.note(try Self.sync(folder.path), ["t": "milk"]).save() }
        let record = try #require(folder.files(".record").first)
        for name in ["notes.txt", "a.tmp", "x.list"] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        try Data("half".utf8).write(to: URL(fileURLWithPath: record + ".tmp"))
        let directory = folder.path + "/sub.record"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let sync = try Self.sync(folder.path)
        #expect(sync.pending.count == 1 && sync.unreadableFiles == [directory])
        #expect(folder.names.filter { $0.hasSuffix(".tmp") } == ["a.tmp"])
        #expect(Set(folder.names).isSuperset(of: ["notes.txt", "x.list", "sub.record", "lock"]))
        let attributes = try FileManager.default.attributesOfItem(atPath: record)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test("A folder belongs to one sync at a time, in this process and in others")
    func locking() async throws {
        do {
            let sync = try Self.sync(folder.path)
            let second = #expect(throws: NetworkError.self) { try Self.sync(folder.path) }
            #expect(second?.code == .fileFailed && second?.file == folder.path)
            #expect(second?.message == "another sync uses the folder")
            #if os(Linux)
                await #expect(processExitsWith: .success) { [path = folder.path as String] in
                    #expect(throws: NetworkError.self) { try OfflineFolderTests.sync(path) }
                }
            #endif
            withExtendedLifetime(sync) {}
        }
        _ = try Self.sync(folder.path)
        for path in ["/dev/null", "/dev/null/x", ""] {
            let error = #expect(throws: NetworkError.self) { try Self.sync(path) }
            #expect(error?.code == .fileFailed && error?.file == path, "\(String(describing: error))")
        }
    }

    @Test("Without a lasting lock, the last one to open a folder owns it, and no lock remains between operations")
    func claims() throws {
        try folder.make()
        let first = try FolderClaim(folder.path, holdsLock: false)
        #expect(try first.use { () throws(FileFailure) in 1 } == 1)
        let lock = try FileLock.attempt(folder.path + "/lock")
        #expect(lock != nil)
        lock.map { withExtendedLifetime($0) {} }
    }

    @Test("A sync that another one has replaced changes no file")
    func takeover() throws {
        try folder.make()
        let first = try FolderClaim(folder.path, holdsLock: false)
        let second = try FolderClaim(folder.path, holdsLock: false)
        #expect(throws: FileFailure.self) { try first.use { () throws(FileFailure) in } }
        #expect(try second.use { () throws(FileFailure) in 2 } == 2)
    }

    @Test("A change that can't be stored isn't sent, and the operation fails")
    func missingFolder() async throws {
        let server = RecordServer()
        let sync = try Self.sync(folder.path, server)
        let model = Self.note(sync, ["t": "milk"])
        try await model.save()
        try FileManager.default.removeItem(atPath: folder.path)
        _ = server.takeLog()
        let error = await #expect(throws: NetworkError.self) { try await model.save(["t": "cream"]) }
        #expect(error?.code == .fileFailed && server.takeLog() == [] && sync.pending.isEmpty)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try await model.save()
        #expect(server.texts == [1: #"{"id":1,"t":"cream"}"#])
    }

    #if os(Linux)
        @Test("On a full disk, operations fail, nothing is lost, and later operations succeed")
        func fullDisk() async throws {
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                signal(SIGXFSZ, SIG_IGN)
                let server = RecordServer()
                let sync = try OfflineFolderTests.sync(path, server)
                let model = OfflineFolderTests.note(sync, ["t": "milk"])
                try await model.save()
                server.go(.offline)
                try await model.save(["t": "cream"])
                var limit = rlimit(rlim_cur: 100, rlim_max: .max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let error = await #expect(throws: NetworkError.self) { try await model.save(["t": "butter"]) }
                #expect(error?.code == .fileFailed && sync.pending.map { $0.mine["t"] } == ["cream"])
                server.go(nil)
                // The change is marked as sent already, so it is sent, but its removal can't be stored.
                let full = await #expect(throws: NetworkError.self) { try await sync.drain() }
                #expect(full?.code == .fileFailed && sync.pending.count == 1)
                limit.rlim_cur = .max
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                try await sync.drain()
                #expect(sync.pending.isEmpty && server.texts == [1: #"{"id":1,"t":"cream"}"#])
                #expect(server.state.withLock { $0.effects } == 2)
            }
            #expect(try Self.sync(folder.path).pending.isEmpty)
        }
    #endif
}

#if os(Linux)
    /// Processes that are killed while they store or send changes.
    @Suite(.timeLimit(.minutes(20))) struct OfflineCrashTests {
        private static let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
        private static let kills = isLong ? 200 : 8
        private let folder = TemporaryFolder()

        /// Kills this process after a random time.
        private static func killSoon(_ range: ClosedRange<UInt32>) {
            Thread.detachNewThread {
                usleep(.random(in: range))
                kill(getpid(), SIGKILL)
            }
        }

        private static func append(_ line: String, to path: String) {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            _ = Array((line + "\n").utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            close(descriptor)
        }

        private static func lines(_ path: String) -> [String] {
            ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        }

        @Test("A process that is killed while it stores leaves the old or the new record, and loses no stored change")
        func storing() async throws {
            let (path, done) = (folder.path, folder.path + "-done")
            defer { try? FileManager.default.removeItem(atPath: done) }
            for round in 0..<Self.kills {
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, done = done as String] in
                    let sync = try OfflineFolderTests.sync(path)
                    OfflineCrashTests.killSoon(3_000...40_000)
                    for number in 0..<1_000_000 {
                        let text = String(repeating: "\(number % 10)", count: number % 3000)
                        let attributes: [String: JSONEntity] = [
                            "id": JSONEntity(number % 5), "n": JSONEntity(number), "count": JSONEntity(text.count),
                            "text": JSONEntity(text),
                        ]
                        try await OfflineFolderTests.note(sync, attributes).save()
                        OfflineCrashTests.append("\(number)", to: done)
                    }
                }
                let sync = try OfflineFolderTests.sync(path)
                #expect(sync.unreadableFiles.isEmpty, "round \(round)")
                let last = Self.lines(done).compactMap { Int($0) }.last ?? -1
                var newest: [Int: Int] = [:]
                for change in sync.pending {
                    let (mine, number) = (change.mine, change.mine["n"].int(-1))
                    #expect(mine["text"].string() == String(repeating: "\(number % 10)", count: mine["count"].int(-1)))
                    newest[mine["id"].int(-1)] = number
                }
                for number in max(0, last - 4)..<max(0, last + 1) {
                    #expect((newest[number % 5] ?? -1) >= number, "round \(round)")
                }
                try sync.removeAll()
                try? FileManager.default.removeItem(atPath: done)
            }
        }

        @Test("A process that is killed while it sends repeats at most the last change, under the same key, in order")
        func sending() async throws {
            let (path, log) = (folder.path, folder.path + "-log")
            defer { try? FileManager.default.removeItem(atPath: log) }
            let count = 60
            for round in 0..<(Self.kills / 4) {
                do {
                    let sync = try OfflineFolderTests.sync(path)
                    for number in 0..<count {
                        try await OfflineFolderTests.note(sync, ["n": JSONEntity(number)]).save()
                    }
                }
                var restarts = 0
                repeat {
                    restarts += 1
                    _ = try await Self.drained(path, log)
                } while !(try OfflineFolderTests.sync(path).pending.isEmpty) && restarts < 200
                // Each line has a key and a number.
                var (keys, numbers) = ([String: String](), [Int]())
                for line in Self.lines(log) {
                    let parts = line.split(separator: " ").map(String.init)
                    if let old = keys[parts[0]] {
                        #expect(
                            old == parts[1] && numbers.last == Int(parts[1]), "round \(round): only the last change")
                    } else {
                        keys[parts[0]] = parts[1]
                        numbers.append(Int(parts[1]) ?? -1)
                    }
                }
                #expect(numbers == Array(0..<count), "round \(round) after \(restarts) starts")
                try? FileManager.default.removeItem(atPath: log)
                try? FileManager.default.removeItem(atPath: path)
            }
        }

        /// Drains in a process that is killed, and whose server notes each change before it answers.
        private static func drained(_ path: String, _ log: String) async throws -> Bool {
            await #expect(processExitsWith: .failure) { [path = path as String, log = log as String] in
                let client = NetworkClient(
                    transport: StubTransport { request in
                        let body = try? JSONEntity(parsing: request.body.inMemory ?? [])
                        let number = body?["n"].int(-1) ?? -1
                        OfflineCrashTests.append("\(request.headers["Idempotency-Key"] ?? "-") \(number)", to: log)
                        return .json("{\"id\": \(number + 1)}", status: 201)
                    })
                let sync = try OfflineSync(RESTSync(client), folder: path)
                OfflineCrashTests.killSoon(1_000...60_000)
                try await sync.drain()
                exit(1)
            }
            return true
        }
    }
#endif
