import AshlarModels
import AshlarNetworking

let server = StubTransport(["GET /notes": .text(#"[{"id": 1, "title": "Milk"}]"#)])
let schema = ModelSchema(host: "api.example.com", path: "notes")
let notes = ModelCollection(schema: schema, sync: RESTSync(NetworkClient(transport: server)))
try await notes.fetch()
precondition(notes[id: "1"]?["title"].string() == "Milk")
print("AshlarModels alone: \(notes.count) model")
