import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostDefaultTests {
    private static let json = #"""
        {"configurations": [
          {"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "PROD", "prerelease_key": "QA",
           "hosts": [{"key": "PROD", "host": "www.example"}, {"key": "QA", "host": "qa.example", "protocol": "http"},
                     {"key": "DEV", "host": "dev.example"}, {"key": "USER"}]},
          {"canonical_host": "media.example", "canonical_protocol": "https", "prerelease_key": "USER",
           "hosts": [{"key": "PROD", "host": "cdn.example"}, {"key": "USER"}]}]}
        """#

    private func map(_ json: String = json) throws -> HostMap { try HostMap(json: Array(json.utf8)) }

    @Test(
        "A host without a selection has the default environment; one without that environment is canonical",
        arguments: [
            (.canonical, nil, nil), (.release, "https://www.example", nil), (.prerelease, "http://qa.example", nil),
            (.environment("DEV"), "https://dev.example", nil),
            (.environment("PROD"), "https://www.example", "https://cdn.example"), (.environment("USER"), nil, nil),
            (.environment("NONE"), nil, nil),
        ] as [(HostDefault, String?, String?)])
    func defaults(defaults: HostDefault, api: String?, media: String?) throws {
        let hosts = HostSwitch(try map(), defaults: defaults)
        #expect(hosts.resolve("api.example")?.description == api)
        #expect(hosts.resolve("media.example")?.description == media)
    }

    @Test("A selection replaces the default, and a reset returns to it")
    func selecting() throws {
        let hosts = HostSwitch(try map(), defaults: .prerelease)
        #expect(hosts.explain("api.example").contains("\"QA\", the default; nothing is selected"))
        try hosts.select("DEV", for: "api.example")
        #expect(hosts.resolve("api.example")?.host == "dev.example")
        hosts.reset("api.example")
        #expect(hosts.resolve("api.example")?.host == "qa.example")
        hosts.selectRelease()
        #expect(hosts.resolve("api.example")?.host == "www.example")
        hosts.reset()
        #expect(hosts.resolve("api.example")?.host == "qa.example")
        #expect(hosts.rows[0].rows.filter(\.isSelected).map(\.key) == ["QA"])
    }

    @Test("A default is not stored, and a stored selection has precedence")
    func storing() throws {
        let store: HostChoiceStore = .memory
        let hosts = HostSwitch(try map(), store: store, defaults: .prerelease)
        try hosts.select("DEV", for: "api.example")
        hosts.reset()
        #expect(try store.load().isEmpty)
        try hosts.select("DEV", for: "api.example")
        #expect(
            HostSwitch(try map(), store: store, defaults: .prerelease).resolve("api.example")?.host == "dev.example")
    }

    @Test("A new map and new defaults apply to hosts without a selection, and each change is announced once")
    func updating() async throws {
        let hosts = HostSwitch(try map(), defaults: .prerelease)
        var changes = hosts.changes().makeAsyncIterator()
        func next() async -> ProtocolHostPair? { await changes.next()?.resolve("api.example") }
        #expect(await next()?.host == "qa.example")
        hosts.update(try map(Self.json.replacingOccurrences(of: "qa.example", with: "qa2.example")))
        #expect(await next()?.host == "qa2.example")
        hosts.setDefaults(.release)
        #expect(await next()?.host == "www.example")
        try hosts.select("DEV", for: "api.example")
        #expect(await next()?.host == "dev.example")
        hosts.setDefaults(.prerelease)
        #expect(hosts.resolve("api.example")?.host == "dev.example")
        hosts.reset()
        #expect(await next()?.host == "qa2.example")
    }

    @Test("Selections of one scope never affect another, in any order of selections and resets")
    func scopes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let store: HostChoiceStore = .memory
        let scopes = ["", "debug", "acme+debug"]
        var model: [String: String] = [:]
        for step in 0..<500 {
            let scope = scopes.randomElement(using: &random)!
            let hosts = HostSwitch(try map(), store: store.scoped(scope))
            #expect(hosts.warnings.isEmpty)
            #expect(hosts.resolve("api.example")?.host == model[scope], "seed \(seed), step \(step), scope \(scope)")
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let host = ["www", "qa", "dev"].randomElement(using: &random)!
                try hosts.select(["www": "PROD", "qa": "QA", "dev": "DEV"][host]!, for: "api.example")
                model[scope] = host + ".example"
            case 1:
                hosts.reset()
                model[scope] = nil
            default:
                hosts.selectRelease()
                model[scope] = nil
            }
        }
    }

    @Test("Scopes that save concurrently preserve each other's selections", arguments: [false, true])
    func concurrentScopes(isFile: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hosts-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let memory: HostChoiceStore = .memory
        let scopes = ["", "debug", "acme+debug", "acme"]
        await withThrowingTaskGroup(of: Void.self) { group in
            for scope in scopes {
                group.addTask {
                    // Each scope has a separate store, as in several processes.
                    let store: HostChoiceStore = isFile ? .file(path) : memory
                    let hosts = HostSwitch(try map(), store: store.scoped(scope))
                    for key in 0..<20 { try hosts.select(key % 2 == 0 ? "DEV" : "QA", for: "api.example") }
                }
            }
        }
        let store: HostChoiceStore = isFile ? .file(path) : memory
        for scope in scopes {
            let hosts = HostSwitch(try map(), store: store.scoped(scope))
            #expect(hosts.resolve("api.example")?.host == "qa.example", "scope \(scope)")
        }
    }

    @Test("The empty scope reads and writes SquidKit's format next to the other scopes")
    func format() throws {
        let squidKit = try JSONEntity(parsing: #"{"api.example": {"key": "QA", "host": "qa.example"}}"#)
        let store: HostChoiceStore = .memory(squidKit)
        let release = HostSwitch(try map(), store: store.scoped(""))
        #expect(release.resolve("api.example")?.host == "qa.example")
        let debug = HostSwitch(try map(), store: store.scoped("debug"))
        #expect(debug.resolve("api.example") == nil)
        try debug.select("DEV", for: "api.example")
        #expect(try store.load().keys == ["api.example", "@debug"])
        #expect(try store.load()["api.example"] == squidKit["api.example"])
        release.reset()
        #expect(try store.load().keys == ["@debug"])
        debug.reset()
        #expect(try store.load().isEmpty)
    }
}
