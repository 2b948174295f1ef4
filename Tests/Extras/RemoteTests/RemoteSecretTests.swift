import AshlarAppConfig
import AshlarRemote
import Testing

/// No text contains a secret of a fetched document.
@Suite struct RemoteSecretTests {
    private static func texts(_ subject: Any) -> [String] {
        var dumped = ""
        dump(subject, to: &dumped)
        return [dumped, "\(subject)", String(reflecting: subject)]
    }

    @Test("Documents print no secrets, even dumped")
    func dumps() async throws {
        let remote = RemoteConfigSource("remote") { _ in .document(Array(#"{"token": "hunter"}"#.utf8)) }
        try await remote.refresh()
        struct Failure: Error { let token = "hunter" }
        let failing = RemoteConfigSource("failing") { _ in throw Failure() }
        _ = try? await failing.refresh()
        let subjects: [Any] = [
            failing, failing.status, RemoteConfigSource.Response.document(Array("hunter".utf8)), remote.content(),
            remote,
            remote.status,
        ]
        for text in subjects.flatMap(Self.texts) { #expect(!text.contains("hunter"), "\(text)") }
    }

    @Test("Credentials in the name of a source are hidden in every text")
    func sourceNames() async throws {
        let name = "https://app:hunter2@flags.example.org/config"
        let source = RemoteConfigSource(name) { _ in .document(Array(#"{"n": "x"}"#.utf8)) }
        var plan = plan(["ApplicationConfig.json": "{}"])
        plan.add(source)
        let store = try ConfigStore(loading: plan)
        for config in [store.current, try await refreshed(store)] {
            let texts =
                [config as Any, config.explain("n")].flatMap(Self.texts) + config.diagnostics.map(\.description)
            for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        }
        #expect("\(store.current.explain("n"))".contains("https://<redacted>@flags.example.org/config:1"))
        let broken = RemoteConfigSource(name) { _ in .document([1]) }
        await #expect(throws: ConfigError.self) { try await broken.refresh() }
        #expect(broken.status.error.map { !"\($0)".contains("hunter2") } == true)
    }

    private func refreshed(_ store: ConfigStore) async throws -> ApplicationConfig {
        try await store.refresh()
        return store.current
    }
}
