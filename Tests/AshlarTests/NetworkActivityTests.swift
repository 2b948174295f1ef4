import Ashlar
import Synchronization
import Testing

@Suite struct NetworkActivityTests {
    struct Ping: Endpoint {
        typealias Output = String
        let host: EndpointHost = "api.example.com"
        var path: EndpointPath
        let query: HTTPQuery = ["token": "s3cret"]
    }

    /// The events of two requests, the second of which fails.
    private func activity() async -> [(name: String, activity: NetworkEvent)] {
        let bus = EventBus()
        let seen = Mutex<[(String, NetworkEvent)]>([])
        let on = bus.watch(NetworkEvent.on) { signal in seen.withLock { $0.append((signal.name, signal.payload)) } }
        let off = bus.watch(NetworkEvent.off) { signal in seen.withLock { $0.append((signal.name, signal.payload)) }
        }
        var configuration = ClientConfiguration()
        configuration.observers.append(.activity(on: bus))
        let client = NetworkClient(configuration, transport: StubTransport(["GET /ping": .text("pong")]))
        _ = try? await client.send(Ping(path: "ping"))
        _ = try? await client.send(Ping(path: "absent"))
        on.cancel()
        off.cancel()
        return seen.withLock { $0 }
    }

    @Test("Every request triggers one network:on and one network:off with the same ID")
    func onAndOff() async throws {
        let seen = await activity()
        try #require(seen.count == 4)
        #expect(seen.map(\.name) == ["network:on", "network:off", "network:on", "network:off"])
        #expect(seen[0].activity.id == seen[1].activity.id)
        #expect(seen[2].activity.id == seen[3].activity.id)
        #expect(seen[0].activity.id != seen[2].activity.id)
    }

    @Test("The last event has the status or the error, and secrets are hidden")
    func ends() async throws {
        let seen = await activity().map(\.activity)
        try #require(seen.count == 4)
        #expect(seen[1].status == 200 && seen[1].error == nil)
        #expect(seen[3].status == nil && seen[3].error?.code == .notRecorded)
        #expect(seen.allSatisfy { !"\($0.request)".contains("s3cret") })
    }
}
