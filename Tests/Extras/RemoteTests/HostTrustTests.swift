import Ashlar
import AshlarCore
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

/// Fetched host maps: what they may change, and what their signatures cover.
@Suite(.timeLimit(.minutes(5))) struct HostTrustTests {
    private static let appMap = """
        {"configurations": [
            {"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "PROD", "hosts": [
                {"key": "PROD", "host": "www.example"}, {"key": "QA", "host": "qa.example"},
                {"key": "LAN", "host": "lan.example", "protocol": "http"}, {"key": "DEV", "host": "<@>.dev.example"}]},
            {"canonical_host": "old.example", "canonical_protocol": "http", "hosts": []}]}
        """
    private static let secrets = [
        "Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Signature",
    ]

    private static func map(
        _ host: String, scheme: String? = nil, canonical: String = "https", name: String = "api.example",
        revision: Int? = nil
    ) -> [UInt8] {
        let root = revision.map { "\"$revision\": \($0), " } ?? ""
        let own = scheme.map { ", \"protocol\": \"\($0)\"" } ?? ""
        return Array(
            """
            {\(root)"configurations": [{"canonical_host": "\(name)", "canonical_protocol": "\(canonical)",
            "release_key": "PROD", "hosts": [{"key": "PROD", "host": "\(host)"\(own)}]}]}
            """.utf8)
    }

    /// The secret fields that a server receives after a map was fetched; nil if no request was sent.
    private static func received(
        fetching map: [UInt8], hosts names: Set<String>? = nil, everyHost: Bool = false
    ) async throws -> (host: String, fields: Set<String>)? {
        let hosts = HostSwitch(try HostMap(json: Array(appMap.utf8)), defaults: .release)
        let server = StubTransport { _ in StubResponse(chunks: [map]) }
        try await hosts.remoteMap("https://config.example/h", client: NetworkClient(transport: server)).refresh()
        let stub = StubTransport { _ in StubResponse() }
        var configuration = ClientConfiguration()
        configuration.authentication = .bearer("token")
        configuration.authentication?.hosts = names
        configuration.authentication?.allowsEveryHost = everyHost
        configuration.signs = { $0.headers.set("X-Signature", "secret") }
        configuration.headers["X-Api-Key"] = "secret"
        let client = NetworkClient(configuration, transport: stub, hosts: hosts)
        var request = try NetworkRequest(.get, "https://api.example/")
        request.canonicalHost = CanonicalHost("api.example", scheme: .https)
        request.headers.set("X-Auth-Token", "secret")
        request.headers.set("Cookie", "session=secret")
        _ = try await client.send(request)
        return stub.requests.last.map { request in
            (request.url.host, Set(secrets.filter { request.headers.contains($0) }))
        }
    }

    @Test("A fetched map can't send credentials to a host that the app doesn't name")
    func foreignHost() async throws {
        let all = Set(Self.secrets)
        for host in ["www.example", "qa.example", "api.example", "QA.example.", "qa.example:8443"] {
            #expect(try await Self.received(fetching: Self.map(host))?.fields == all, "\(host)")
        }
        for host in ["evil.example", "qa.example.evil.example", "x.www.example", "127.0.0.1", "evil.dev.example"] {
            let found = try await Self.received(fetching: Self.map(host))
            #expect(found?.fields == [], "\(host)")
            #expect(found?.host == host)
        }
        // The app names the host itself.
        #expect(
            try await Self.received(fetching: Self.map("new.example"), hosts: ["api.example", "new.example"])?.fields
                == all)
        #expect(try await Self.received(fetching: Self.map("new.example"), hosts: ["api.example"])?.fields == [])
        #expect(try await Self.received(fetching: Self.map("new.example"), everyHost: true)?.fields == all)
    }

    @Test(
        "A fetched map that turns off encryption is rejected",
        arguments: [
            (map("www.example", scheme: "http"), false), (map("qa.example", scheme: "http"), false),
            (map("lan.example", scheme: "http"), true), (map("lan.example", scheme: "https"), true),
            (map("www.example", canonical: "http"), false), (map("evil.example", scheme: "http"), false),
            (map("localhost:8080", scheme: "http"), true), (map("127.0.0.1", scheme: "http"), true),
            (map("x.example", canonical: "http", name: "old.example"), true),
            (map("x.example", scheme: "http", name: "old.example"), false),
            (map("x.example", canonical: "http", name: "new.example"), false),
            (map("x.example", name: "new.example"), true),
        ])
    func downgrade(map: [UInt8], isAccepted: Bool) async throws {
        let folder = try TemporaryFolder([:])
        let hosts = HostSwitch(try HostMap(json: Array(Self.appMap.utf8)), defaults: .release)
        let server = StubTransport { _ in StubResponse(chunks: [map]) }
        let document = try hosts.remoteMap(
            "https://config.example/h", client: NetworkClient(transport: server), cache: folder.file("hosts"))
        do {
            try await document.refresh()
            #expect(isAccepted, "\(String(decoding: map, as: UTF8.self))")
        } catch let error as NetworkError {
            #expect(!isAccepted && error.code == .invalidHostMap, "\(String(decoding: map, as: UTF8.self)): \(error)")
            #expect(hosts.resolve("api.example")?.host == "www.example")
        }
    }

    private static func sign(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes + Array("secret".utf8)) }

    @Test("With verify, only a map that is signed for its name, environment and revision is used, also from the cache")
    func signatures() async throws {
        let folder = try TemporaryFolder([:])
        let response = Mutex(StubResponse())
        let server = StubTransport { _ in response.withLock { $0 } }
        func serve(_ map: [UInt8], name: String = "hosts", environment: String? = "production", signed: [UInt8]? = nil)
        {
            let bytes = RemoteDocument.signedBytes(of: signed ?? map, name: name, environment: environment)
            let headers: HTTPHeaders = ["Content-Signature": Base64.encode(Self.sign(bytes))]
            response.withLock { $0 = StubResponse(headers: headers, chunks: [map]) }
        }
        func start(_ environment: String?) throws -> (HostSwitch, RemoteDocument) {
            let hosts = HostSwitch(try HostMap(json: Array(Self.appMap.utf8)), defaults: .release)
            let document = try hosts.remoteMap(
                "https://config.example/h", client: NetworkClient(transport: server), cache: folder.file("hosts"),
                environment: environment, verify: { Self.sign($0) == $1 })
            return (hosts, document)
        }
        let (hosts, document) = try start("production")
        let new = Self.map("qa.example", revision: 7)
        response.withLock { $0 = StubResponse(chunks: [new]) }
        await #expect(throws: RemoteError.self) { try await document.refresh() }
        serve(new, signed: Self.map("www.example", revision: 7))
        await #expect(throws: RemoteError.self) { try await document.refresh() }
        serve(new, name: "configuration")
        await #expect(throws: RemoteError.self) { try await document.refresh() }
        for environment in ["staging", nil, "production\n"] {
            serve(new, environment: environment)
            await #expect(throws: RemoteError.self) { try await document.refresh() }
        }
        #expect(hosts.resolve("api.example")?.host == "www.example")
        serve(new)
        #expect(try await document.refresh())
        #expect(hosts.resolve("api.example")?.host == "qa.example")
        serve(Self.map("www.example", revision: 6))
        await #expect(throws: RemoteError.self) { try await document.refresh() }
        serve(Self.map("www.example"))
        await #expect(throws: RemoteError.self) { try await document.refresh() }
        #expect(try start("production").0.resolve("api.example")?.host == "qa.example")
        #expect(
            try start("staging").0.resolve("api.example")?.host == "www.example", "the stored copy is verified again")
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
                        RemoteDocument.signedBytes(of: Array(document.utf8), name: name, environment: environment))
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
            ("flags", "production", true), ("flags", "staging", false), ("hosts", "production", false),
            ("flags", nil, false),
        ] as [(String, String?, Bool)] {
            let signature = Self.sign(RemoteDocument.signedBytes(of: document, name: name, environment: environment))
            let source = RemoteConfigSource(
                "flags", environment: "production", verify: { Self.sign($0) == $1 },
                fetch: { _ in .document(document, signature: signature) })
            #expect((try? await source.fetch()) == (isAccepted ? true : nil), "\(name) \(environment ?? "none")")
        }
    }
}
