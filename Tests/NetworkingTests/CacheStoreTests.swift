import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

private func key(_ name: String) -> CacheKey {
    CacheKey(HTTPURL(scheme: .https, host: "h", port: nil, path: "/" + name))
}

extension CacheStore {
    fileprivate func set(_ key: CacheKey, _ record: CacheRecord) async { await update(key) { _ in record } }
}

/// The keys and stores of a cache, in memory and in a folder.
@Suite(.timeLimit(.minutes(3))) struct CacheStoreTests {
    private static func record(_ text: String, bytes: Int = 0) -> CacheRecord {
        let entry = CacheEntry(
            status: 200, headers: ["Cache-Control": "max-age=60", "X-\u{e9}": "\u{e9}", "A": ""],
            body: Array(text.utf8) + [UInt8](repeating: 0, count: bytes),
            varying: [.init(name: "x", value: nil), .init(name: "y", value: "")], requested: -1, received: .max)
        return CacheRecord(variants: [entry, entry])
    }

    @Test(
        "Equal keys mean the same request line to the same server",
        arguments: [
            ("http://h/a", "http://h:80/a#x", true), ("http://H/a", "http://h/a", true),
            ("http://h", "http://h/", true),
            ("http://h/a", "https://h/a", false), ("http://h/a", "http://h:81/a", false),
            ("http://h/a", "http://i/a", false), ("http://h/a", "http://h/A", false),
            ("http://h/a", "http://h/a?", false),
            ("http://h/a?b", "http://h/a?c", false),
        ])
    func keys(a: String, b: String, areEqual: Bool) throws {
        let (urlA, urlB) = (try HTTPURL(a), try HTTPURL(b))
        let (a, b) = (CacheKey(urlA), CacheKey(urlB))
        #expect((a == b) == areEqual && (a.hash == b.hash) == areEqual)
        #expect(!areEqual || (a.hashValue == b.hashValue && CacheKey.bucket(of: urlA) == CacheKey.bucket(of: urlB)))
    }

    /// Waits until a file that is written has another time than one that was written before.
    private func waitForNextFileTime() async throws {
        let probe = NSTemporaryDirectory() + "net-cache-probe-\(UUID())"
        defer { unlink(probe) }
        func time() throws -> FileSignature.Time {
            try Data().write(to: URL(fileURLWithPath: probe))
            return try #require(FileStatus(probe)).signature.modified
        }
        let first = try time()
        try await until { try time() != first }
    }

    @Test("The least recently used responses are removed first, in memory and in a folder", arguments: [true, false])
    func leastRecentlyUsed(isMemory: Bool) async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store: any CacheStore =
            isMemory ? MemoryCacheStore(limit: 100_000) : try DirectoryCacheStore(folder, limit: 100_000)
        for number in 0..<10 {
            await store.set(key("\(number)"), Self.record("\(number)", bytes: 4000))
            if !isMemory { try await waitForNextFileTime() }
        }
        #expect(store.recordNow(key("0")) != nil)
        if !isMemory { try await waitForNextFileTime() }
        for number in 10..<13 { await store.set(key("\(number)"), Self.record("\(number)", bytes: 4000)) }
        #expect(
            store.recordNow(key("0")) != nil && store.recordNow(key("1")) == nil && store.recordNow(key("2")) == nil)
        #expect(store.recordNow(key("3")) != nil && store.recordNow(key("12")) != nil)
        await store.set(key("huge"), Self.record("huge", bytes: 20_000))
        #expect(store.recordNow(key("huge")) == nil)
        store.removeNow(nil)
        #expect(store.recordNow(key("12")) == nil && store.recordNow(key("0")) == nil)
    }

    @Test("A record survives the file, and every damaged file is no record")
    func coding() throws {
        let record = Self.record("body \u{1F600}")
        let bytes = try CacheRecordCoding.encode("key", record)
        let decoded = try #require(CacheRecordCoding.decode(bytes))
        #expect(decoded.key == "key" && decoded.record == record)
        for count in 0..<bytes.count { #expect(CacheRecordCoding.decode(Array(bytes[..<count])) == nil) }
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(CacheRecordCoding.decode(damaged) == nil)
        }
        #expect(CacheRecordCoding.decode(bytes + [0]) == nil)
    }

    @Test("A folder's responses survive the process, damaged files are misses, and other files remain")
    func folder() async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())/deep"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stub = StubTransport { _ in
            StubResponse(status: 200, headers: ["Cache-Control": "max-age=60"], chunks: [Array("one".utf8)])
        }
        func get(_ cache: ResponseCache) async throws -> [UInt8] {
            var configuration = ClientConfiguration()
            configuration.cache = cache
            return try await NetworkClient(configuration, transport: stub).get("https://h/").bytes
        }
        _ = try await get(ResponseCache(DirectoryCacheStore(folder, limit: 1 << 20)))
        let again = ResponseCache(try DirectoryCacheStore(folder, limit: 1 << 20))
        #expect(try await get(again) == Array("one".utf8) && stub.requests.count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        let path = folder + "/" + names[0]
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await get(again) == Array("one".utf8) && stub.requests.count == 2)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
        again.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["notes.txt"])
        #expect(throws: NetworkError.self) { try ResponseCache.directory("/dev/null/cache") }
    }

    @Test("A process that is stopped while it writes to the folder doesn't stop others")
    func stoppedSibling() async throws {
        let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let count = Counter()
        let stub = StubTransport { _ in
            StubResponse(
                headers: ["Cache-Control": "max-age=60, no-cache", "ETag": "\"\(count.next())\""], chunks: [[1]])
        }
        var configuration = ClientConfiguration()
        configuration.cache = try .directory(folder)
        let client = NetworkClient(configuration, transport: stub)
        let request = try NetworkRequest(.get, "http://h/")
        _ = try await client.send(request)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let locks = names.flatMap { [$0, $0 + ".tmp"] }.map { open(folder + "/" + $0, O_RDWR | O_CREAT, 0o600) }
        defer { for lock in locks { close(lock) } }
        for lock in locks { #expect(flock(lock, LOCK_EX | LOCK_NB) == 0) }
        let done = Counter()
        Task {
            _ = try await client.send(request)
            _ = done.next()
        }
        try await until { done.value == 1 }
        #expect(stub.requests.count == 2)
    }

    #if os(Linux)
        @Test("A stopped process that uses the folder delays no request of this one")
        func stoppedProcess() async throws {
            let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let process = folder + ".pid"
            defer { unlink(process) }
            async let child: ExitTest.Result? = #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, process = process as String] in
                try "\(getpid())".write(toFile: process, atomically: true, encoding: .utf8)
                let store = try DirectoryCacheStore(folder, limit: 1 << 20)
                for number in 0..<1_000_000_000 {
                    await store.set(key("\(number % 9)"), CacheStoreTests.record("\(number)", bytes: number % 40_000))
                }
            }
            try await until { FileManager.default.fileExists(atPath: process) }
            let number = try #require(pid_t(String(contentsOfFile: process, encoding: .utf8)))
            let stub = StubTransport { _ in
                StubResponse(headers: ["Cache-Control": "max-age=60"], chunks: [[1]])
            }
            for round in 0..<10 {
                usleep(.random(in: 1000...20_000))
                kill(number, SIGSTOP)
                var configuration = ClientConfiguration()
                configuration.cache = try .directory(folder, bytes: 1 << 20)
                let client = NetworkClient(configuration, transport: stub)
                let began = ContinuousClock.now
                for path in 0..<18 { _ = try await client.get("https://h/\(path / 2)?\(round)") }
                #expect(began.duration(to: .now) < .seconds(18 * 0.2 + 2))
                #expect(stub.requests.count == (round + 1) * 9)
                kill(number, SIGCONT)
            }
            kill(number, SIGKILL)
            _ = await child
        }

        @Test("Writers that are killed leave whole records, while other processes use the folder")
        func killed() async throws {
            let folder = NSTemporaryDirectory() + "net-cache-\(UUID())"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let isLong = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
            let store = try DirectoryCacheStore(folder, limit: 1 << 20)
            for _ in 0..<(isLong ? 200 : 5) {
                await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
                    let store = try DirectoryCacheStore(folder, limit: 1 << 20)
                    for number in 0..<1_000_000 {
                        // Each record is written at least once.
                        if number == 7 {
                            _ = store.recordNow(key("0"))
                            Thread.detachNewThread {
                                usleep(.random(in: 1_000...30_000))
                                kill(getpid(), SIGKILL)
                            }
                        }
                        await store.set(
                            key("\(number % 7)"), CacheStoreTests.record("\(number % 7) ", bytes: number % 40_000))
                    }
                }
                for number in 0..<7 {
                    let record = try #require(store.recordNow(key("\(number)")))
                    #expect(record.variants[0].body.starts(with: Array("\(number) ".utf8)))
                    #expect(record.variants.count == 2)
                }
            }
            await store.set(key("after"), Self.record("after"))
            #expect(store.recordNow(key("after")) != nil)
        }
    #endif
}
