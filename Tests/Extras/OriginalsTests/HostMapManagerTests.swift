import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarOriginals
import AshlarTestSupport
import Testing

extension Samples {
    /// What SquidKit's host environments promise without a line of code.
    @Suite struct HostMapManagerTests {
        @Test("An endpoint without a client uses the environments of the manager")
        func defaultClient() async throws {
            let server = try FaultServer(answering: { answer(body: #"{"line": "\#($0.target)"}"#) })
            let folder = try SampleFolder(["Map.json": exampleMapText])
            HostMapManager.sharedInstance.hostMapCache = nil
            #expect(HostMapManager.sharedInstance.loadConfigurationMapFromResourceFile(folder.file("Map.json")))
            try HostMapManager.sharedInstance.hosts.select(
                "USER", for: "httpbin.org", userHost: "127.0.0.1:\(server.port)")
            let line = await withCheckedContinuation { continuation in
                TestEndpoint().connect { json, status in
                    continuation.resume(returning: json["line"].string("\(status)"))
                }
            }
            #expect(line == "/get?foo=bar")
            HostMapManager.sharedInstance.hosts.reset()
        }

        @Test("Selections are stored in the user's defaults, and removeAll clears them")
        func defaultCache() throws {
            let folder = try SampleFolder(["Map.json": exampleMapText])
            let manager = HostMapManager()
            manager.hostMapCache?.removeAll()
            manager.loadConfigurationMapFromResourceFile(folder.file("Map.json"))
            try manager.hosts.select("QA", for: "httpbin.org")
            #expect(try HostMapManager().hostMapCache?.store.load()["httpbin.org"]["key"].string() == "QA")
            manager.hostMapCache?.removeAll()
            #expect(try HostMapManager().hostMapCache?.store.load() == [:])
        }
    }
}
