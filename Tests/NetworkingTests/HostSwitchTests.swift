import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostSwitchTests {
    @Test("A choice replaces scheme and host together; the canonical host has none")
    func choosing() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(hosts.resolve("httpbin.org") == nil)
        try hosts.select("QA", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org") == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
        try hosts.select("DEV", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org") == ProtocolHostPair(scheme: "http", host: "dev.httpbin.org"))
        #expect(
            hosts.resolve("httpbin.org", scheme: "https") == ProtocolHostPair(scheme: "https", host: "dev.httpbin.org"))
        try hosts.select("QA", for: "httpbin.org")
        #expect(hosts.resolve("httpbin.org", scheme: "http")?.scheme == "https")
        #expect(hosts.resolve("unknown.example") == nil)
        hosts.reset("httpbin.org")
        #expect(hosts.resolve("httpbin.org") == nil)
    }

    @Test(
        "Hosts are found regardless of case and a trailing dot",
        arguments: ["HTTPBIN.org", "httpbin.org.", "HttpBin.Org."])
    func spelling(host: String) throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: host)
        #expect(hosts.resolve(host)?.host == "qa.httpbin.org")
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        #expect(hosts.resolve(host + ":80") == nil)
    }

    @Test("Unknown hosts and environments throw and change nothing")
    func unknown() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: "httpbin.org")
        var error = #expect(throws: NetworkError.self) { try hosts.select("STAGE", for: "httpbin.org") }
        #expect(error?.code == .unknownEnvironment && error?.key == "STAGE" && error?.line == 3)
        #expect(
            error?.message
                == #""httpbin.org" has no environment "STAGE", only "PROD", "QA", "DEV", "localhost", "USER""#)
        error = #expect(throws: NetworkError.self) { try hosts.select("QA", for: "nowhere") }
        #expect(error?.code == .unknownHost)
        #expect(error?.message == #"the host map has no "nowhere", only "httpbin.org", "USDA""#)
        error = #expect(throws: NetworkError.self) { try hosts.select("QA", for: "httpbin.org", userHost: "x") }
        #expect(error?.code == .invalidUserHost)
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
    }

    @Test(
        "A typed host can have a port or be an address",
        arguments: [
            "h", "h:80", "10.0.0.7:8080", "[::1]:8080", "my-mac.local.", "[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:8]:1",
            "[::ffff:10.0.0.1]", String(repeating: "a", count: 63), "h:65535",
        ])
    func typedHost(text: String) throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("USER", for: "httpbin.org", userHost: text)
        #expect(hosts.resolve("httpbin.org")?.host == text)
    }

    @Test(
        "A typed text that is more than a host is rejected",
        arguments: [
            "h/path", "user@h", "http://h", "a b", "h\r\nX: y", "h:", "h:99999", "h?x", "[::1", "::1", "-ü.example",
            "h\0",
        ])
    func badTypedHost(text: String) throws {
        let hosts = HostSwitch(try exampleMap())
        let error = #expect(throws: NetworkError.self) {
            try hosts.select("USER", for: "httpbin.org", userHost: text)
        }
        #expect(error?.code == .invalidUserHost && error?.key == "USER")
        #expect(hosts.resolve("httpbin.org") == nil)
    }

    @Test("A user name typed with a host isn't in the error")
    func secretInTypedHost() throws {
        let hosts = HostSwitch(try exampleMap())
        let error = #expect(throws: NetworkError.self) {
            try hosts.select("USER", for: "httpbin.org", userHost: "root:hunter2@h")
        }
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }

    @Test("The text fills the placeholder; <#> takes digits only")
    func placeholders() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("BOX", for: "usda", userHost: "12")
        #expect(hosts.resolve("USDA") == ProtocolHostPair(scheme: "https", host: "box-12.usda.example:8443"))
        try hosts.select("TEAM", for: "usda", userHost: "blue")
        #expect(hosts.resolve("USDA")?.host == "blue.usda.example")
        let error = #expect(throws: NetworkError.self) { try hosts.select("BOX", for: "usda", userHost: "1x") }
        #expect(error?.message == #"expected digits, found "1x""#)
        try hosts.select("BOX", for: "usda")
        #expect(hosts.resolve("USDA")?.host == "box-12.usda.example:8443", "the last typed text applies again")
        try hosts.select("BOX", for: "usda", userHost: "")
        #expect(hosts.resolve("USDA") == nil)
        #expect(hosts.rows[1].rows[1].typedText == "")
    }

    @Test("Release and prerelease select for every host, remove the user's choices and are not stored")
    func release() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        try hosts.select("TEAM", for: "USDA", userHost: "x")
        hosts.selectPrerelease()
        #expect(hosts.resolve("httpbin.org")?.host == "dev.httpbin.org")
        #expect(hosts.resolve("USDA") == nil, "it has no prerelease environment")
        #expect(try store.load() == [:])
        hosts.selectRelease()
        #expect(hosts.resolve("httpbin.org")?.host == "httpbin.org")
        #expect(hosts.resolve("USDA")?.host == "api.usda.example")
        #expect(try store.load() == [:])
        #expect(HostSwitch(try exampleMap(), store: store).resolve("USDA") == nil)
    }

    @Test("Choices are stored in SquidKit's format and restored")
    func remembering() throws {
        let store = HostChoiceStore.memory()
        let hosts = HostSwitch(try exampleMap(), store: store)
        try hosts.select("QA", for: "httpbin.org")
        try hosts.select("BOX", for: "USDA", userHost: "7")
        #expect(
            try store.load() == [
                "httpbin.org": ["key": "QA", "host": "qa.httpbin.org"],
                "USDA": ["key": "BOX", "host": "box-7.usda.example:8443"],
            ])
        let next = HostSwitch(try exampleMap(), store: store)
        #expect(next.resolve("httpbin.org") == ProtocolHostPair(scheme: "https", host: "qa.httpbin.org"))
        #expect(next.resolve("USDA")?.host == "box-7.usda.example:8443")
        #expect(next.rows[1].rows[1].typedText == "7")
        #expect(next.warnings.isEmpty)
    }

    @Test("Each damaged stored choice causes a warning, and the others are restored")
    func damagedStore() throws {
        let store = HostChoiceStore.memory([
            "httpbin.org": ["host": "qa.httpbin.org"], "USDA": ["key": "PROD", "host": "api.usda.example"],
            "elsewhere.example": ["key": "QA", "host": "x"],
        ])
        let hosts = HostSwitch(try exampleMap(), store: store)
        #expect(hosts.resolve("httpbin.org") == nil)
        #expect(hosts.resolve("USDA")?.host == "api.usda.example")
        #expect(hosts.warnings.map(\.message) == [#"expected a stored selection with a "key", found nothing"#])
        try hosts.select("QA", for: "httpbin.org")
        #expect(try store.load()["elsewhere.example"]["key"].string() == "QA", "choices of other maps stay stored")
        for (stored, message): (JSONEntity, String) in [
            (
                ["httpbin.org": ["key": "GONE", "host": "x"]],
                #"the stored environment "GONE" is no longer in the host map"#
            ),
            (["httpbin.org": ["key": "USER"]], #"expected a stored "host", found nothing"#),
            (["httpbin.org": ["key": "USER", "host": "a b"]], #"expected a stored "host", found something else"#),
            (["httpbin.org": "QA"], #"expected a stored selection with a "key", found nothing"#),
            ("text", "expected an object of stored selections, found a string"),
        ] {
            let hosts = HostSwitch(try exampleMap(), store: HostChoiceStore.memory(stored))
            #expect(hosts.warnings.map(\.message) == [message])
            #expect(hosts.resolve("httpbin.org") == nil)
        }
    }

    @Test("A file store has SquidKit's key; damage is a warning, not a failure")
    func fileStore() throws {
        let path = NSTemporaryDirectory() + "hosts-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try HostSwitch(try exampleMap(), store: .file(path)).select("QA", for: "httpbin.org")
        let json = try JSONEntity(contentsOfFile: path)
        #expect(
            json == [
                "com.squidkit.hostMapCachePreferenceKey": ["httpbin.org": ["key": "QA", "host": "qa.httpbin.org"]]
            ])
        #expect(HostSwitch(try exampleMap(), store: .file(path)).resolve("httpbin.org")?.host == "qa.httpbin.org")
        try "{\"com".write(toFile: path, atomically: true, encoding: .utf8)
        let hosts = HostSwitch(try exampleMap(), store: .file(path))
        #expect(hosts.resolve("httpbin.org") == nil)
        #expect(hosts.warnings.map(\.file) == [path] && hosts.warnings[0].line == 1)
    }

    @Test("Two switches on one file keep each other's selections, in any order of changes")
    func twoSwitches() throws {
        let folder = try TemporaryFolder([:])
        let path = folder.path + "/hosts.json"
        let names = ["a.example", "b.example", "c.example"]
        let items = names.map {
            """
            {"canonical_host": "\($0)", "canonical_protocol": "https", "release_key": "P", "hosts": [
              {"key": "P", "host": "\($0)"}, {"key": "Q", "host": "q.\($0)"}, {"key": "R", "host": "r.\($0)"}]}
            """
        }
        let map = try HostMap(json: Array(#"{"configurations": [\#(items.joined(separator: ","))]}"#.utf8))
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let switches = (0..<2).map { _ in HostSwitch(map, store: .file(path)) }
            var expected: [String: String] = [:]
            for name in names { expected[name] = switches[0].resolve(name)?.host }
            // Each switch changes its own hosts, and one of them can remove everything at last.
            for _ in 0..<6 {
                let name = names[Int.random(in: 0..<2, using: &random)]
                let own = switches[name == "a.example" ? 0 : 1]
                if Bool.random(using: &random) {
                    let key = Bool.random(using: &random) ? "Q" : "R"
                    try own.select(key, for: name)
                    expected[name] = (key == "Q" ? "q." : "r.") + name
                } else {
                    own.reset(name)
                    expected[name] = nil
                }
            }
            var next = HostSwitch(map, store: .file(path))
            for name in names { #expect(next.resolve(name)?.host == expected[name], "seed \(seed)") }
            if Int.random(in: 0..<4, using: &random) == 0 {
                switches[0].reset()
                next = HostSwitch(map, store: .file(path))
                #expect(names.allSatisfy { next.resolve($0) == nil }, "seed \(seed)")
            }
        }
    }

    @Test("A choice that can't be stored applies, throws and causes a warning")
    func failingStore() throws {
        let hosts = HostSwitch(try exampleMap(), store: .file("/nonexistent/folder/hosts.json"))
        let error = #expect(throws: NetworkError.self) { try hosts.select("QA", for: "httpbin.org") }
        #expect(error?.code == .fileFailed)
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        #expect(hosts.warnings.count == 1)
    }

    @Test("Rows are selected by key and have the typed text")
    func rows() throws {
        let hosts = HostSwitch(try exampleMap())
        #expect(hosts.rows.map(\.title) == ["httpbin.org", "USDA"])
        #expect(
            hosts.rows[0].rows.map(\.title) == [
                "httpbin.org", "qa.httpbin.org", "dev.httpbin.org", "localhost:8080", "",
            ])
        #expect(hosts.rows[0].rows.allSatisfy { !$0.isSelected })
        try hosts.select("USER", for: "httpbin.org", userHost: "qa.httpbin.org")
        #expect(hosts.rows[0].rows.filter(\.isSelected).map(\.subtitle) == ["USER"], "equal pairs do not both tick")
        #expect(hosts.rows[0].rows[4].title == "qa.httpbin.org")
        try hosts.select("PROD", for: "httpbin.org")
        #expect(hosts.rows[0].rows[4].title == "qa.httpbin.org" && !hosts.rows[0].rows[4].isSelected)
        #expect(hosts.rows[0].rows.count == 5 && hosts.rows[0].rows[0].isSelected)
        #expect(hosts.rows[1].rows[1].title == "box-<#>.usda.example:8443")
        #expect(hosts.rows[0].rows[4].prompt == #"Enter custom host (e.g. "api.host.com")"#)
    }

    @Test("Changes start with the current selections, skip equal ones, and end with the switch")
    func changes() async throws {
        var hosts: HostSwitch? = HostSwitch(try exampleMap())
        var snapshots = try #require(hosts?.changes()).makeAsyncIterator()
        var last = try #require(await snapshots.next())
        #expect(last.resolve("httpbin.org") == nil)
        func seen() async throws -> [String] {
            let new = try #require(await snapshots.next())
            defer { last = new }
            return new.changes(since: last).map { "\($0.canonicalHost) \($0.key ?? "-") \($0.current?.host ?? "-")" }
        }
        try hosts?.select("QA", for: "httpbin.org")
        #expect(try await seen() == ["httpbin.org QA qa.httpbin.org"])
        try hosts?.select("QA", for: "httpbin.org")
        hosts?.selectRelease()
        #expect(try await seen() == ["httpbin.org PROD httpbin.org", "USDA PROD api.usda.example"])
        hosts?.reset()
        #expect(try await seen() == ["httpbin.org - -", "USDA - -"])
        hosts = nil
        #expect(await snapshots.next() == nil)
    }

    @Test("Selections are equal if the environments, their hosts and the typed strings are")
    func sameSelections() async throws {
        let hosts = HostSwitch(try exampleMap())
        var snapshots: [HostSnapshot] = []
        let selections = [
            ("httpbin.org", "QA", nil), ("httpbin.org", "DEV", nil), ("USDA", "TEAM", "x"), ("USDA", "TEAM", "y"),
        ]
        for (host, key, text) in selections {
            for _ in 0..<2 {
                try hosts.select(key, for: host, userHost: text)
                for await snapshot in hosts.changes().prefix(1) { snapshots.append(snapshot) }
            }
        }
        try #require(snapshots.count == 8)
        for (one, first) in snapshots.enumerated() {
            for (other, second) in snapshots.enumerated() {
                #expect(first.hasSameSelections(as: second) == (one / 2 == other / 2), "\(one), \(other)")
            }
        }
    }

    @Test("A slow reader receives only the newest selections")
    func newest() async throws {
        let hosts = HostSwitch(try exampleMap())
        var snapshots = hosts.changes().makeAsyncIterator()
        for key in ["QA", "DEV", "localhost"] { try hosts.select(key, for: "httpbin.org") }
        #expect(await snapshots.next()?.resolve("httpbin.org")?.host == "localhost:8080")
    }

    @Test("An invalid file leaves the map unchanged; a valid one preserves choices that still exist")
    func reload() throws {
        let path = NSTemporaryDirectory() + "map-\(UUID()).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: "httpbin.org")
        try hosts.select("TEAM", for: "USDA", userHost: "red")
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: NetworkError.self) { hosts.update(try HostMap(contentsOfFile: path)) }
        #expect(error?.code == .invalidHostMap && error?.file == path && error?.line == 1 && error?.column == 2)
        #expect(hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
        try exampleMapText.replacing("\"host\": \"qa.httpbin.org\"", with: "\"host\": \"qa2.httpbin.org\"")
            .replacing("\"TEAM\"", with: "\"CREW\"").write(toFile: path, atomically: true, encoding: .utf8)
        hosts.update(try HostMap(contentsOfFile: path))
        #expect(hosts.resolve("httpbin.org")?.host == "qa2.httpbin.org")
        #expect(hosts.resolve("USDA") == nil)
    }

    @Test("An explanation names the selected environment, its origin, its position and the others")
    func explaining() throws {
        let hosts = HostSwitch(try exampleMap())
        try hosts.select("QA", for: "httpbin.org")
        #expect(
            hosts.explain("httpbin.org")
                == #"httpbin.org → https://qa.httpbin.org: "QA", selected by the user (HostMap.json, line 10); not selected: PROD, DEV, localhost, USER"#
        )
        #expect(hosts.explain("x") == "x → x: the host map doesn't contain it (HostMap.json)")
    }

    @Test("A client sends its endpoints to the selected hosts without further code")
    func client() async throws {
        let hosts = HostSwitch(try exampleMap())
        let sent = StubTransport { request in .text(request.url.description) }
        let client = NetworkClient(transport: sent, hosts: hosts)
        struct Get: Endpoint {
            typealias Output = String
            let host: EndpointHost = "httpbin.org"
            let path: EndpointPath = "get"
        }
        #expect(try await client.send(Get()) == "http://httpbin.org/get", "canonical_protocol is used")
        try hosts.select("QA", for: "httpbin.org")
        #expect(try await client.send(Get()) == "https://qa.httpbin.org/get")
        try hosts.select("USER", for: "httpbin.org", userHost: "[::1]:8080")
        #expect(try await client.send(Get()) == "http://[::1]:8080/get")
    }
}
