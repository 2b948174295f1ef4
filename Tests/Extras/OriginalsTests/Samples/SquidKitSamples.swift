// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AshlarOriginals
import Testing

/// The endpoint of SquidKit's sample.
class TestEndpoint: JSONResponseEndpoint, @unchecked Sendable {
    override func host() -> String {
        return "httpbin.org"
    }

    override func path() -> String {
        return "get"
    }

    override func params() -> ([String: any Sendable]?, SquidKit.Method) {
        return (["foo": "bar"], .GET)
    }
}

extension Samples {
    @Suite struct SquidKitSamples {
        private static let hostMap = """
            {
                "configurations": [
                   {
                   "canonical_host": "httpbin.org",
                   "canonical_protocol": "http",
                   "prerelease_key": "DEV",
                   "release_key": "PROD",
                   "hosts":  [
                                 {
                                 "key": "PROD",
                                 "host": "httpbin.org"
                                 },
                                 {
                                 "key": "QA",
                                 "host": "qa.httpbin.org",
                                 "protocol": "https"
                                 },
                                 {
                                 "key": "DEV",
                                 "host": "dev.httpbin.org"
                                 },
                                 {
                                 "key": "localhost",
                                 "host": "localhost"
                                 },
                                 {
                                 "key": "USER"
                                 }
                             ]
                   }
                ]
            }

            """
        private let folder: SampleFolder

        init() throws { folder = try SampleFolder(["MyHostMap.json": Self.hostMap]) }

        // MARK: Networking

        @Test("TestEndpoint: host, path and params make the request")
        func endpoint() async throws {
            let stub = StubTransport(["GET /get": .json("{}")])
            await TestEndpoint(client: NetworkClient(transport: stub)).connect { _, _ in }.value
            #expect(
                stub.requests.map { "\($0.method) \($0.url.requestText)" } == ["GET http://httpbin.org/get?foo=bar"])
        }

        /// The sample of `connect`.
        private func connect(_ MyEndpoint: TestEndpoint) async {
            await MyEndpoint.connect { (JSON, status) -> Void in
                switch status {
                case .OK:
                    Log.print("JSON: \(JSON)")
                case .HTTPError(let code, let message):
                    Log.print("\(code): \(message)")
                case .NotConnectedError:
                    Log.message("maybe turn on the internets")
                case .HostConnectionError:
                    Log.message("can't find that host")
                case .ResourceUnavailableError:
                    Log.message("can't find what you're looking for")
                case .UnknownError(let error):
                    Log.print(error.code)
                default:
                    break
                }
            }.value
            // The closure is on the main queue before this.
            await MainActor.run {}
        }

        @Test(
            "connect: each status logs its documented text",
            arguments: [
                (.json(#"{"args":{"foo":"bar"}}"#), #"JSON: {"args":{"foo":"bar"}}"#),
                (.json("{}", status: 404), "404: nil"),
                (StubResponse(status: 418, headers: ["Error": "teapot"]), "418: teapot"),
                (.failing(NetworkError(.notConnected)), "maybe turn on the internets"),
                (.failing(NetworkError(.hostNotFound)), "can't find that host"),
                (.failing(NetworkError(.fileFailed)), "can't find what you're looking for"),
                (.failing(NetworkError(.timedOut)), "timedOut"),
                (.text("no JSON"), nil),
            ] as [(StubResponse, String?)])
        func statuses(response: StubResponse, text: String?) async {
            defer { endLog() }
            startLog(in: folder)
            await connect(TestEndpoint(client: NetworkClient(transport: StubTransport(["GET /get": response]))))
            #expect(LogSystem.liveLog == (text.map { "[LOGGING] SquidKitSamples - \($0)\n" } ?? ""))
        }

        @Test("Log: nil logs nothing")
        func logOfNil() {
            defer { endLog() }
            startLog(in: folder)
            Log.message(nil)
            Log.print(Int?.none)
            #expect(LogSystem.liveLog.isEmpty)
        }

        // MARK: Network host environments

        /// The sample's own cache.
        private final class MyHostMapCache: HostMapCache {
            nonisolated(unsafe) private(set) var choices: JSONEntity = .missing
            var store: HostChoiceStore { HostChoiceStore(load: { self.choices }, save: { self.choices = $0 }) }
        }

        private func request() async -> String {
            let stub = StubTransport(["GET /get": .json("{}")])
            let client = NetworkClient(transport: stub, hosts: HostMapManager.sharedInstance.hosts)
            await TestEndpoint(client: client).connect { _, _ in }.value
            return stub.requests.map(\.url.requestText).joined()
        }

        @Test("The host map is loaded; prerelease is DEV, release is PROD")
        func environments() async {
            HostMapManager.sharedInstance.hostMapCache = MyHostMapCache()
            #expect(HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(folder.file("MyHostMap.json")))
            #expect(HostMapManager.sharedInstance.hosts.rows.map(\.title) == ["httpbin.org"])
            #expect(
                HostMapManager.sharedInstance.hosts.rows[0].rows.map(\.key) == [
                    "PROD", "QA", "DEV", "localhost", "USER",
                ])
            #expect(
                HostMapManager.sharedInstance.hosts.rows[0].rows.map(\.editing) == [.none, .none, .none, .none, .text])
            HostMapManager.sharedInstance.setPrereleaseConfigurations()
            #expect(await request() == "http://dev.httpbin.org/get?foo=bar")
            HostMapManager.sharedInstance.setReleaseConfigurations()
            #expect(await request() == "http://httpbin.org/get?foo=bar")
        }

        @Test("QA has its own protocol, and the host of USER is typed")
        func selections() async throws {
            HostMapManager.sharedInstance.hostMapCache = MyHostMapCache()
            HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(folder.file("MyHostMap.json"))
            try HostMapManager.sharedInstance.hosts.select("QA", for: "httpbin.org")
            #expect(await request() == "https://qa.httpbin.org/get?foo=bar")
            try HostMapManager.sharedInstance.hosts.select("USER", for: "httpbin.org", userHost: "my.mac:8080")
            #expect(await request() == "http://my.mac:8080/get?foo=bar")
        }

        @Test("A file with errors changes nothing")
        func malformedFile() throws {
            HostMapManager.sharedInstance.hostMapCache = MyHostMapCache()
            HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(folder.file("MyHostMap.json"))
            let bad = try SampleFolder(["MyHostMap.json": "{"])
            #expect(!HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(bad.file("MyHostMap.json")))
            #expect(HostMapManager.sharedInstance.hosts.rows.map(\.title) == ["httpbin.org"])
        }

        @Test("hostMapCache: own caches store selections, removeAll clears them, and nil stores nothing")
        func caches() throws {
            let cache = MyHostMapCache()
            HostMapManager.sharedInstance.hostMapCache = cache
            HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(folder.file("MyHostMap.json"))
            try HostMapManager.sharedInstance.hosts.select("QA", for: "httpbin.org")
            #expect(cache.choices == ["httpbin.org": ["key": "QA", "host": "qa.httpbin.org"]])
            // After a restart, the setting remains in effect.
            HostMapManager.sharedInstance.hostMapCache = cache
            #expect(HostMapManager.sharedInstance.hosts.resolve("httpbin.org")?.host == "qa.httpbin.org")
            HostMapManager.sharedInstance.hostMapCache?.removeAll()
            #expect(cache.choices == [:])
            HostMapManager.sharedInstance.hostMapCache = cache
            #expect(HostMapManager.sharedInstance.hosts.resolve("httpbin.org") == nil)
            HostMapManager.sharedInstance.hostMapCache = nil
            try HostMapManager.sharedInstance.hosts.select("QA", for: "httpbin.org")
            #expect(HostMapManager.sharedInstance.hostMapCache == nil && cache.choices == [:])
        }

        #if canImport(UIKit) && !os(watchOS)
            @Test("HostConfigurationTableViewController can be pushed")
            @MainActor func configurationViewController() {
                let configurationViewController: HostConfigurationTableViewController =
                    HostConfigurationTableViewController(style: .grouped)
                let myNavigationController = UINavigationController()
                myNavigationController.pushViewController(configurationViewController, animated: true)
                #expect(myNavigationController.topViewController === configurationViewController)
            }
        #endif
    }
}
