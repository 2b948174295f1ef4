import Ashlar
import AshlarCore
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

/// What the signatures of documents cover.
@Suite(.timeLimit(.minutes(5))) struct SignatureTests {
    private static func sign(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes + Array("secret".utf8)) }

    @Test(
        "With verify, only a document that is signed for its name, environment and revision is used, also from the cache"
    )
    func signatures() async throws {
        let folder = try TemporaryFolder([:])
        let response = Mutex(StubResponse())
        let server = StubTransport { _ in response.withLock { $0 } }
        func document(_ n: Int, revision: Int? = nil) -> [UInt8] {
            Array("{\(revision.map { "\"$revision\": \($0), " } ?? "")\"n\": \(n)}".utf8)
        }
        func serve(
            _ document: [UInt8], name: String = "configuration", environment: String? = "production",
            signed: [UInt8]? = nil
        ) {
            let bytes = RemoteConfigSource.signedBytes(of: signed ?? document, name: name, environment: environment)
            let headers: HTTPHeaders = ["Content-Signature": Base64.encode(Self.sign(bytes))]
            response.withLock { $0 = StubResponse(headers: headers, chunks: [document]) }
        }
        func start(_ environment: String?) throws -> ConfigStore {
            let source = try RemoteConfigSource(
                "remote", url: "https://config.example/c", client: NetworkClient(transport: server),
                cache: folder.file("cache"), signedName: "configuration", environment: environment,
                verify: { Self.sign($0) == $1 })
            var plan = plan(["ApplicationConfig.json": #"{"n": 0}"#])
            plan.add(source)
            return try ConfigStore(loading: plan)
        }
        let store = try start("production")
        let new = document(1, revision: 7)
        response.withLock { $0 = StubResponse(chunks: [new]) }
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        serve(new, signed: document(0, revision: 7))
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        serve(new, name: "hosts")
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        for environment in ["staging", nil, "production\n"] {
            serve(new, environment: environment)
            await #expect(throws: ConfigError.self) { try await store.refresh() }
        }
        #expect(store.current.int(forKey: "n") == 0)
        serve(new)
        try await store.refresh()
        #expect(store.current.int(forKey: "n") == 1)
        serve(document(2, revision: 6))
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        serve(document(2))
        await #expect(throws: ConfigError.self) { try await store.refresh() }
        #expect(try start("production").current.int(forKey: "n") == 1)
        #expect(try start("staging").current.int(forKey: "n") == 0, "the stored copy is verified again")
    }

    @Test("The name and the environment of a signature can't be moved into each other or into the document")
    func signedBytes() {
        let texts = ["", "a", "a\nenvironment: \"b\"", "\n\n", "\"", "\u{2028}"]
        var seen: Set<[UInt8]> = []
        var count = 0
        for name in texts {
            for environment in [nil] + texts.map(Optional.some) {
                for document in texts {
                    seen.insert(
                        RemoteConfigSource.signedBytes(of: Array(document.utf8), name: name, environment: environment))
                    count += 1
                }
            }
        }
        #expect(seen.count == count)
    }

    @Test("A configuration that is signed for another name or environment is rejected")
    func configuration() async throws {
        let document = Array(#"{"n": 1}"#.utf8)
        for (name, environment, isAccepted) in [
            ("settings", "production", true), ("settings", "staging", false), ("hosts", "production", false),
            ("settings", nil, false),
        ] as [(String, String?, Bool)] {
            let signature = Self.sign(
                RemoteConfigSource.signedBytes(of: document, name: name, environment: environment))
            let source = RemoteConfigSource(
                "settings", environment: "production", verify: { Self.sign($0) == $1 },
                fetch: { _ in .document(document, signature: signature) })
            let wasAccepted = (try? await source.refresh()) != nil
            #expect(wasAccepted == isAccepted, "\(name) \(environment ?? "none")")
        }
    }
}
