import AshlarInspector

var document = InspectorDocument(title: "Consumer")
document.addRuns(in: "/nonexistent")
document.addRoutes(try RouteTable(["/notes/:id"]))
let page = try document.page()
precondition(page.contains("notes") && !document.isEmpty)
print("AshlarInspector alone: \(page.utf8.count > 10_000)")
