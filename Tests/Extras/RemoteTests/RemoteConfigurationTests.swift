import Ashlar
import AshlarRemote
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

/// A server with one file: its content and entity tag can change, and it can fail.
private final class FileServer: Sendable {
    private struct State {
        var text: String?
        var tag: String?
        var tagsSent: [String?] = []
    }
    private let state = Mutex(State())

    init(_ text: String?, tag: String? = nil) { set(text, tag: tag) }

    /// A nil text makes the server fail.
    func set(_ text: String?, tag: String? = nil) { state.withLock { ($0.text, $0.tag) = (text, tag) } }

    /// The entity tags of the requests, in order.
    var tagsSent: [String?] { state.withLock { $0.tagsSent } }

    var client: NetworkClient { NetworkClient(ClientConfiguration(), transport: transport) }

    var transport: StubTransport {
        StubTransport { (request) throws(NetworkError) -> StubResponse in
            let sent = request.headers["If-None-Match"]
            let (text, tag) = self.state.withLock { state in
                state.tagsSent.append(sent)
                return (state.text, state.tag)
            }
            guard let text else { return StubResponse(status: 503) }
            if let tag, tag == sent { return StubResponse(status: 304) }
            return StubResponse(headers: tag.map { ["ETag": $0] } ?? [:], chunks: [Array(text.utf8)])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct RemoteConfigurationTests {
    @Test("A remote source sends the entity tag of its document and reads the signature of the response")
    func fetches() async throws {
        let document = Array(#"{"n": 1}"#.utf8)
        let stub = StubTransport { request throws(NetworkError) in
            guard request.headers["If-None-Match"] != "\"1\"" else { return StubResponse(status: 304) }
            return StubResponse(
                headers: ["ETag": "\"1\"", "Content-Signature": "AQI="], chunks: [document])
        }
        let configuration = ClientConfiguration()
        let client = NetworkClient(configuration, transport: stub)
        let remote = try RemoteConfigSource("remote", url: "https://example.org/c.json", client: client) {
            $0 == RemoteConfigSource.signedBytes(of: document, name: "remote") && $1 == [1, 2]
        }
        try await remote.refresh()
        var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"n": 0}"#]), environments: [])
        plan.add(remote)
        let store = try ConfigStore(loading: plan)
        #expect(store.current.int(forKey: "n") == 1)
        #expect(remote.status.version == "\"1\"")
        try await remote.refresh()
        #expect(remote.status.version == "\"1\"" && remote.status.error == nil)
    }

    @Test("A failing server leaves the document active, and the error is the client's")
    func fails() async throws {
        let client = NetworkClient(ClientConfiguration(), transport: StubTransport(["GET /c.json": .status(500)]))
        let remote = try RemoteConfigSource("remote", url: "https://example.org/c.json", client: client)
        let error = await #expect(throws: ConfigError.self) { try await remote.refresh() }
        #expect((error?.underlying as? NetworkError)?.code == .unacceptableStatus)
    }

    @Test("Only the status 200 brings a document", arguments: [201, 202, 203])
    func otherStatuses(status: Int) async throws {
        let stub = StubTransport { _ in StubResponse(status: status, chunks: [Array("{}".utf8)]) }
        let remote = try RemoteConfigSource("r", url: Self.url, client: NetworkClient(transport: stub))
        await #expect(throws: ConfigError.self) { try await remote.refresh() }
        #expect(remote.status.date == nil)
    }

    private static let url = "https://config.example/file"

    private static func source(_ server: FileServer, cache: String? = nil) throws -> RemoteConfigSource {
        try RemoteConfigSource("remote", url: url, client: server.client, cache: cache)
    }

    private static func store(_ source: RemoteConfigSource) throws -> ConfigStore {
        var plan = plan(["ApplicationConfig.json": #"{"n": 0}"#])
        plan.add(source)
        return try ConfigStore(loading: plan)
    }

    @Test("A document is fetched conditionally; a failure or a malformed document leaves the current one")
    func conditional() async throws {
        let folder = try TemporaryFolder([:])
        let server = FileServer(#"{"n": 1}"#, tag: "\"1\"")
        let source = try Self.source(server, cache: folder.file("cache"))
        let store = try Self.store(source)
        #expect(source.status.version == nil)
        #expect(try await store.refresh().description == "n: 0 → 1")
        let first = try #require(source.status.date)
        #expect(try await store.refresh().isEmpty)
        #expect(try #require(source.status.date) >= first)

        for (text, tag) in [(nil, nil), ("{", "\"2\"")] as [(String?, String?)] {
            server.set(text, tag: tag)
            await #expect(throws: ConfigError.self) { try await store.refresh() }
            #expect(store.current.int(forKey: "n") == 1)
            #expect(source.status.version == "\"1\"")
            let isOfClient = source.status.failure?.underlying is NetworkError
            #expect(isOfClient == (text == nil))
        }
        server.set(#"{"n": 2}"#, tag: "\"4\"")
        #expect(try await store.refresh().description == "n: 1 → 2")
        #expect(source.status.error == nil)
        #expect(server.tagsSent == [nil] + Array(repeating: "\"1\"", count: 4))
    }

    @Test("The next start uses the last valid document before it fetches, and sends its entity tag")
    func restart() async throws {
        let folder = try TemporaryFolder([:])
        let server = FileServer(#"{"n": 1}"#, tag: "\"1\"")
        try await Self.source(server, cache: folder.file("cache")).refresh()
        server.set("{")
        let store = try Self.store(Self.source(server, cache: folder.file("cache")))
        #expect(store.current.int(forKey: "n") == 1)
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(server.tagsSent == [nil, "\"1\""])
        let third = try Self.store(Self.source(server, cache: folder.file("cache")))
        #expect(third.current.int(forKey: "n") == 1, "a malformed document isn't stored")
    }

    @Test("A stored copy that is damaged, of another format or unreadable is reported and not used")
    func damagedCache() async throws {
        let folder = try TemporaryFolder([:])
        let cache = folder.file("cache")
        let server = FileServer(#"{"n": 1}"#)
        try await Self.source(server, cache: cache).refresh()
        let good = try Data(contentsOf: URL(fileURLWithPath: cache))
        for bytes in [Data(), Data("{}".utf8), good.dropLast(), good + Data("x".utf8)] {
            try bytes.write(to: URL(fileURLWithPath: cache))
            let source = try Self.source(server, cache: cache)
            #expect(try Self.store(source).current.int(forKey: "n") == 0)
            let error = try #require(source.status.failure)
            #expect(error.reason == "the cache file is not a whole document")
            try await source.refresh()
            #expect(source.status.error == nil)
        }
    }

    @Test("Concurrent refreshes end with the server's last document")
    func concurrent() async throws {
        let server = FileServer("{}")
        let source = try Self.source(server)
        for round in 1...50 {
            server.set("{\"n\": \(round)}")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try? await source.refresh() } }
            }
            #expect(try Self.store(source).current.int(forKey: "n") == round)
        }
    }

    @Test(
        "A document from another machine is fetched over TLS, unless its signature is verified",
        arguments: [
            ("http://config.example/file", false), ("HTTP://192.0.2.1/file", false), ("http://0.0.0.0/file", false),
            ("http://127.0.0.1.example/file", false), ("http://localhost.example/file", false),
            ("https://config.example/file", true), ("http://localhost:8080/file", true),
            ("http://127.0.0.1/file", true), ("http://[::1]/file", true),
        ])
    func plainHTTP(url: String, isSafe: Bool) throws {
        let client = FileServer("{}").client
        if isSafe {
            _ = try RemoteConfigSource("remote", url: url, client: client)
        } else {
            let error = #expect(throws: NetworkError.self) {
                try RemoteConfigSource("remote", url: url, client: client)
            }
            #expect(error?.code == .invalidConfiguration && error?.key == "url")
        }
        _ = try RemoteConfigSource("remote", url: url, client: client, verify: { _, _ in true })

        let folder = try TemporaryFolder(["ApplicationConfig.json": "{}"])
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        configuration.remote = RemoteFiles(cache: folder.path)
        configuration.remote?.configuration = url
        let issues = AshlarApp(configuration).issues.filter { $0.part == .configuration }
        #expect(issues.contains { $0.isError && $0.message.contains("plain HTTP") } == !isSafe, "\(issues)")
    }

    @Test("A malformed URL throws")
    func malformedURL() {
        #expect(throws: NetworkError.self) {
            try RemoteConfigSource("remote", url: "no url", client: FileServer("").client)
        }
    }
}
