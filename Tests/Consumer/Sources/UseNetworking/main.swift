import AshlarNetworking

struct Greeting: Endpoint {
    typealias Output = String
    let host: EndpointHost = "api.example.com"
    let path: EndpointPath = "greeting"
}

struct Note: Codable {
    var id: Int
    var title: String
}

struct GetNotes: Endpoint {
    typealias Output = [Note]
    let host: EndpointHost = "api.example.com"
    let folder: String
    var path: EndpointPath { "folders/\(folder)/notes" }
}

struct PutNote: Endpoint {
    typealias Output = Note
    let note: Note
    let host: EndpointHost = "api.example.com"
    let method: HTTPMethod = .put
    var path: EndpointPath { "notes/\(note.id)" }
    var body: RequestBody { .json(note) }
}

let note = #"{"id": 5, "title": "Buy milk"}"#
let transport = StubTransport([
    "GET /greeting": .text("good morning"), "GET /notes/5": .json(note), "PUT /notes/5": .json(note),
    "POST /notes": .json(note), "PATCH /notes/5": .json(note), "GET /folders/home/notes": .json("[\(note)]"),
    "GET /changes": .text(note),
])
var configuration = ClientConfiguration()
configuration.base = "https://api.example.com"
let client = NetworkClient(configuration, transport: transport)

/// Sends any endpoint, as the layers of an app do.
nonisolated(nonsending) func load<E: Endpoint>(_ endpoint: E) async throws -> E.Output {
    try await client.send(endpoint)
}

// Types without annotations, also in code that is on the main actor by default.
var received = try await client.get("notes/5", as: Note.self)
received = try await client.put("notes/5", received, as: Note.self)
received = try await client.patch("notes/5", received, as: Note.self)
received = try await client.post("notes", received, as: Note.self)
received = try await client.send(PutNote(note: received))
let background = try await Task { try await client.get("notes/5", as: Note.self) }.value
precondition(background.title == received.title)
let notes = try await load(GetNotes(folder: "home"))
precondition(notes.map(\.title) == ["Buy milk"])
let changes = try await client.stream(NetworkRequest(.get, "https://api.example.com/changes")).body
for try await change in changes.values(of: Note.self) { precondition(change.id == 5) }

let text = try await client.send(Greeting())
precondition(text == "good morning")
print("AshlarNetworking alone: \(text)")
