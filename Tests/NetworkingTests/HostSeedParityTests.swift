import AshlarNetworking
import AshlarTestSupport
import Testing

/// Every documented call of SquidKit's `HostMapManager`, `HostMapCache` and host list.
@Suite struct HostSeedParityTests {
    @Test("loadConfigurationMapFromResourceFile: an invalid file throws, and the loaded map is unchanged")
    func load() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(hosts.rows.count == 2)
        hosts.update(try exampleMap())
        #expect(hosts.rows.count == 2, "loading twice doubled the rows there")
        #expect(throws: NetworkError.self) { hosts.update(try HostMap(contentsOfFile: "/nonexistent/MyHostMap.json")) }
        #expect(hosts.rows.count == 2)
    }

    @Test("setPrereleaseConfigurations and setReleaseConfigurations, which aren't stored")
    func releaseAndPrerelease() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        hosts.selectPrerelease()
        #expect(hosts.resolve("httpbin.org")?.host == "dev.httpbin.org")
        hosts.selectRelease()
        #expect(hosts.resolve("httpbin.org")?.host == "httpbin.org")
        #expect(HostSwitch(try exampleMap(), store: store).resolve("httpbin.org") == nil)
    }

    @Test("A pair's protocol and host replace those of the endpoint; the protocol only if the environment has one")
    func pair() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: "httpbin.org")
        #expect(
            hosts.resolve("httpbin.org", scheme: "http") == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
        try hosts.select("DEV", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org", scheme: "https")?.scheme == "https")
    }

    @Test("The stored choice is restored after a restart, in SquidKit's format; the protocol is that of the map")
    func cache() throws {
        let store = HostChoiceStore.memory(["httpbin.org": ["key": "QA", "host": "qa.httpbin.org"]])
        let hosts = HostSwitch(try exampleMap(), store: store)
        #expect(hosts.resolve("httpbin.org")?.scheme == "https")
        #expect(HostChoiceStore.key == "com.squidkit.hostMapCachePreferenceKey")
    }

    @Test("hostMapCache.removeAll, hostMapCache = MyHostMapCache(), hostMapCache = nil")
    func caches() throws {
        final class MyHostMapCache: Sendable {
            let choices = Mutex<JSONEntity>(.missing)
            var store: HostChoiceStore {
                HostChoiceStore(
                    load: { self.choices.withLock { $0 } }, save: { new in self.choices.withLock { $0 = new } })
            }
        }
        let own = MyHostMapCache()
        let hosts = HostSwitch(try exampleMap(), store: own.store)
        try hosts.select("QA", for: "httpbin.org")
        #expect(own.choices.withLock { $0 }["httpbin.org"]["key"].string() == "QA")
        #expect(HostSwitch(try exampleMap(), store: own.store).resolve("httpbin.org")?.host == "qa.httpbin.org")
        hosts.reset()
        #expect(own.choices.withLock { $0 } == [:])
        try HostSwitch(try exampleMap(), store: .none).select("QA", for: "httpbin.org")
    }

    @Test("USER has no host, so a host is typed; an empty host restores the canonical host")
    func user() throws {
        let hosts = HostSwitch(try exampleMap())
        let row = try #require(hosts.rows[0].rows.last)
        #expect(
            row.editing == .text && row.prompt == #"Enter custom host (e.g. "api.host.com")"# && row.subtitle == "USER")
        try hosts.select("USER", for: "httpbin.org", userHost: "my.mac")
        #expect(hosts.resolve("httpbin.org")?.host == "my.mac")
        try hosts.select("USER", for: "httpbin.org", userHost: "")
        #expect(hosts.resolve("httpbin.org") == nil)
    }

    @Test("HostConfigurationTableViewController: a section per host, a row per environment, one checkmark")
    func table() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("DEV", for: "httpbin.org")
        #expect(hosts.rows[0].title == "httpbin.org")
        #expect(hosts.rows[0].rows.map(\.subtitle) == ["PROD", "QA", "DEV", "localhost", "USER"])
        #expect(hosts.rows[0].rows.filter(\.isSelected).map(\.title) == ["dev.httpbin.org"])
    }

    @Test("Unknown keys and hosts throw; SquidKit ignores them silently")
    func unknown() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(throws: NetworkError.self) { try hosts.select("NOPE", for: "httpbin.org") }
        #expect(throws: NetworkError.self) { try hosts.select("QA", for: "nope") }
    }

    @Test("A value that isn't a string removes its entry; in SquidKit it removes the whole list")
    func droppedLists() throws {
        let text =
            #"{"configurations": [{"canonical_host": "h", "canonical_protocol": "http", "hosts": [{"key": "A", "host": "a"}, {"key": "B", "host": 1}]}]}"#
        let map = try HostMap(json: Array(text.utf8))
        #expect(map.configurations[0].hosts.map(\.key) == ["A"] && map.warnings.count == 1)
    }

    @Test("set(key, mappedHost, canonicalHost), also for an empty typed host")
    func set() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        try hosts.select("USER", for: "httpbin.org", userHost: "my.mac:8080")
        #expect(try store.load() == ["httpbin.org": ["key": "USER", "host": "my.mac:8080"]])
        #expect(
            hosts.resolve("httpbin.org", scheme: "https")?.scheme == "https", "the endpoint's own protocol applies")
        try hosts.select("USER", for: "httpbin.org", userHost: "")
        #expect(hosts.resolve("httpbin.org") == nil, "an empty host goes back, there too")
        #expect(try store.load() == [:])
    }

    @Test("<@> and <#>: the typed text fills the placeholder; in SquidKit it replaces the whole host")
    func placeholders() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(hosts.rows[1].rows.map(\.editing) == [.none, .digits, .text])
        try hosts.select("BOX", for: "USDA", userHost: "3")
        #expect(hosts.resolve("USDA")?.host == "box-3.usda.example:8443")
    }

    @Test("canonical_protocol is used if neither endpoint nor environment has one; SquidKit never uses it")
    func canonicalProtocol() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("PROD", for: "USDA")
        #expect(hosts.resolve("USDA") == ProtocolHostPair(scheme: "https", host: "api.usda.example"))
        #expect(hosts.resolve("USDA", scheme: "http")?.scheme == "http")
    }

    @Test("A cached entry without a field causes a warning; SquidKit crashes")
    func damagedCache() throws {
        let hosts = HostSwitch(
            try exampleMap(), store: HostChoiceStore.memory(["httpbin.org": ["host": "qa.httpbin.org"]]))
        #expect(hosts.resolve("httpbin.org") == nil && hosts.warnings.map(\.path) == [#"$["httpbin.org"]"#])
    }
}
