import Ashlar
import SwiftUI

@main struct FieldBookApp: App {
    @State private var app: ObservableApp?

    var body: some Scene {
        WindowGroup {
            Group { if let app { ContentView(report: DebugReport(app.app)) } }
                .environment(\.ashlar, app)
                .task { app = await Self.start() }
        }
    }

    static func start() async -> ObservableApp {
        var configuration = AshlarApp.Configuration()
        // The sample has no server.
        configuration.transport = StubTransport(["GET /notes": .json(#"[{"id": 5, "title": "Buy milk"}]"#)])
        return ObservableApp(await AshlarApp.start(configuration))
    }
}
