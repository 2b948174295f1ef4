import Ashlar
import AshlarNetworkingTestSupport
import AshlarTestSupport
import AshlarTooling
import Testing

/// A service that stores one XLIFF file for each language, as an example of a conformance.
private struct FileService: TranslationService {
    struct File: Codable {
        var xliff: String
    }

    let client: NetworkClient

    init(base: String) {
        var configuration = ClientConfiguration()
        configuration.base = "\(base)"
        client = NetworkClient(configuration)
    }

    func translations(into language: LanguageTag) async throws -> TranslationCatalog {
        let file = try await client.get("files/\(language.description)", as: File.self)
        return TranslationCatalog.parse(xliff: Array(file.xliff.utf8), file: "\(language).xliff").catalog
    }

    func send(_ catalog: TranslationCatalog, for language: LanguageTag) async throws {
        let (xliff, _) = catalog.xliff(version: .version1, language: language)
        try await client.put("files/\(language.description)", File(xliff: xliff))
    }
}

@Suite struct TranslationServiceTests {
    /// A server of JSON documents by path; an unknown path has an empty XLIFF file.
    private func server(_ files: Locked<[String: String]>) throws -> FaultServer {
        try FaultServer(answering: { request in
            if request.method == "PUT" {
                files.withLock { $0[request.target] = request.text }
                return answer(204)
            }
            let empty =
                #"{"xliff": "<xliff version='1.2'><file original='Localizable' source-language='en'/></xliff>"}"#
            let file = files.withLock { $0[request.target] ?? empty }
            return answer(200, ["Content-Type: application/json"], body: file)
        })
    }

    @Test("A catalog and a service exchange their changes", .timeLimit(.minutes(5)))
    func synchronization() async throws {
        let files = Locked<[String: String]>([:])
        let server = try server(files)
        let service = FileService(base: server.url)
        var catalog = TranslationCatalog(
            sourceLanguage: "en", units: ["Save", "Open"].map { TranslationUnit(key: $0, source: $0) })
        let first = try await catalog.synchronizing("de", with: service)
        #expect(first.added == 0 && files.withLock { $0["/files/de"] }?.contains("<source>Save<\\/source>") == true)
        // A translator translates one text, a developer another.
        files.withLock { files in
            files["/files/de"] = files["/files/de"]?.replacing(
                "<source>Save", with: "<target>Sichern</target><source>Save")
        }
        catalog.units[1].targets["de"] = .init("Öffnen")
        let second = try await catalog.synchronizing("de", with: service, ancestor: first.catalog)
        #expect(second.catalog.units.map { $0.targets["de"]?.text } == ["Sichern", "Öffnen"])
        #expect(second.diagnostics == [])
        let stored = try await service.translations(into: "de")
        #expect(stored.units.map { $0.targets["de"]?.text } == ["Sichern", "Öffnen"])
        let third = try await second.catalog.synchronizing("de", with: service, ancestor: second.catalog)
        #expect(third.catalog == second.catalog && third.unchanged == 2)
    }

    @Test("A service that fails receives nothing", .timeLimit(.minutes(5)))
    func failure() async throws {
        let puts = Locked(0)
        let server = try FaultServer(answering: { request in
            if request.method == "PUT" { puts.withLock { $0 += 1 } }
            return answer(403)
        })
        let service = FileService(base: server.url)
        let catalog = TranslationCatalog(sourceLanguage: "en", units: [TranslationUnit(key: "a")])
        await #expect(throws: NetworkError.self) { _ = try await catalog.synchronizing("de", with: service) }
        #expect(puts.withLock { $0 } == 0)
    }
}
