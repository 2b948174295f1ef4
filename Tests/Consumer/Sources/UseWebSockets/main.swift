import AshlarWebSockets

let client = NetworkClient(transport: StubTransport(["GET /room": .status(403)]))
do {
    _ = try await client.webSocket("wss://chat.example.com/room")
    preconditionFailure("expected a refusal")
} catch {
    precondition(error.code == .unacceptableStatus && error.status == 403)
    print("AshlarWebSockets alone: \(error.code)")
}
