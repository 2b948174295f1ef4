import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

/// Choices when the map is replaced, and their stores.
@Suite(.timeLimit(.minutes(5))) struct HostUpdateTests {
    private func map(_ hosts: [String: [String: String]], release: String? = nil) throws -> HostMap {
        let configurations = hosts.sorted { $0.key < $1.key }.map { host, environments -> JSONEntity in
            let entries = environments.sorted { $0.key < $1.key }.map { key, host -> JSONEntity in
                ["key": JSONEntity(key), "host": JSONEntity(host)]
            }
            return [
                "canonical_host": JSONEntity(host), "canonical_protocol": "https",
                "release_key": release.map { JSONEntity($0) } ?? .missing, "hosts": JSONEntity(array: entries),
            ]
        }
        return try HostMap(
            json: (["configurations": JSONEntity(array: configurations)] as JSONEntity).bytes(), strict: true)
    }

    @Test("A stored choice applies when a new map contains its host")
    func takesUp() throws {
        let store = HostChoiceStore.memory([
            "b.example": ["key": "QA", "host": "old.example"], "c.example": ["key": "X", "host": "x"],
        ])
        let hosts = HostSwitch(try map(["a.example": ["QA": "qa.a.example"]]), store: store)
        #expect(hosts.resolve("b.example") == nil)
        hosts.update(try map(["a.example": ["QA": "qa.a.example"], "B.example": ["QA": "qa.b.example"]]))
        #expect(hosts.resolve("b.example") == ProtocolHostPair(scheme: "https", host: "qa.b.example"))
        #expect(hosts.rows.map(\.title) == ["B.example", "a.example"])
        #expect(hosts.rows[0].rows[0].isSelected && hosts.warnings.isEmpty)
        #expect(hosts.explain("b.example").contains("selected by the user in an earlier run"))
        try hosts.select("QA", for: "a.example")
        #expect(
            try store.load() == [
                "a.example": ["key": "QA", "host": "qa.a.example"], "B.example": ["key": "QA", "host": "qa.b.example"],
                "c.example": ["key": "X", "host": "x"],
            ])
    }

    @Test("A preserved choice uses host and scheme of the new map")
    func takesHostAndScheme() throws {
        func map(_ host: String, _ scheme: String?) throws -> HostMap {
            let entry: JSONEntity = [
                "key": "QA", "host": JSONEntity(host), "protocol": scheme.map { JSONEntity($0) } ?? .missing,
            ]
            let configuration: JSONEntity = [
                "canonical_host": "a.example", "canonical_protocol": "https", "hosts": [entry],
            ]
            return try HostMap(json: (["configurations": [configuration]] as JSONEntity).bytes(), strict: true)
        }
        let hosts = HostSwitch(try map("one", "http"))
        try hosts.select("QA", for: "a.example")
        #expect(hosts.resolve("a.example") == ProtocolHostPair(scheme: "http", host: "one"))
        hosts.update(try map("two", nil))
        #expect(hosts.resolve("a.example") == ProtocolHostPair(scheme: "https", host: "two"))
    }

    @Test("A stored typed host applies with its text when a later map contains it")
    func takesUpTyped() throws {
        let store = HostChoiceStore.memory(["USDA": ["key": "BOX", "host": "box-7.usda.example:8443"]])
        let hosts = HostSwitch(.empty, store: store)
        hosts.update(try exampleMap())
        #expect(hosts.resolve("USDA")?.host == "box-7.usda.example:8443")
        #expect(hosts.rows[1].rows[1].typedText == "7")
    }

    @Test("A choice without its host in the map remains stored and is restored with the host")
    func comesBack() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        let kept = try store.load()
        hosts.update(try map(["a.example": ["QA": "qa.a.example"]]))
        #expect(hosts.resolve("httpbin.org") == nil && hosts.rows.count == 1)
        #expect(try store.load() == kept)
        hosts.update(try exampleMap())
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        #expect(try store.load() == kept)
    }

    @Test("A choice whose environment is removed is dropped with a warning; a release choice without one")
    func environmentGone() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try map(["a": ["QA": "q", "PROD": "p"]], release: "PROD"), store: store)
        try hosts.select("QA", for: "a")
        hosts.update(try map(["a": ["PROD": "p"]], release: "PROD"))
        #expect(hosts.resolve("a") == nil)
        #expect(
            hosts.warnings.map(\.description) == [
                #"$.a.key: the stored environment "QA" is no longer in the host map"#
            ])
        #expect(try store.load() == [:])
        hosts.selectRelease()
        hosts.update(try map(["a": ["QA": "q"]]))
        #expect(hosts.resolve("a") == nil && hosts.warnings.count == 1)
    }

    @Test("Release remains selected if the new map has another release environment")
    func releaseMoves() throws {
        let hosts = HostSwitch(try map(["a": ["P1": "p1", "P2": "p2"]], release: "P1"))
        hosts.selectRelease()
        hosts.update(try map(["a": ["P1": "p1", "P2": "p2"]], release: "P2"))
        #expect(hosts.resolve("a")?.host == "p2")
        #expect(hosts.explain("a").contains("the release environment"))
    }

    @Test("An update reports only actual changes")
    func announces() async throws {
        let hosts = HostSwitch(try map(["a": ["Q": "a1"], "b": ["Q": "b1"]]))
        try hosts.select("Q", for: "a")
        try hosts.select("Q", for: "b")
        var snapshots = hosts.changes().makeAsyncIterator()
        let before = try #require(await snapshots.next())
        hosts.update(try map(["a": ["Q": "a1"], "b": ["Q": "b2"], "c": ["Q": "c1"]]))
        let changes = try #require(await snapshots.next()).changes(since: before)
        #expect(changes.map { "\($0.canonicalHost) \($0.current?.host ?? "-")" } == ["b b2"])
    }

    @Test("Resetting one host leaves the others; resetting all removes everything stored")
    func clearing() throws {
        let store = HostChoiceStore.memory([
            "elsewhere": ["key": "K", "host": "h"], "more": ["key": "K", "host": "h"],
            "USDA": ["key": "PROD", "host": "x"],
        ])
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        hosts.reset("HTTPBIN.org.")
        #expect(try Set(store.load().keys) == ["USDA", "elsewhere", "more"])
        hosts.reset("Elsewhere")
        #expect(try Set(store.load().keys) == ["USDA", "more"])
        hosts.reset()
        #expect(try store.load() == [:] && hosts.resolve("USDA") == nil)
    }

    @Test("A map of the maximum size is parsed in linear time, with any repetitions")
    func largeMaps() throws {
        func list(_ count: Int, _ item: (Int) -> String) -> String {
            (0..<count).map(item).joined(separator: ",")
        }
        let head = #"{"configurations": ["#
        let hosts = #"{"canonical_host": "h", "canonical_protocol": "http", "hosts": ["#
        let many = try HostMap(
            json: Array(
                (head + list(14_000) { #"{"canonical_host":"h\#($0)","canonical_protocol":"http","hosts":[]}"# } + "]}")
                    .utf8))
        #expect(many.configurations.count == 14_000 && many["H13999"]?.canonicalHost == "h13999")
        let rows = try HostMap(
            json: Array((head + hosts + list(60_000) { #"{"key":"\#($0)"}"# } + "]}]}").utf8))
        #expect(rows.configurations[0].hosts.count == 60_000)
        let repeats = try HostMap(
            json: Array((head + hosts + list(80_000) { _ in #"{"key":"a"}"# } + "]}]}").utf8))
        #expect(repeats.warnings.count == 79_999)
        #expect(repeats.warnings.last?.path == "$.configurations[0].hosts[79999].key")
        let wrong = try HostMap(json: Array((head + list(300_000) { _ in "1" } + "]}").utf8))
        #expect(wrong.warnings.count == 300_000 && wrong.warnings.last?.path == "$.configurations[299999]")
    }

    // MARK: Stores

    @Test("Choices are stored in the user's defaults with SquidKit's key and format")
    func userDefaults() throws {
        let suite = "ashlar-hosts-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        let store = HostChoiceStore.userDefaults(suiteName: suite)
        #expect(try !store.load().isValid)
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        try hosts.select("USER", for: "httpbin.org", userHost: "localhost:1")
        #expect(
            defaults.dictionary(forKey: "com.squidkit.hostMapCachePreferenceKey") as? [String: [String: String]]
                == ["httpbin.org": ["key": "USER", "host": "localhost:1"]])
        #expect(HostSwitch(try exampleMap(), store: store).resolve("httpbin.org")?.host == "localhost:1")
        // A cache written by SquidKit, and one with a damaged entry, for which SquidKit crashes.
        defaults.set(
            ["httpbin.org": ["key": "QA", "host": "qa.httpbin.org"], "USDA": ["key": "PROD"], "x": ["host": "y"]],
            forKey: HostChoiceStore.key)
        let next = HostSwitch(try exampleMap(), store: store)
        #expect(next.resolve("httpbin.org") == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
        #expect(next.resolve("USDA")?.host == "api.usda.example")
        hosts.reset()
        #expect(defaults.dictionary(forKey: HostChoiceStore.key)?.isEmpty == true)
        defaults.set("text", forKey: HostChoiceStore.key)
        #expect(try !store.load().isValid, "a value that isn't a dictionary is ignored")
        defaults.set(["httpbin.org": Date()], forKey: HostChoiceStore.key)
        #expect(HostSwitch(try exampleMap(), store: store).warnings.count == 1)
    }

    @Test("A client sends its endpoints to the selected hosts over sockets")
    func endpoints() async throws {
        func server(_ name: String) throws -> FaultServer {
            try FaultServer { connection in
                while let request = connection.request() {
                    connection.write(Array(answer(body: "\(name) \(request.target) \(request["Host"] ?? "")").utf8))
                }
            }
        }
        let (production, quality, own) = (try server("production"), try server("quality"), try server("own"))
        let text = #"""
            {"configurations": [{"canonical_host": "api.example.test", "canonical_protocol": "http",
              "release_key": "PROD", "prerelease_key": "QA", "hosts": [
                {"key": "PROD", "host": "127.0.0.1", "port": \#(production.port)},
                {"key": "QA", "host": "127.0.0.1:\#(quality.port)", "protocol": "http"},
                {"key": "LOCAL", "host": "127.0.0.1:<#>"}, {"key": "USER"}]}]}
            """#
        let hosts = HostSwitch(try HostMap(json: Array(text.utf8), strict: true))
        let client = NetworkClient(hosts: hosts)
        struct Get: Endpoint {
            typealias Output = String
            let host: EndpointHost = "api.example.test"
            let path: EndpointPath = "notes"
        }
        func get() async throws -> String { try await client.send(Get()) }
        hosts.selectRelease()
        #expect(try await get() == "production /notes 127.0.0.1:\(production.port)")
        hosts.selectPrerelease()
        #expect(try await get() == "quality /notes 127.0.0.1:\(quality.port)")
        try hosts.select("LOCAL", for: "api.example.test", userHost: "\(own.port)")
        #expect(try await get() == "own /notes 127.0.0.1:\(own.port)")
        try hosts.select("USER", for: "API.example.test", userHost: "localhost:\(quality.port)")
        #expect(try await get() == "quality /notes localhost:\(quality.port)")
        try hosts.select("PROD", for: "api.example.test")
        #expect(try await get() == "production /notes 127.0.0.1:\(production.port)")
        #expect(production.connectionCount >= 1 && quality.connectionCount >= 1 && own.connectionCount == 1)
        withExtendedLifetime((production, quality, own)) {}
    }

    @Test("A choice whose text doesn't fit the new pattern is dropped with a warning")
    func misfit() throws {
        let hosts = HostSwitch(try map(["a": ["DEV": "dev-<@>.example"]]))
        try hosts.select("DEV", for: "a", userHost: "anna")
        hosts.update(try map(["a": ["DEV": "dev-<#>.example"]]))
        #expect(hosts.resolve("a") == nil && hosts.warnings.count == 1)
    }
}
