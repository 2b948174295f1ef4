import AshlarAppConfig
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

// Which documents a source accepts, and when.
extension RemoteConfigSourceTests {
    @Test("Every refresh of a watched store reports its document, and returns after it is stored")
    func watchedRefreshes() async throws {
        let scratch = try TemporaryFolder([:])
        let source = source(cache: scratch.file("cache"))
        let store = try store(source)
        let watch = store.watch()
        for round in 0..<rounds(40, soak: 2_000) {
            let isGood = round % 2 == 0
            await server.serve(isGood ? "{\"round\": \(round)}" : "{", version: "\(round)")
            if isGood {
                try await store.refresh()
                #expect(store.current.int(forKey: "round") == round)
                #expect(self.source(cache: scratch.file("cache")).status.version == "\(round)")
            } else {
                await #expect(throws: ConfigError.self, "round \(round)") { try await store.refresh() }
                #expect(store.current.int(forKey: "round") == round - 1)
                #expect(self.source(cache: scratch.file("cache")).status.version == "\(round - 1)")
            }
        }
        watch.cancel()
    }

    @Test("Two watched stores that share a source agree after good, bad and failed refreshes in random order")
    func sharedSource() async throws {
        let seed: UInt64 = 91
        var random = SeededRandom(seed: seed)
        let scratch = try TemporaryFolder([:])
        let source = source(cache: scratch.file("cache"))
        let stores = [try store(source), try store(source)]
        let watches = stores.map { $0.watch() }
        var last = 0
        for round in 0..<rounds(60, soak: 3_000) {
            let store = stores[random.below(2)]
            switch random.below(4) {
            case 0:
                await server.fail()
                await #expect(throws: ConfigError.self, "seed \(seed), round \(round)") { try await store.refresh() }
            case 1:
                await server.serve("{", version: "bad \(round)")
                await #expect(throws: ConfigError.self, "seed \(seed), round \(round)") { try await store.refresh() }
            default:
                last = round % 10
                await server.serve("{\"n\": \(last), \"round\": \(round)}", version: "\(round)")
                try await store.refresh()
            }
            #expect(store.current.int(forKey: "n") == last, "seed \(seed), round \(round)")
        }
        let final = last
        for store in stores { await store.wait { $0.int(forKey: "n") == final } }
        for watch in watches { watch.cancel() }
        #expect(self.source(cache: scratch.file("cache")).status.version == source.status.version)
    }

    @Test("A stored document isn't blamed for an error of a file")
    func storedDocumentStays() async throws {
        let scratch = try TemporaryFolder([:])
        let first = source(cache: scratch.file("cache"))
        await server.serve(#"{"title": "remote"}"#, version: "1")
        try await store(first).refresh()
        let second = source(cache: scratch.file("cache"))
        var plan = plan(["ApplicationConfig.json": #"{"n": 500}"#])
        plan.require(Digit.self)
        plan.add(second)
        #expect(throws: ConfigError.self) { try ConfigStore(loading: plan) }
        #expect(second.status.version == "1" && second.status.error == nil)
        // Declared settings that the files themselves don't match don't stop a start, nor reject the document.
        var declaring = AshlarRemoteTests.plan(["ApplicationConfig.json": #"{"n": 500}"#])
        declaring.declare(Digit.self)
        let third = source(cache: scratch.file("cache"))
        declaring.add(third)
        #expect(try ConfigStore(loading: declaring).current.string(forKey: "title") == "remote")
        #expect(third.status.version == "1" && third.status.error == nil)
        plan.files = .memory(["ApplicationConfig.json": #"{"n": 5}"#])
        #expect(try ConfigStore(loading: plan).current.string(forKey: "title") == "remote")
    }

    @Test("An older document with a valid signature is refused, also after a restart")
    func revisions() async throws {
        let scratch = try TemporaryFolder([:])
        let first = source(cache: scratch.file("cache"), verify: { _, _ in true })
        let store = try store(first)
        func serve(_ text: String) async { await server.serve(text, version: text, signature: [1]) }
        await serve(#"{"n": 1}"#)
        try await store.refresh()
        await serve(#"{"n": 2, "$revision": 5}"#)
        try await store.refresh()
        #expect(store.current["$revision"] == nil)
        for old in [#"{"n": 9, "$revision": 4}"#, #"{"n": 9}"#, #"{"n": 9, "$revision": -1}"#] {
            await serve(old)
            let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
            #expect((error?.underlying as? RemoteError)?.code == .outdated)
        }
        for bad in [#"{"$revision": "x"}"#, #"{"$revision": 1.5}"#] {
            await serve(bad)
            await #expect(throws: ConfigError.self) { try await store.refresh() }
        }
        #expect(store.current.int(forKey: "n") == 2)
        let second = source(cache: scratch.file("cache"), verify: { _, _ in true })
        let restarted = try self.store(second)
        await serve(#"{"n": 9, "$revision": 4}"#)
        await #expect(throws: ConfigError.self) { try await restarted.refresh() }
        await serve(#"{"n": 3, "$revision": "2026-01-02T00:00:00Z"}"#)
        try await restarted.refresh()
        await serve(#"{"n": 9, "$revision": "2026-01-01"}"#)
        await #expect(throws: ConfigError.self) { try await restarted.refresh() }
        #expect(restarted.current.int(forKey: "n") == 3)
    }

    @Test(
        "Revisions compare exactly: 64-bit integers, and dates to the nanosecond",
        arguments: [
            ("9007199254740992", "9007199254740993"), ("9223372036854775806", "9223372036854775807"),
            ("9223372036854775807", "9223372036854775808"), ("18446744073709551614", "18446744073709551615"),
            ("-9007199254740993", "-9007199254740992"), ("-9223372036854775808", "-9223372036854775807"),
            (#""2026-11-28T15:00:00.000000001Z""#, #""2026-11-28T15:00:00.000000002Z""#),
            (#""2026-11-28T15:00:00.999999999Z""#, #""2026-11-28T15:00:01Z""#),
            (#""1999-11-28T15:00:00.123456788Z""#, #""1999-11-28T16:00:00.123456789+01:00""#),
            ("817570800", #""2026-11-28T15:00:00.000000001Z""#), (#""2026-11-28T14:59:59.999999999Z""#, "817570800"),
        ])
    func exactRevisions(lower: String, higher: String) async throws {
        let scratch = try TemporaryFolder([:])
        let (first, second) = (source(cache: scratch.file("cache")), source(cache: scratch.file("cache")))
        func serve(_ revision: String) async {
            await server.serve("{\"$revision\": \(revision)}", version: revision)
        }
        for revision in [lower, higher] {
            await serve(revision)
            try await first.refresh()
        }
        await serve(lower)
        let error = await #expect(throws: ConfigError.self) { try await first.refresh() }
        #expect((error?.underlying as? RemoteError)?.code == .outdated)
        // Another process that fetches the lower one doesn't replace the stored one.
        await serve(lower)
        try await second.refresh()
        #expect(second.status.version == lower)
        #expect(source(cache: scratch.file("cache")).status.version == higher)
    }

    @Test(
        "A revision that doesn't compare exactly is refused",
        arguments: [
            "18446744073709551616", "-9223372036854775809", "1.5", "1e3", "true", #""x""#, "[1]",
            #""2026-11-28T15:00:00.0000000001Z""#, #""2026-02-30""#,
        ])
    func malformedRevisions(revision: String) async throws {
        let source = source()
        await server.serve("{\"$revision\": \(revision)}", version: "1")
        await #expect(throws: ConfigError.self) { try await source.refresh() }
        #expect(source.status.version == nil)
    }

    @Test("A date that no clock shows has no age", arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func dates(seconds: Double) throws {
        struct Dated: ConfigSource {
            let name = "dated"
            let seconds: Double
            func content() -> ConfigSourceContent {
                var content = ConfigSourceContent.bytes(Array(#"{"n": 1}"#.utf8))
                content.date = { Date(timeIntervalSinceReferenceDate: seconds) }
                return content
            }
        }
        var plan = plan([:])
        plan.add(Dated(seconds: seconds))
        #expect(try ApplicationConfig.load(plan).explain("n").description == "n = 1\n  from dated:1 (source)")
    }
}
