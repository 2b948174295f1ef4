import Ashlar
import AshlarRemote
import Testing

@Suite struct RemoteConfigurationTests {
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
            $0 == RemoteDocument.signedBytes(of: document, name: "remote") && $1 == [1, 2]
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
}
