import AshlarNetworking
import Testing

/// SquidKit's `HostMapManager`, `HostMapCache` and host list, call by call as its documentation has them.
@Suite struct HostSeedParityTests {
    @Test("loadConfigurationMapFromResourceFile: a bad file is told, and what was loaded stays")
    func load() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(hosts.rows.count == 2)
        hosts.update(try exampleMap())
        #expect(hosts.rows.count == 2, "loading twice doubled the rows there")
        #expect(throws: NetworkError.self) { try hosts.reload(contentsOfFile: "/nonexistent/MyHostMap.json") }
        #expect(hosts.rows.count == 2)
    }

    @Test("setPrereleaseConfigurations and setReleaseConfigurations, which are not remembered")
    func releaseAndPrerelease() throws {
        let store = HostMemoryStore()
        let hosts = HostSwitch(try exampleMap(), store: store)
        hosts.choosePrerelease()
        #expect(hosts.resolve("httpbin.org")?.host == "dev.httpbin.org")
        hosts.chooseRelease()
        #expect(hosts.resolve("httpbin.org")?.host == "httpbin.org")
        #expect(HostSwitch(try exampleMap(), store: store).resolve("httpbin.org") == nil)
    }

    @Test("A pair's protocol and host replace those of the endpoint; the protocol only if the environment names one")
    func pair() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.choose("QA", for: "httpbin.org")
        #expect(
            hosts.resolve("httpbin.org", scheme: "http") == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
        try hosts.choose("DEV", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org", scheme: "https")?.scheme == "https")
    }

    @Test("The remembered choice survives a restart, in the original's shape; the protocol is read from the map again")
    func cache() throws {
        let store = HostMemoryStore(["httpbin.org": ["key": "QA", "host": "qa.httpbin.org"]])
        let hosts = HostSwitch(try exampleMap(), store: store)
        #expect(hosts.resolve("httpbin.org")?.scheme == "https")
        #expect(hostChoiceStoreKey == "com.squidkit.hostMapCachePreferenceKey")
    }

    @Test("hostMapCache.removeAll, hostMapCache = MyHostMapCache(), hostMapCache = nil")
    func caches() throws {
        struct MyHostMapCache: HostChoiceStore {
            let inner = HostMemoryStore()
            func load() throws(NetworkError) -> JSONEntity { try inner.load() }
            func save(_ choices: JSONEntity) throws(NetworkError) { try inner.save(choices) }
        }
        let own = MyHostMapCache()
        let hosts = HostSwitch(try exampleMap(), store: own)
        try hosts.choose("QA", for: "httpbin.org")
        #expect(try own.load()["httpbin.org"]["key"].string() == "QA")
        hosts.clear()
        #expect(try own.load() == [:])
        try HostSwitch(try exampleMap(), store: .none).choose("QA", for: "httpbin.org")
    }

    @Test("USER, which lacks a host, is a field for a typed one; an empty one goes back to the canonical host")
    func user() throws {
        let hosts = HostSwitch(try exampleMap())
        let row = try #require(hosts.rows[0].rows.last)
        #expect(
            row.editing == .text && row.prompt == #"Enter custom host (e.g. "api.host.com")"# && row.subtitle == "USER")
        try hosts.choose("USER", for: "httpbin.org", userHost: "my.mac")
        #expect(hosts.resolve("httpbin.org")?.host == "my.mac")
        try hosts.choose("USER", for: "httpbin.org", userHost: "")
        #expect(hosts.resolve("httpbin.org") == nil)
    }

    @Test("HostConfigurationTableViewController: a section a map, a row an environment, one tick")
    func table() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.choose("DEV", for: "httpbin.org")
        #expect(hosts.rows[0].title == "httpbin.org")
        #expect(hosts.rows[0].rows.map(\.subtitle) == ["PROD", "QA", "DEV", "localhost", "USER"])
        #expect(hosts.rows[0].rows.filter(\.isChosen).map(\.title) == ["dev.httpbin.org"])
    }

    @Test("Unknown keys and hosts, silently ignored there, are told")
    func unknown() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(throws: NetworkError.self) { try hosts.choose("NOPE", for: "httpbin.org") }
        #expect(throws: NetworkError.self) { try hosts.choose("QA", for: "nope") }
    }

    @Test("One value that is no string dropped the whole list there, and drops its entry here")
    func droppedLists() throws {
        let text =
            #"{"configurations": [{"canonical_host": "h", "canonical_protocol": "http", "hosts": [{"key": "A", "host": "a"}, {"key": "B", "host": 1}]}]}"#
        let map = try HostMap(json: Array(text.utf8))
        #expect(map.configurations[0].hosts.map(\.key) == ["A"] && map.warnings.count == 1)
    }
}
