import Ashlar
import SwiftUI

struct Note: Decodable, Identifiable {
    let id: Int
    let title: String
}

struct GetNotes: Endpoint {
    typealias Output = [Note]
    let host: EndpointHost = "api.fieldbook.example"
    let path: EndpointPath = "notes"
}

struct ContentView: View {
    let report: DebugReport
    @Environment(\.ashlar) private var app
    @State private var notes: [Note] = []
    @State private var shown = ""
    @State private var showsDebugPanel = false

    var body: some View {
        NavigationStack {
            List(notes) { note in
                Button(note.title) { open("fieldbook://notes/\(note.id)") }
            }
            .navigationTitle(app?.strings.string("title") ?? "")
            .toolbar { ToolbarItemGroup { Button("Debug") { showsDebugPanel = true } } }
            LocalizedText("notes.count", ["count": notes.count]).themeForeground().themeFont("heading")
            Text(verbatim: shown)
        }
        .themeBackground()
        .sheet(isPresented: $showsDebugPanel) { DebugPanel(report) }
        .onOpenURL { open($0.absoluteString) }
        .task { await load() }
    }

    private func open(_ url: String) {
        Task { await app?.app.open(url) }
    }

    private func load() async {
        guard let app = app?.app else { return }
        do {
            try app.router.route("/notes/:id(int)", replacing: true) { navigation in
                shown = "Note \(navigation.parameters["id"] ?? "")"
            }
            notes = try await app.client.send(GetNotes())
        } catch {
            Log("notes").error("can't load the notes: \("\(error)")")
        }
    }
}
