// Describes an endpoint and sends it over a stub, so no network is needed.
import AshlarNetworking

struct Note: Decodable, Sendable {
    let id: Int
    let title: String
}

struct GetNote: Endpoint {
    typealias Output = Note
    let id: Int
    let host: EndpointHost = "api.example.com"
    var path: EndpointPath { "notes/\(id)" }
}

let stub = StubTransport(["GET /notes/5": .json(#"{"id": 5, "title": "River gauge"}"#)])
let client = NetworkClient(transport: stub)

let note = try await client.send(GetNote(id: 5))
print("note \(note.id): \(note.title)")
do {
    _ = try await client.send(GetNote(id: 6))
} catch {
    print("note 6: \(error)")
}
