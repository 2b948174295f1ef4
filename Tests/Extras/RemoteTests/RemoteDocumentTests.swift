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

    /// The text of the last document; documents that begin with `!` are rejected.
    private final class Display: Sendable {
        struct Rejected: Error {}
        let text = Mutex<String?>(nil)

        func document(_ server: FileServer, cache: String? = nil) throws -> RemoteDocument {
            try RemoteDocument("file", url: RemoteDocumentTests.url, client: server.client, cache: cache) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                if text.hasPrefix("!") { throw Rejected() }
                self.text.withLock { $0 = text }
            }
        }
    }

    @Test("A document is fetched conditionally; a failure or a rejected document leaves the current one")
    func conditional() async throws {
        let folder = try TemporaryFolder([:])
        let server = FileServer("one", tag: "\"1\"")
        let display = Display()
        let file = try display.document(server, cache: folder.file("cache"))
        #expect(file.status.version == nil)
        #expect(try await file.refresh())
        #expect(display.text.withLock { $0 } == "one")
        let first = try #require(file.status.date)
        #expect(try await !file.refresh())
        #expect(try #require(file.status.date) >= first)

        for (text, tag) in [(nil, nil), ("!", "\"2\"")] as [(String?, String?)] {
            server.set(text, tag: tag)
            await #expect(throws: (any Error).self) { try await file.refresh() }
            #expect(display.text.withLock { $0 } == "one")
            #expect(file.status.version == "\"1\"")
            #expect(text == nil ? file.status.error is NetworkError : file.status.error is Display.Rejected)
        }
        server.set("two", tag: "\"4\"")
        #expect(try await file.refresh())
        #expect(display.text.withLock { $0 } == "two")
        #expect(file.status.error == nil)
        #expect(server.tagsSent == [nil] + Array(repeating: "\"1\"", count: 4))
    }

    @Test("The next start uses the last valid document before it fetches, and sends its entity tag")
    func restart() async throws {
        let folder = try TemporaryFolder([:])
        let server = FileServer("one", tag: "\"1\"")
        try await Display().document(server, cache: folder.file("cache")).refresh()
        server.set("!")
        let second = Display()
        let file = try second.document(server, cache: folder.file("cache"))
        #expect(second.text.withLock { $0 } == "one")
        await #expect(throws: Display.Rejected.self) { try await file.refresh() }
        #expect(server.tagsSent == [nil, "\"1\""])

        let third = Display()
        _ = try third.document(server, cache: folder.file("cache"))
        #expect(third.text.withLock { $0 } == "one", "a rejected document isn't stored")
    }

    @Test("A stored copy that is damaged, of another format or unreadable is reported and not used")
    func damagedCache() async throws {
        let folder = try TemporaryFolder([:])
        let cache = folder.file("cache")
        let server = FileServer("one")
        try await Display().document(server, cache: cache).refresh()
        let good = try Data(contentsOf: URL(fileURLWithPath: cache))
        for bytes in [Data(), Data("{}".utf8), good.dropLast(), good + Data("x".utf8)] {
            try bytes.write(to: URL(fileURLWithPath: cache))
            let display = Display()
            let file = try display.document(server, cache: cache)
            #expect(display.text.withLock { $0 } == nil)
            let error = try #require(file.status.error)
            #expect("\(error)".contains("cache: the cache file is not a whole document"))
            #expect(try await file.refresh())
            #expect(file.status.error == nil)
        }
        let missing = try Display().document(server, cache: "/nonexistent/cache")
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
}
