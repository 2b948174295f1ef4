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

@Suite(.timeLimit(.minutes(5))) struct RemoteDocumentTests {
    private static let url = "https://config.example/file"
    private static func map(_ host: String) -> String {
        TemporaryFolder.hostMap.replacingOccurrences(of: "www.example", with: host)
    }
    private static func release(_ hosts: HostSwitch) -> String? { hosts.resolve("api.example")?.host }

    @Test("A map is fetched conditionally; a failure or a malformed map leaves the current one")
    func conditional() async throws {
        let folder = try TemporaryFolder([:])
        let server = FileServer(Self.map("one.example"), tag: "\"1\"")
        let hosts = HostSwitch(.empty, defaults: .release)
        let file = try hosts.remoteMap(Self.url, client: server.client, cache: folder.path + "/hosts")
        #expect(file.status.version == nil)
        #expect(Self.release(hosts) == nil)
        #expect(try await file.refresh())
        #expect(Self.release(hosts) == "one.example")
        let first = try #require(file.status.date)
        #expect(try await !file.refresh())
        #expect(file.status.date.map { $0 >= first } == true)

        for (text, tag) in [(nil, nil), ("{", "\"2\""), ("[]", "\"3\"")] as [(String?, String?)] {
            server.set(text, tag: tag)
            await #expect(throws: NetworkError.self) { try await file.refresh() }
            #expect(Self.release(hosts) == "one.example")
            #expect(file.status.version == "\"1\"")
            #expect(file.status.error is NetworkError)
        }
        server.set(Self.map("two.example"), tag: "\"4\"")
        #expect(try await file.refresh())
        #expect(Self.release(hosts) == "two.example")
        #expect(file.status.error == nil)
        #expect(server.tagsSent == [nil] + Array(repeating: "\"1\"", count: 5))
    }

    @Test("The next start uses the last valid map before it fetches, and sends its entity tag")
    func restart() async throws {
        let folder = try TemporaryFolder([:])
        let cache = folder.path + "/hosts"
        let server = FileServer(Self.map("one.example"), tag: "\"1\"")
        let first = HostSwitch(.empty, defaults: .release)
        try await first.remoteMap(Self.url, client: server.client, cache: cache).refresh()
        server.set("no map")
        let second = HostSwitch(.empty, defaults: .release)
        let file = try second.remoteMap(Self.url, client: server.client, cache: cache)
        #expect(Self.release(second) == "one.example")
        await #expect(throws: NetworkError.self) { try await file.refresh() }
        #expect(server.tagsSent == [nil, "\"1\""])

        let third = HostSwitch(.empty, defaults: .release)
        _ = try third.remoteMap(Self.url, client: server.client, cache: cache)
        #expect(Self.release(third) == "one.example", "a rejected map isn't stored")
    }

    @Test("A stored copy that is damaged, of another format or unreadable is reported and not used")
    func damagedCache() async throws {
        let folder = try TemporaryFolder([:])
        let cache = folder.path + "/hosts"
        let server = FileServer(Self.map("one.example"))
        try await HostSwitch(.empty).remoteMap(Self.url, client: server.client, cache: cache).refresh()
        let good = try Data(contentsOf: URL(fileURLWithPath: cache))
        for bytes in [Data(), Data("{}".utf8), good.dropLast(), good + Data("x".utf8)] {
            try bytes.write(to: URL(fileURLWithPath: cache))
            let hosts = HostSwitch(.empty, defaults: .release)
            let file = try hosts.remoteMap(Self.url, client: server.client, cache: cache)
            #expect(Self.release(hosts) == nil)
            #expect(
                file.status.error.map { "\($0)" }?.contains("hosts: the cache file is not a whole document") == true)
            #expect(try await file.refresh())
            #expect(file.status.error == nil)
        }
        let missing = try HostSwitch(.empty).remoteMap(Self.url, client: server.client, cache: "/nonexistent/hosts")
        #expect(try await missing.refresh(), "a file that can't be stored is used")
        #expect(missing.status.error != nil)
    }

    @Test("Concurrent refreshes end with the server's last file and are accepted one at a time")
    func concurrent() async throws {
        let accepting = Atomic(0)
        let overlaps = Atomic(0)
        let server = FileServer("0")
        let last = Mutex("")
        let file = try RemoteDocument("file", url: Self.url, client: server.client) { bytes in
            if accepting.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
            last.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            accepting.subtract(1, ordering: .relaxed)
        }
        for round in 1...50 {
            server.set("\(round)")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try? await file.refresh() } }
            }
            #expect(last.withLock { $0 } == "\(round)")
        }
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test("A malformed URL throws")
    func malformedURL() {
        #expect(throws: NetworkError.self) {
            try RemoteDocument("file", url: "no url", client: FileServer("").client) { _ in }
        }
    }

    #if os(Linux) || os(macOS)
        @Test("An app fetches configuration and host map, and can then start with them offline")
        func app() async throws {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder([
                    "ApplicationConfig.json": #"{"title": "shipped"}"#, "HostMap.json": TemporaryFolder.hostMap,
                    "cache/.keep": "",
                ])
                let (config, hosts) = (
                    FileServer(#"{"title": "remote"}"#, tag: "c1"),
                    FileServer(RemoteDocumentTests.map("new.example"), tag: "h1")
                )
                func app() -> AshlarApp {
                    var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
                    configuration.storage = .folder(folder.path + "/state")
                    configuration.remote = RemoteFiles(cache: folder.path + "/cache")
                    configuration.remote?.configuration = "https://config.example/c"
                    configuration.remote?.hostMap = "https://config.example/h"
                    let transports = ["/c": config.transport, "/h": hosts.transport]
                    configuration.transport = RoutingTransport(transports)
                    return AshlarApp(configuration)
                }
                func state(_ app: AshlarApp) -> [String] {
                    [
                        app.config.current.string(forKey: "title") ?? "",
                        app.hosts.resolve("api.example")?.host ?? "",
                    ]
                }
                let first = app()
                #expect(state(first) == ["shipped", "www.example"])
                #expect(first.issues.isEmpty)
                #expect(await first.refresh().isEmpty)
                #expect(state(first) == ["remote", "new.example"])

                for server in [config, hosts] { server.set(nil) }
                let second = app()
                #expect(state(second) == ["remote", "new.example"])
                let issues = await second.refresh()
                #expect(issues.map(\.part) == [.configuration, .hosts])
                #expect(issues.allSatisfy { $0.isError && $0.message.contains("503") }, "\(issues)")
                #expect(state(second) == ["remote", "new.example"])

                hosts.set("{}", tag: "h2")
                #expect(await second.refresh().map(\.part) == [.configuration, .hosts])
                #expect(state(second) == ["remote", "new.example"])
                #expect(state(app()) == ["remote", "new.example"])
            }
        }
    #endif
}

/// Uses a separate transport for each path.
private struct RoutingTransport: NetworkTransport {
    let transports: [String: StubTransport]
    init(_ transports: [String: StubTransport]) { self.transports = transports }

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        guard let transport = transports[request.url.path] else { throw NetworkError(.cannotConnect, "no such path") }
        return try await transport.send(request)
    }
}
