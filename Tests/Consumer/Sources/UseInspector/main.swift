import AshlarInspector

var document = InspectorDocument(title: "Consumer")
document.addRuns(in: "/nonexistent")
document.addRoutes(try RouteTable(["/notes/:id"]))
let page = try document.page()
precondition(page.contains("notes") && !document.isEmpty)
print("AshlarInspector alone: \(page.utf8.count > 10_000)")

var configuration = AshlarApp.Configuration(resources: ".", log: nil)
configuration.storage = .memory
let app = AshlarApp(configuration)
do {
    var url = ""
    let inspector = try await Inspector(app).start { url = $0 }
    precondition(url.hasPrefix("http://127.0.0.1:\(inspector.port ?? 0)/?token="))
    await inspector.stop()
} catch {
    // The library of the server isn't installed, or the program is a release build.
    print("no inspector: \(error)")
}
