import Ashlar
import AshlarEventBus
import AshlarNetworking
import AshlarTestSupport
import AshlarTesting

@testable import AshlarInspector

/// An app with an inspector, and the requests of a browser.
final class InspectedApp: Sendable {
    struct Note: Codable, Sendable, Equatable { var text: String }
    static let saved = Topic<Note>("note:saved")
    static let named = Topic<String>("note:named")

    let app: AshlarApp
    let inspector: Inspector
    let client = NetworkClient()
    let url: String
    let cookie: String
    private let folder: TemporaryFolder

    var base: String { "http://127.0.0.1:\(inspector.port ?? 0)" }

    init() async throws {
        folder = try TemporaryFolder([
            "en.lproj/Localizable.strings": #""title" = "Notes"; "count" = "%d notes";"#,
            "ApplicationConfig.json": #"{"api": {"timeout": 30, "password": "planted"}}"#,
            "HostMap.json": exampleMapText,
        ])
        var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
        configuration.storage = .memory
        configuration.hostDefault = .canonical
        configuration.transport = StubTransport(["GET /notes": .text("[]")])
        let recorder = ExchangeRecorder(limit: 2)
        configuration.client.attemptMiddleware.append(recorder)
        app = AshlarApp(configuration)
        inspector = Inspector(app, title: "Fixture", recorder: recorder, allowsReleaseBuilds: true)
        var announced = ""
        try await inspector.start { announced = $0 }
        url = announced
        let response = try await client.send(NetworkRequest(.get, announced))
        cookie = String(response.headers["Set-Cookie"]?.prefix { $0 != ";" } ?? "")
    }

    func request(_ path: String, _ headers: HTTPHeaders = [:]) throws -> NetworkRequest {
        var request = try NetworkRequest(.get, base + path, headers: headers)
        request.headers["Cookie"] = cookie
        return request
    }

    /// Performs an action; returns its result, or the status and the reason.
    func act(_ json: String) async throws -> String {
        var request = try NetworkRequest(.post, base + "/actions", headers: ["Cookie": cookie, "Origin": base])
        request.body = .bytes(Array(json.utf8), contentType: "application/json")
        do throws(NetworkError) {
            return try JSONEntity(parsing: try await client.send(request).bytes)["result"].string("no result")
        } catch {
            guard let status = error.status else { throw error }
            let answer = try? JSONEntity(parsing: error.bodyPrefix)
            return "\(status): \(answer?["error"].string() ?? String(decoding: error.bodyPrefix, as: UTF8.self))"
        }
    }
}
