import AshlarNetworking

struct Greeting: Endpoint {
    typealias Output = String
    let host: EndpointHost = "api.example.com"
    let path: EndpointPath = "greeting"
}

let client = NetworkClient(transport: StubTransport(["GET /greeting": .text("good morning")]))
let text = try await client.send(Greeting())
precondition(text == "good morning")
print("AshlarNetworking alone: \(text)")
