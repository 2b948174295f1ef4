import Ashlar
import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

private let requirement = "nats-server and libnats3.4 are not installed"

/// An app with a configuration file and settings of a fleet.
private func makeApp(_ folder: TemporaryFolder, cache: String? = nil) throws -> AshlarApp {
    try folder.make()
    try folder.write(#"{"api": {"timeout": 24, "host": "a"}}"#, to: "ApplicationConfig.json")
    return makeApp(in: folder.path, cache: cache)
}

private func makeApp(in path: String, cache: String?) -> AshlarApp {
    var configuration = AshlarApp.Configuration(resources: path, environments: [], log: nil)
    configuration.storage = .memory
    configuration.fleet = FleetSettings(cache: cache)
    return AshlarApp(configuration)
}

private func connect(
    _ apps: [AshlarApp], to server: NatsServer, options: FleetOptions = FleetOptions()
) async throws -> [Fleet] {
    var fleets: [Fleet] = []
    for app in apps { fleets.append(try await Fleet.connect(app, to: server.url, options: options)) }
    return fleets
}

@Suite("Shared settings", .enabled(if: NatsServer.isAvailable, "\(requirement)"), .timeLimit(.minutes(3)))
struct SettingsTests {
    @Test("A change reaches every process, is explained, and its removal restores the file's value")
    func change() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let apps = try (0..<3).map { _ in try makeApp(folder) }
        let fleets = try await connect(apps, to: server)
        defer { withExtendedLifetime(fleets) {} }
        try await fleets[0].set("api.timeout", to: 5)
        for app in apps {
            try await until { app.config.current.int(forKey: "api.timeout") == 5 }
            #expect(app.config.current.string(forKey: "api.host") == "a")
            let text = app.explain("api.timeout")
            #expect(text.contains("bucket app_settings, key config.api.timeout, revision 1, 20"), "\(text)")
        }
        try await fleets[1].set("api.names", to: ["x", "y"])
        for app in apps {
            try await until { app.config.current.value(forKey: "api.names") == ["x", "y"] }
        }
        try await fleets[2].remove("api.timeout")
        for app in apps { try await until { app.config.current.int(forKey: "api.timeout") == 24 } }
        await #expect(throws: FleetError.self) { try await fleets[0].set("api timeout", to: 1) }
        await #expect(throws: FleetError.self) { try await fleets[0].set("a..b", to: 1) }
    }

    @Test(
        "A value above or below another one that isn't a dictionary is an error, and the bucket doesn't change",
        arguments: [
            ("x.n", "1", "x.n.y", "1", false), ("x.n.y", "1", "x.n", "1", false),
            ("x", #"{"n": 1}"#, "x.n.y", "1", false), ("x", "1", "x.n.y", "1", false),
            ("x", #"{"m": 1}"#, "x.n.y", "1", true), ("x", #"{"n": {}}"#, "x.n.y", "1", true),
            ("x.n.y", "1", "x.n", #"{"z": 1}"#, true), ("x.n", "1", "x.ny", "1", true),
            ("x.n.y", "1", "x.n.y", "2", true), ("x", #"{"n": {"y": 1}}"#, "x.n.y", "2", true),
        ])
    func neighbors(first: String, value: String, second: String, other: String, isPossible: Bool) async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let fleet = try await connect([makeApp(folder)], to: server)[0]
        defer { withExtendedLifetime(fleet) {} }
        try await fleet.set(first, to: try JSONEntity(parsing: value))
        let new = try JSONEntity(parsing: other)
        if isPossible { return try await fleet.set(second, to: new) }
        let error = await #expect(throws: FleetError.self) { try await fleet.set(second, to: new) }
        #expect(error?.code == .conflict)
        #expect(error?.reason.contains("'config.\(first)'") == true)
        #expect(try await fleet.settingsBucket.entry("config." + second) == nil)
        // Without the first one, the second one is possible.
        try await fleet.remove(first)
        try await fleet.set(second, to: new)
    }

    @Test("The last good values survive a start without a server, and malformed ones never replace them")
    func cache() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let cache = folder.path + "/fleet.json"
        do {
            let app = try makeApp(folder, cache: cache)
            let fleet = try await Fleet.connect(app, to: server.url)
            defer { withExtendedLifetime(fleet) {} }
            try await fleet.set("api.timeout", to: 7)
            try await until { app.config.current.int(forKey: "api.timeout") == 7 }
            // Foreign content of the bucket.
            _ = try await fleet.settingsBucket.put(Array("{broken".utf8), for: "config.api.host")
            _ = try await fleet.settingsBucket.put([0, 255], for: "config.other")
            try await fleet.set("api.timeout", to: 8)
            try await fleet.set("last", to: 1)
            try await until { (try? String(contentsOfFile: cache, encoding: .utf8))?.contains("config.last") == true }
            #expect(app.config.current.int(forKey: "api.timeout") == 8)
            #expect(app.config.current.string(forKey: "api.host") == "a")
            await fleet.close()
        }
        server.kill()
        #if os(Linux) || os(macOS)
            // Another process has hash seeds of its own.
            await #expect(processExitsWith: .success) { [path = folder.path as String, cache = cache as String] in
                try #require(makeApp(in: path, cache: cache).config.current.int(forKey: "api.timeout") == 8)
            }
        #endif
        let app = try makeApp(folder, cache: cache)
        #expect(app.config.current.int(forKey: "api.timeout") == 8)
        let fleet = try await Fleet.connect(app, to: server.url)
        defer { withExtendedLifetime(fleet) {} }
        guard case .reconnecting = fleet.state else {
            Issue.record("\(fleet.state)")
            return
        }
        await #expect(throws: FleetError.self) { try await fleet.set("api.timeout", to: 1) }
        try server.start()
        try await until { if case .connected = fleet.state { true } else { false } }
        // The malformed values, which the bucket still contains, don't hinder others.
        try await fleet.set("api.timeout", to: 9)
        try await until { app.config.current.int(forKey: "api.timeout") == 9 }
        #expect(app.config.current.string(forKey: "api.host") == "a")
    }

    @Test(
        "A foreign value of one key hinders no other key, also in a process that starts later",
        arguments: [
            ("config.api", "5"), ("config.api", "[1, 2]"), ("config.api", "null"), ("config.api.timeout.x", "1"),
            ("config.api.host", "100,000 brackets"), ("config.api.host", "\u{FEFF}{"),
            ("config.a/b", "1"), ("config.a=b.-", "1"), ("config.0.1", "1"), ("config.config", "1"), ("config", "1"),
            ("hosts", "QA"), ("hosts.a/b", "QA"), ("config.big", "1e999"),
            ("config.long." + String(repeating: "a.", count: 100) + "a", "1"), ("config.ref", #""${api.timeout}""#),
            ("config.ref", #""${missing}""#), ("config.ref", #""${ref}""#),
        ])
    func foreign(key: String, value: String) async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let first = try makeApp(folder)
        let fleet = try await Fleet.connect(first, to: server.url)
        defer { withExtendedLifetime(fleet) {} }
        let bytes =
            value == "100,000 brackets" ? Array(repeating: UInt8(ascii: "["), count: 100_000) : Array(value.utf8)
        try await fleet.settingsBucket.put(bytes, for: key)
        try await fleet.set("other.number", to: 3)
        let second = try makeApp(folder)
        let later = try await Fleet.connect(second, to: server.url)
        defer { withExtendedLifetime(later) {} }
        for app in [first, second] {
            try await until("other keys apply") {
                app.config.current.int(forKey: "other.number") == 3
            }
        }
        try await later.settingsBucket.put(nil, for: key)
        try await later.set("api.timeout", to: 6)
        for app in [first, second] {
            try await until("the key is usable again") {
                app.config.current.int(forKey: "api.timeout") == 6
            }
            #expect(app.config.current.string(forKey: "api.host") == "a")
        }
    }

    @Test("A value that refers to another one is used as soon as that one is there")
    func laterReference() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let app = try makeApp(folder)
        let fleet = try await Fleet.connect(app, to: server.url)
        defer { withExtendedLifetime(fleet) {} }
        try await fleet.set("greeting", to: "to ${other.name}")
        try await fleet.set("done", to: true)
        try await until { app.config.current.bool(forKey: "done") == true }
        #expect(app.config.current.string(forKey: "greeting") == nil)
        try await fleet.set("other.name", to: "you")
        try await until { app.config.current.string(forKey: "greeting") == "to you" }
    }

    @Test("Buckets that an operator has created with other settings are used as they are")
    func operatorsBuckets() async throws {
        let server = try await NatsServer()
        let connection = try NatsConnection(server.url, FleetOptions())
        await connection.firstAttempt()
        for name in ["app_settings", "app_members", "app_leaders"] {
            try await connection.call(
                "STREAM.CREATE.KV_\(name)",
                [
                    ("name", JSONEntity("KV_" + name)), ("storage", "memory"), ("max_msgs_per_subject", 5),
                    ("subjects", JSONEntity(array: [JSONEntity("$KV.\(name).>")])),
                ])
        }
        let folder = TemporaryFolder()
        let apps = try (0..<2).map { _ in try makeApp(folder) }
        let fleets = try await connect(apps, to: server)
        defer { withExtendedLifetime(fleets) {} }
        for number in 1...7 { try await fleets[0].set("api.timeout", to: number) }
        for app in apps { try await until { app.config.current.int(forKey: "api.timeout") == 7 } }
        try await until { fleets[1].members.count == 2 }
        let start = ContinuousClock.now
        for fleet in fleets { #expect(try await fleet.lead("nightly", lease: .seconds(300)) { _ in true }) }
        #expect(start.duration(to: .now) < .seconds(200), "the second leader doesn't wait for the lease")
    }

    @Test("A bucket that somebody removes is created again")
    func removedBucket() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let app = try makeApp(folder)
        var options = FleetOptions()
        options.timeout = .milliseconds(500)
        let fleet = try await Fleet.connect(app, to: server.url, options: options)
        defer { withExtendedLifetime(fleet) {} }
        try await fleet.set("api.timeout", to: 1)
        try await until { app.config.current.int(forKey: "api.timeout") == 1 }
        try await fleet.connection.call("STREAM.DELETE.KV_app_settings")
        try await until("a value can be set again") { (try? await fleet.set("api.timeout", to: 2)) != nil }
        try await until("the value arrives") { app.config.current.int(forKey: "api.timeout") == 2 }
        withExtendedLifetime(folder) {}
    }

    @Test("Changes during a server's restarts all arrive")
    func restarts() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let apps = try (0..<2).map { _ in try makeApp(folder) }
        var options = FleetOptions()
        options.reconnectPause = .milliseconds(20)
        let fleets = try await connect(apps, to: server, options: options)
        defer { withExtendedLifetime(fleets) {} }
        for round in 1...4 {
            try await until("the change \(round) is stored") {
                (try? await fleets[round % 2].set("api.timeout", to: round)) != nil
            }
            try await server.restart()
            for app in apps {
                try await until("round \(round)") { app.config.current.int(forKey: "api.timeout") == round }
            }
        }
    }

    @Test(
        "Of two processes that set one key at the same moment, all see the same winner, and one revision has one successor"
    )
    func race() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let apps = try (0..<3).map { _ in try makeApp(folder) }
        let fleets = try await connect(apps, to: server)
        defer { withExtendedLifetime(fleets) {} }
        for round in 0..<20 {
            async let first: Void = fleets[0].set("api.timeout", to: round * 2)
            async let second: Void = fleets[1].set("api.timeout", to: round * 2 + 1)
            _ = try await (first, second)
            // Changes arrive in their order, so an app with this one has both.
            try await fleets[2].set("round", to: round)
            for app in apps { try await until { app.config.current.int(forKey: "round") == round } }
            let values = Set(apps.map { $0.config.current.int(forKey: "api.timeout") })
            #expect(values.count == 1 && values.first.map { $0 == round * 2 || $0 == round * 2 + 1 } == true)

            let revision = try await fleets[0].settingsBucket.entry("config.api.timeout")?.revision
            let codes = await withTaskGroup(of: FleetError.Code?.self) { group in
                for fleet in fleets {
                    group.addTask {
                        do {
                            try await fleet.settingsBucket.put([49], for: "config.api.timeout", expecting: revision)
                            return nil
                        } catch {
                            return (error as? FleetError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1 && codes.filter { $0 == .conflict }.count == 2)
        }
    }

    @Test("A watch that begins while keys change receives them all")
    func watchDuringChanges() async throws {
        let server = try await NatsServer()
        let connections = try (0..<2).map { _ in try NatsConnection(server.url, FleetOptions()) }
        for connection in connections { await connection.firstAttempt() }
        let buckets = connections.map { KeyValueBucket("race", $0) }
        let isDone = Locked(false)
        let writers = (0..<2).map { index in
            Task {
                var number = 0
                while !isDone.withLock({ $0 }) {
                    number += 1
                    try await buckets[index].put(Array("\(number)".utf8), for: "key\(number % 3)")
                }
            }
        }
        for _ in 0..<(isSoak ? 2000 : 100) {
            let known = Locked<(keys: Set<String>, isComplete: Bool)>(([], false))
            let watch = KeyValueWatch(buckets[0]) { entries, isComplete in
                known.withLock { known in
                    known.keys.formUnion(entries.map(\.key))
                    known.isComplete = known.isComplete || isComplete
                }
            }
            try await until("the watch is complete") { known.withLock { $0.isComplete && $0.keys.count == 3 } }
            withExtendedLifetime(watch) {}
        }
        isDone.withLock { $0 = true }
        for writer in writers { try await writer.value }
    }

    @Test("The first change of an empty bucket isn't lost while a watch begins")
    func watchOfEmptyBucket() async throws {
        let server = try await NatsServer()
        let connections = try (0..<2).map { _ in try NatsConnection(server.url, FleetOptions()) }
        for connection in connections { await connection.firstAttempt() }
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        for round in 0..<(isSoak ? 1000 : 60) {
            let buckets = connections.map { KeyValueBucket("empty\(round)", $0) }
            try await buckets[1].create()
            let known = Locked<[String]>([])
            let watch = KeyValueWatch(buckets[0]) { entries, isComplete in
                known.withLock { $0 = (isComplete ? [] : $0) + entries.map(\.key) }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...3000, using: &random)))
            try await buckets[1].put([49], for: "first")
            try await buckets[1].put([49], for: "second")
            try await until("both keys are known") { known.withLock { Set($0) == ["first", "second"] } }
            withExtendedLifetime(watch) {}
        }
    }

    @Test("The debug report of an app shows the state of its fleet, the members and the counters")
    func debugReport() async throws {
        let server = try await NatsServer()
        let app = try makeApp(TemporaryFolder())
        let report = DebugReport(app)
        #expect(!report.sections.contains { $0.title == "Fleet" })
        let fleet = try await Fleet.connect(app, to: server.url, role: "web")
        defer { withExtendedLifetime(fleet) {} }
        func rows() -> [String] { report.sections.first { $0.title == "Fleet" }?.rows.map(\.title) ?? [] }
        try await until { rows().first?.hasPrefix("connected to nats://127.0.0.1") == true }
        try await until { rows().contains { $0.hasPrefix("web@") } }
        #expect(rows().contains("published: 0"))
        await fleet.close()
        #expect(rows().first == "closed: by the program")
    }

    @Test("A removal that can't be loaded is made as soon as it can")
    func laterRemoval() async throws {
        let server = try await NatsServer()
        let folder = TemporaryFolder()
        let app = try makeApp(folder)
        let fleet = try await Fleet.connect(app, to: server.url)
        defer { withExtendedLifetime((fleet, folder)) {} }
        try await fleet.set("other.name", to: "you")
        try await fleet.set("greeting", to: "to ${other.name}")
        try await until { app.config.current.string(forKey: "greeting") == "to you" }
        try await fleet.remove("other.name")
        try await fleet.set("done", to: true)
        try await until { app.config.current.bool(forKey: "done") == true }
        try await fleet.set("greeting", to: "hello")
        try await until { app.config.current.string(forKey: "greeting") == "hello" }
        try await until("removed") { app.config.current.string(forKey: "other.name") == nil }
    }
}
