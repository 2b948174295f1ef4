import AshlarAppConfig
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

/// A server whose next responses tests set.
actor StubServer {
    struct Down: Error {}
    var documents: [(text: String, version: String?, signature: [UInt8]?)?] = []
    var asked: [String?] = []

    func serve(_ text: String, version: String? = nil, signature: [UInt8]? = nil) {
        documents.append((text, version, signature))
    }

    func fail() { documents.append(nil) }

    func answer(_ version: String?) throws -> RemoteConfigSource.Response {
        asked.append(version)
        guard let document = documents.isEmpty ? nil : documents.removeFirst() else { throw Down() }
        if let version, version == document.version { return .notModified }
        return .document(Array(document.text.utf8), version: document.version, signature: document.signature)
    }
}

@Suite(.timeLimit(.minutes(5))) struct RemoteConfigSourceTests {
    let server = StubServer()

    func source(
        cache: String? = nil, verify: RemoteConfigSource.Verification? = nil
    ) -> RemoteConfigSource {
        RemoteConfigSource("remote", cache: cache, verify: verify) { [server] in try await server.answer($0) }
    }

    struct Digit: ConfigSettings {
        var n = 0
        static let fields = [ConfigField("n", in: 0...9)]
    }

    func store(_ source: RemoteConfigSource, requiresDigit: Bool = false) throws -> ConfigStore {
        var plan = plan(["ApplicationConfig.json": #"{"n": 0, "title": "base"}"#])
        plan.add(source)
        if requiresDigit { plan.require(Digit.self) }
        return try ConfigStore(loading: plan)
    }

    @Test("A refresh makes a document the content of the source, and explanations contain its age")
    func refreshes() async throws {
        let source = source()
        let store = try store(source)
        await server.serve(#"{"n": 1}"#, version: "a")
        #expect(try await store.refresh().description == "n: 0 → 1")
        #expect(source.status.version == "a" && source.status.error == nil)
        #expect(try store.reload().isEmpty)
        #expect(store.current.explain("n").description.hasPrefix("n = 1\n  from remote:1 (source, "))
        #expect(store.current.explain("n").description.contains(" s old)"))
        #expect(store.current.explain("n").winner?.date == source.status.date)
    }

    @Test("The version is sent with each fetch, and an unmodified document is only confirmed")
    func versions() async throws {
        let source = source()
        let store = try store(source)
        await server.serve(#"{"n": 1}"#, version: "a")
        try await store.refresh()
        let first = try #require(source.status.date)
        await server.serve(#"{"n": 1}"#, version: "a")
        #expect(try await store.refresh().isEmpty)
        #expect(try #require(source.status.date) >= first)
        await server.serve(#"{"n": 2}"#, version: "b")
        await server.serve(#"{"n": 3}"#, version: "c")
        try await source.refresh()
        try await source.refresh()
        #expect(await server.asked == [nil, "a", "a", "b"])
        try store.reload()
        #expect(store.current.int(forKey: "n") == 3)
    }

    @Test(
        "A malformed document leaves the last valid one in use, and the reason is reported",
        arguments: [
            (#"{"n": "#, "the end of the text"), ("[1]", "an object as the root"), ("", "an empty file"),
        ])
    func rejects(text: String, reason: String) async throws {
        let source = source()
        let store = try store(source)
        await server.serve(#"{"n": 1}"#, version: "good")
        try await store.refresh()
        await server.serve(text, version: "bad")
        let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
        #expect(store.current.int(forKey: "n") == 1)
        #expect(source.status.version == "good")
        let stated = try #require(source.status.failure)
        #expect(stated.description.contains(reason), "\(stated)")
        // Reloads for other reasons use the good document.
        #expect(try store.reload().isEmpty)
        await server.serve(#"{"n": 2}"#, version: "better")
        try await store.refresh()
        #expect(store.current.int(forKey: "n") == 2)
        #expect(source.status.error == nil)
    }

    @Test(
        "A document with which a load fails changes no values, and the next one is loaded",
        arguments: [
            (#"{"n": 500}"#, "expected 0 to 9"), (#"{"n": "${none}"}"#, "is not defined"), (#"{"$n": 1}"#, "$n"),
        ])
    func failingLoads(text: String, reason: String) async throws {
        let source = source()
        let store = try store(source, requiresDigit: true)
        await server.serve(#"{"n": 1}"#, version: "good")
        try await store.refresh()
        await server.serve(text, version: "bad")
        let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
        #expect(store.current.int(forKey: "n") == 1)
        #expect(source.status.version == "bad" && source.status.error == nil)
        await server.serve(#"{"n": 2}"#, version: "better")
        try await store.refresh()
        #expect(store.current.int(forKey: "n") == 2 && store.errors.isEmpty)
    }

    @Test("A failed fetch leaves the document active, and the error is in the status")
    func failures() async throws {
        let source = source()
        let store = try store(source)
        await server.fail()
        let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(error?.underlying is StubServer.Down)
        #expect(error?.description == "the fetch failed: Down() (remote)")
        #expect(source.status.failure?.code == .unreadableSource)
        #expect(store.current.int(forKey: "n") == 0)
    }

    @Test("Signatures are verified, for documents of the cache file, too")
    func signatures() async throws {
        let scratch = try TemporaryFolder([:])
        let verify: @Sendable ([UInt8], [UInt8]) throws -> Bool = { document, signature in
            signature == [UInt8(truncatingIfNeeded: document.reduce(0) { $0 &+ Int($1) })]
        }
        func signature(_ text: String) -> [UInt8] {
            let signed = RemoteConfigSource.signedBytes(of: Array(text.utf8), name: "remote")
            return [UInt8(truncatingIfNeeded: signed.reduce(0) { $0 &+ Int($1) })]
        }
        let first = source(cache: scratch.file("cache"), verify: verify)
        let store = try store(first)
        let good = #"{"n": 1}"#
        await server.serve(good)
        await #expect(throws: ConfigError.self) { try await first.refresh() }
        #expect(first.status.failure?.reason == "the document has no signature")
        await server.serve(good, signature: [0])
        await #expect(throws: ConfigError.self) { try await first.refresh() }
        #expect(first.status.failure?.reason == "the signature is wrong")
        await server.serve(good, version: "v", signature: signature(good))
        try await store.refresh()
        #expect(store.current.int(forKey: "n") == 1)
        #expect(source(cache: scratch.file("cache"), verify: verify).status.version == "v")
        let other = source(cache: scratch.file("cache"), verify: { _, _ in false })
        #expect(other.status.version == nil && other.status.failure?.reason == "the signature is wrong")
    }

    @Test("The last valid document is preserved in the cache file; a damaged file has no document")
    func caches() async throws {
        let scratch = try TemporaryFolder([:])
        let path = scratch.file("cache")
        let first = source(cache: path)
        #expect(first.status.error == nil)
        let store = try store(first)
        let text = "{\"n\": 7}\n\n"
        await server.serve(text, version: "ü\n\"v\"")
        try await store.refresh()
        let second = source(cache: path)
        #expect(second.status.version == "ü\n\"v\"")
        let restarted = try self.store(second)
        #expect(restarted.current.int(forKey: "n") == 7)
        #expect(second.status.date == first.status.date)
        let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        for length in whole.indices {
            try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
            let cut = source(cache: path)
            #expect(cut.status.version == nil, "\(length) of \(whole.count) bytes")
            #expect(cut.status.failure?.reason == "the cache file is not a whole document")
        }
        var random = SeededRandom(seed: 31)
        for _ in 0..<200 {
            var damaged = whole
            damaged[damaged.count - text.utf8.count + random.below(text.utf8.count)] ^= UInt8(1 << random.below(8))
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            #expect(source(cache: path).status.version == nil)
        }
    }

    @Test("A document isn't lost while another source can't be read")
    func unrelatedFailures() async throws {
        let scratch = try TemporaryFolder([:])
        try scratch.write("{\"n\": 0}")
        let source = source(cache: scratch.file("cache"))
        var plan = scratch.plan()
        plan.requiredLayers = [.base]
        plan.localFile = scratch.file("local.json")
        plan.add(source)
        let store = try ConfigStore(loading: plan)
        let breakages: [() throws -> Void] = [
            { try scratch.write("{\"n\": ", to: "local.json") }, { try scratch.write("{\"$n\": 1}", to: "local.json") },
            { try FileManager.default.removeItem(atPath: scratch.file()) },
        ]
        for (number, breakFile) in breakages.enumerated() {
            await server.serve("{\"n\": \(number + 1)}", version: "\(number + 1)")
            try breakFile()
            await #expect(throws: ConfigError.self) { try await store.refresh() }
            #expect(store.current.int(forKey: "n") == number)
            #expect(source.status.error == nil && source.status.version == "\(number + 1)")
            try scratch.write("{}", to: "local.json")
            try scratch.write("{\"n\": 0}")
            try store.reload()
            #expect(store.current.int(forKey: "n") == number + 1)
        }
    }

    @Test("The failure of an old fetch doesn't replace the success of a later one")
    func lateFailures() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let calls = Counter()
        let source = RemoteConfigSource("remote") { _ in
            guard calls.next() == 0 else { return .document(Array("{}".utf8), version: "2") }
            enter.yield()
            for await _ in gate { break }
            throw StubServer.Down()
        }
        let late = Task { try await source.refresh() }
        for await _ in entered { break }
        try await source.refresh()
        open.yield()
        await #expect(throws: ConfigError.self) { try await late.value }
        #expect(source.status.error == nil && source.status.version == "2")
    }

    @Test("Odd jitters are permitted", arguments: [Double.nan, -1, 0, 7, .infinity])
    func oddJitters(jitter: Double) async throws {
        let clock = ManualClock(advancesItself: true)
        let source = source()
        let task = Task { await source.refresh(every: .seconds(1), jitter: jitter, clock: clock) }
        try await until { clock.slept.count >= 3 }
        task.cancel()
        await task.value
        #expect(clock.slept.allSatisfy { $0 <= .seconds(2) })
        #expect(clock.slept.allSatisfy { $0 >= .zero && (jitter > 0 || $0 == .seconds(1)) })
    }

    @Test("The document is active even if the cache file can't be written")
    func unwritableCache() async throws {
        let source = source(cache: "/no/such/folder/cache")
        let store = try store(source)
        await server.serve(#"{"n": 1}"#)
        try await store.refresh()
        #expect(store.current.int(forKey: "n") == 1)
        #expect(source.status.failure?.reason?.hasPrefix("can't write the cache file") == true)
    }

    @Test("Periodic refreshes vary by the jitter and end with the task")
    func periodic() async throws {
        let clock = ManualClock(advancesItself: true)
        let source = source()
        let store = try store(source)
        let watch = store.watch()
        for number in 1...50 { await server.serve("{\"n\": \(number)}", version: "\(number)") }
        let task = Task { await source.refresh(every: .seconds(100), jitter: 0.2, clock: clock) }
        await store.wait { $0.int(forKey: "n") == 50 }
        task.cancel()
        await task.value
        watch.cancel()
        let pauses = clock.slept
        #expect(pauses.allSatisfy { $0 > .seconds(79) && $0 <= .seconds(120) })
        #expect(Set(pauses).count > 10)
    }

    @Test("A response that arrives after that of a later fetch isn't used")
    func lateResponses() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let calls = Counter()
        let source = RemoteConfigSource("remote") { _ in
            let number = calls.next() + 1
            if number == 1 {
                enter.yield()
                for await _ in gate { break }
            }
            return .document(Array("{\"n\": \(number)}".utf8), version: "\(number)")
        }
        let late = Task { try await source.refresh() }
        for await _ in entered { break }
        try await source.refresh()
        open.yield()
        try await late.value
        #expect(source.status.version == "2")
    }
}
