import Ashlar
import AshlarAppConfig
import AshlarCore
import AshlarCustomization
import AshlarEventBus
import AshlarLogging
import AshlarNetworking
import AshlarTestSupport
import AshlarTesting
import Foundation
import Testing

@testable import AshlarInspector

/// The items that a page receives.
@Suite struct FeedTests {
    @Test("A ring has the newest items in order, and counts the missed ones")
    func ring() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed: seed)
        for capacity in 1...8 {
            var ring = InspectorRing<Int>(capacity: capacity)
            var all: [Int] = []
            for number in 0..<100 {
                ring.append(number)
                all.append(number)
                let cursor = random.below(number + 3)
                let expected = all.suffix(capacity).filter { $0 >= cursor }
                let (items, missed) = ring.items(from: cursor)
                #expect(items == expected, "seed \(seed)")
                let oldest = max(0, all.count - capacity)
                #expect(missed == (cursor < all.count ? max(0, oldest - cursor) : 0), "seed \(seed)")
            }
            #expect(ring.end == 100)
        }
        #expect(InspectorRing<Int>(capacity: 3).items(from: 0).items == [])
    }

    @Test(
        "A cursor is its text, and other texts aren't cursors",
        arguments: ["", "a", "a-1-2-3", "a-1-2-3-x", "a-1-2-3--4", "a-1-2-3-4-5", "a-1-2-3-99999999999999999999"])
    func cursors(text: String) {
        #expect(InspectorCursor(text) == nil)
        var cursor = InspectorCursor(run: "k3j")
        cursor.line = 5
        cursor.section = 7
        #expect(InspectorCursor(cursor.text) == cursor && cursor.text == "k3j-5-0-0-7")
    }

    private func line(_ text: String, at time: Int64, level: LogLevel = .info) -> LiveLine {
        LiveLine(
            LogRecord(
                sequence: 0, level: level, time: LogTime(nanoseconds: time * 1_000_000), depth: 0, context: "App",
                message: text, fields: [:], file: "F", function: "f", line: 1, threadID: 1))
    }

    @Test("Lines of the run file come before those that were logged meanwhile, each once")
    func earlierLines() {
        let feed = InspectorFeed()
        for (text, time) in [("c", 3), ("d", 3), ("e", 4)] { feed.add(line(text, at: Int64(time))) }
        // The file ends between the two lines of the third millisecond.
        feed.begin(after: [line("a", at: 1), line("b", at: 3), line("c", at: 3)])
        feed.add(line("f", at: 5))
        var cursor = InspectorCursor(run: "")
        #expect(feed.take(after: &cursor).lines.map(\.text) == ["a", "b", "c", "d", "e", "f"])
        #expect(feed.take(after: &cursor).isEmpty)
    }

    @Test("A browser that was away too long misses lines, and knows how many; texts are limited")
    func missed() throws {
        let feed = InspectorFeed()
        feed.begin(after: [])
        for number in 0..<(InspectorFeed.lineLimit + 10) { feed.add(line("\(number)", at: 1)) }
        var cursor = InspectorCursor(run: "")
        let batch = feed.take(after: &cursor)
        #expect(batch.lines.count == InspectorFeed.lineLimit && batch.missed.lines == 10)
        #expect(batch.lines.first?.text == "10" && cursor.line == InspectorFeed.lineLimit + 10)
        feed.add(line(String(repeating: "ä", count: 100_000), at: 1))
        let text = try #require(feed.take(after: &cursor).lines.first?.text)
        #expect(text.utf8.count < 5000 && text.hasSuffix("…"))
    }

    #if os(Linux) || os(macOS)
        @Test(
            "Lines of the program arrive: those before the start, those after, without secrets, and none after the end")
        func lines() async throws {
            let folder = try TemporaryFolder(["en.lproj/Localizable.strings": "", "logs/.keep": ""])
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                var configuration = AshlarApp.Configuration(resources: path, environments: [])
                configuration.storage = .folder(path + "/state")
                configuration.log = LogConfiguration(sinks: [])
                let app = AshlarApp(configuration)
                Log("App").info("before", ["password": "planted"])
                let feed = InspectorFeed()
                var taps: InspectorTaps? = InspectorTaps(feed, to: app)
                Log("App").info("after token=planted1")
                // A second start of the log keeps the tap.
                LogSystem.start(LogConfiguration(folder: path + "/logs", sinks: []))
                Log("App").warning("later")
                var cursor = InspectorCursor(run: "")
                let texts = feed.take(after: &cursor).lines.map(\.text).filter { !$0.contains("thresholds") }
                let isComplete = texts.count == 3 && texts[0].hasPrefix("before") && texts[2] == "later"
                #expect(isComplete && !texts.joined().contains("planted"), "\(texts)")
                taps = nil
                _ = consume taps
                Log("App").info("too late")
                #expect(feed.take(after: &cursor).lines.isEmpty)
            }
        }
    #endif

    @Test("Requests begin and end with their durations; events have their payloads without secrets")
    func requestsAndEvents() async throws {
        let folder = try TemporaryFolder(["en.lproj/Localizable.strings": ""])
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        configuration.transport = StubTransport(["GET /notes": .text("[]")])
        let app = AshlarApp(configuration)
        let feed = InspectorFeed()
        let taps = InspectorTaps(feed, to: app)
        _ = try await app.client.get("https://api.example.com/notes?token=planted")
        _ = try? await app.client.get("https://api.example.com/absent")
        app.bus.trigger("user:login", ["name": "Ann", "password": "planted"])
        app.bus.trigger("user:opened", "https://h/p?token=planted&page=2")
        app.bus.trigger("user:moved", ["url": "https://h/p?token=planted&page=2"])
        var cursor = InspectorCursor(run: "")
        let batch = feed.take(after: &cursor)
        #expect(batch.requests.map { $0.duration == nil } == [true, false, true, false])
        #expect(batch.requests[1].status == 200 && batch.requests[1].id == batch.requests[0].id)
        #expect(batch.requests[3].error != nil && batch.requests[0].url.contains("/notes"))
        let event = try #require(batch.events.first { $0.name == "user:login" })
        #expect(event.payload?.contains("Ann") == true && event.time != nil && event.location != nil)
        #expect(!String(decoding: try JSONEntity(encoding: batch).bytes(), as: UTF8.self).contains("planted"))
        withExtendedLifetime(taps) {}
    }

    @Test("Requests have the phases of their last exchange, which are measured while the inspector runs only")
    func phases() async throws {
        let server = try TestServer()
        for _ in 0..<3 { server.enqueue(.text("[]")) }
        let folder = try TemporaryFolder(["en.lproj/Localizable.strings": ""])
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        let measured = Locked(0)
        let app = AshlarApp(configuration)
        let number = app.exchangeTaps.add { _ in measured.withLock { $0 += 1 } }
        _ = try await app.client.get(server.url + "/first")
        app.exchangeTaps.remove(number)
        let feed = InspectorFeed()
        var taps: InspectorTaps? = InspectorTaps(feed, to: app)
        _ = try await app.client.get(server.url + "/notes")
        var cursor = InspectorCursor(run: "")
        let end = try #require(feed.take(after: &cursor).requests.last)
        let timings = try #require(end.timings)
        #expect(end.size == 2 && timings["wait"].double(0) > 0 && timings["receive"].double(-1) >= 0)
        let names = ["blocked", "dns", "connect", "send", "wait", "receive"]
        let sum = names.reduce(0) { $0 + max(0, timings[$1].double(0)) }
        #expect(sum <= (end.duration ?? 0) + 1)
        taps = nil
        _ = consume taps
        _ = try await app.client.get(server.url + "/last")
        #expect(feed.take(after: &cursor).isEmpty && measured.withLock { $0 } == 1)
    }

    @Test("Only changed sections are sent")
    func sections() async throws {
        let folder = try TemporaryFolder([
            "en.lproj/Localizable.strings": "", "ApplicationConfig.json": #"{"a": 1, "b": 2}"#,
        ])
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        let app = AshlarApp(configuration)
        let sections = InspectorSections()
        var cursor = InspectorCursor(run: "")
        let first = await sections.changes(of: app, after: &cursor)
        #expect(Set(first.keys) == ["configuration", "strings", "hosts", "routes", "services"])
        #expect(await sections.changes(of: app, after: &cursor).isEmpty)
        app.config.update { $0["a"] = 5 }
        try app.router.route("/new") { _ in }
        var other = InspectorCursor(run: "")
        let changed = await sections.changes(of: app, after: &cursor)
        #expect(Set(changed.keys) == ["configuration", "routes"])
        // Another browser receives all of them.
        #expect(await sections.changes(of: app, after: &other).count == 5 && other == cursor)
        #expect(await sections.changes(of: app, after: &cursor).isEmpty)
    }
}
