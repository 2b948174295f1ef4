import Ashlar
import AshlarNetworkingTestSupport
import AshlarRemote
import AshlarTestSupport
import AshlarTesting
import Foundation
import Testing

// What a document without a signature can't change.
extension RemoteConfigSourceTests {
    @Test(
        "A document that changes pins or link hosts is rejected unless it is signed",
        arguments: [
            (#"{"network": {"pinnedKeys": null}}"#, "network.pinnedKeys"),
            (#"{"network": {"pinnedKeys": {}}}"#, "network.pinnedKeys"),
            (#"{"network": {"pinnedKeys": {"a.example": "sha256//x"}}}"#, "network.pinnedKeys"),
            (#"{"network": null}"#, "network"), (#"{"network": 5}"#, "network"), (#"{"network": []}"#, "network"),
            (#"{"network.pinnedKeys": {}}"#, #"network\.pinnedKeys"#),
            (#"{"network.pinnedKeys.localhost": "x"}"#, #"network\.pinnedKeys\.localhost"#),
            (#"{"com.acme.*": {"network": {"pinnedKeys": null}}}"#, #"com\.acme\.*.network.pinnedKeys"#),
            (#"{"app": {"links": {"hosts": ["evil.example"]}}}"#, "app.links.hosts"),
            (#"{"app": {"links": null}}"#, "app.links"), (#"{"app": "x"}"#, "app"),
        ])
    func reserved(text: String, key: String) async throws {
        let folder = try TemporaryFolder([:])
        let unsigned = source(cache: folder.file("unsigned"))
        await server.serve(#"{"network": {"idleTimeout": 5}, "app": {"links": {"schemes": ["a"]}}, "x.y": {"b": 1}}"#)
        try await unsigned.refresh()
        await server.serve(text, version: "bad")
        let error = await #expect(throws: ConfigError.self) { try await unsigned.refresh() }
        #expect(error?.key?.description == key && error?.code == .invalidValue, "\(error as Any)")
        #expect(error?.description.contains("a document without a signature can't change") == true)
        #expect(unsigned.status.version == nil && unsigned.status.failure?.key == error?.key)

        let signed = source(cache: folder.file("signed"), verify: { _, _ in true })
        await server.serve(text, version: "good", signature: [1])
        try await signed.refresh()
        #expect(signed.status.version == "good")
        // A stored document isn't used either if its signature isn't checked any longer.
        let later = source(cache: folder.file("signed"))
        #expect(later.status.version == nil && later.status.failure?.key == error?.key)
    }
}

#if os(Linux)
    @Suite(.timeLimit(.minutes(5))) struct PinTests {
        @Test("The pins that an app ships apply to each of its requests, also to the first one for its configuration")
        func firstRequest() async throws {
            let server = try TestServer(tls: true) { _ in .text(#"{"title": "remote"}"#) }
            let other = try TestServer(tls: true)
            for (pin, isTrusted) in [(server.pin, true), (other.pin, false)] {
                let pin = try #require(pin)
                let folder = try Self.folder(
                    #"{"title": "shipped", "network": {"pinnedKeys": {"127.0.0.1": "\#(pin)"}}}"#, server)
                let app = Self.app(folder, server, isSigned: false)
                #expect(app.issues.filter { $0.part == .configuration }.isEmpty, "\(app.issues)")
                let sent = server.requestCount
                let issues = await app.refresh()
                #expect(issues.isEmpty == isTrusted, "\(issues)")
                #expect(app.config.current.string(forKey: "title") == (isTrusted ? "remote" : "shipped"))
                let result = await Self.send(to: server, by: app.client)
                #expect(result.failure?.code == (isTrusted ? nil : .certificateUntrusted), "\(result)")
                #expect(server.requestCount == sent + (isTrusted ? 2 : 0))
                withExtendedLifetime(folder) {}
            }
        }

        @Test("A document without a signature doesn't replace a pin that refers to another value; a signed one does")
        func references() async throws {
            let server = try TestServer(tls: true) { _ in .text("{}") }
            let other = try TestServer(tls: true)
            let (own, foreign) = (try #require(server.pin), try #require(other.pin))
            let verify: RemoteConfigSource.Verification = { _, _ in true }
            for isSigned in [false, true] {
                let folder = try Self.folder(
                    #"{"pin": "\#(own)", "network": {"pinnedKeys": {"127.0.0.1": "${pin}"}}}"#, server)
                let first = RemoteConfigSource(
                    "remote", cache: folder.file("configuration"), verify: isSigned ? verify : nil
                ) { _ in .document(Array(#"{"pin": "\#(foreign)"}"#.utf8), signature: [1]) }
                try await first.refresh()
                let app = Self.app(folder, server, isSigned: isSigned)
                #expect(app.config.current.string(forKey: "pin") == foreign)
                let result = await Self.send(to: server, by: app.client)
                #expect(result.failure?.code == (isSigned ? .certificateUntrusted : nil), "\(result)")
            }
        }

        @Test(
            "A document without a signature doesn't change a link host that refers to another value; a signed one does")
        func linkHosts() async throws {
            for isSigned in [false, true] {
                let folder = try TemporaryFolder([
                    "ApplicationConfig.json": #"{"host": "good", "app": {"links": {"hosts": ["${host}.example"]}}}"#
                ])
                let verify: RemoteConfigSource.Verification = { _, _ in true }
                let first = RemoteConfigSource(
                    "remote", cache: folder.file("configuration"), verify: isSigned ? verify : nil
                ) { _ in .document(Array(#"{"host": "evil"}"#.utf8), signature: [1]) }
                try await first.refresh()
                var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
                configuration.storage = .memory
                configuration.remote = RemoteFiles(cache: folder.path)
                configuration.remote?.configuration = "https://config.example/c"
                if isSigned { configuration.remote?.verify = verify }
                let app = AshlarApp(configuration)
                _ = try app.router.route("/city/:name") { _ in }
                #expect(app.config.current.string(forKey: "host") == "evil")
                #expect(await (app.open("https://evil.example/city/a") != nil) == isSigned)
                #expect(await (app.open("https://good.example/city/a") != nil) == !isSigned)
            }
        }

        /// Returns a folder with a configuration and the certificate of a server.
        private static func folder(_ configuration: String, _ server: TestServer) throws -> TemporaryFolder {
            let certificate = try #require(server.certificate)
            return try TemporaryFolder(["ApplicationConfig.json": configuration, "roots.pem": certificate])
        }

        private static func send(
            to server: TestServer, by client: NetworkClient
        ) async -> Result<NetworkResponse, NetworkError> {
            await outcome { () async throws(NetworkError) in try await client.send(client.request(.get, server.url)) }
        }

        private static func app(_ folder: TemporaryFolder, _ server: TestServer, isSigned: Bool) -> AshlarApp {
            var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
            configuration.storage = .memory
            configuration.client.transport.trustRoots = folder.file("roots.pem")
            configuration.remote = RemoteFiles(cache: folder.path)
            configuration.remote?.configuration = server.url + "/configuration"
            if isSigned { configuration.remote?.verify = { _, _ in true } }
            return AshlarApp(configuration)
        }
    }
#endif
