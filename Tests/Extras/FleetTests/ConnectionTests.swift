import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Connections to a server that is silent, wrong or refuses", .serialized,
    .enabled(if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"), .timeLimit(.minutes(30)))
struct ConnectionTests {
    private var options: FleetOptions { .impatient }

    @Test("Attempts to connect occupy no thread of tasks")
    func manyAttempts() async throws {
        let listener = try GarbageListener("", closes: false)
        var options = options
        options.timeout = .seconds(2)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { [options] group in
            for _ in 0..<32 {
                group.addTask {
                    let url = "nats://127.0.0.1:\(listener.port)"
                    let fleet = try await Fleet.connect(EventBus(), to: url, options: options)
                    defer { withExtendedLifetime(fleet) {} }
                    #expect(!fleet.state.isConnected)
                }
            }
            try await group.waitForAll()
        }
        // Two threads of tasks would need 36 seconds.
        #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("A cancelled task doesn't wait for the first attempt")
    func cancelledConnect() async throws {
        let listener = try GarbageListener("", closes: false)
        var options = options
        options.timeout = .seconds(20)
        let task = Task { [options] in
            try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        }
        try await until { listener.connections.value > 0 }
        task.cancel()
        let fleet = try await within(.seconds(10)) { try await task.value }
        #expect(!fleet.state.isConnected)
    }

    @Test("Wrong credentials close the connection with a reason, and no secret is in it")
    func credentials() async throws {
        let server = try await NatsServer(#"authorization { user: web, password: "s3cret-word" }"#)
        var options = options
        options.credentials = .user("web", password: "wrong-s3cret")
        let bus = EventBus()
        let fleet = try await Fleet.connect(bus, to: server.url, options: options)
        defer { withExtendedLifetime(fleet) {} }
        guard case .reconnecting(let reason) = fleet.state else {
            Issue.record("\(fleet.state)")
            return
        }
        #expect(reason.lowercased().contains("auth"), "\(reason)")
        #expect(!"\(options) \(fleet.state)".contains("s3cret"))
        options.credentials = .user("web", password: "s3cret-word")
        let second = try Fleet(bus, server.url, options, FleetTopics())
        try await until { if case .connected = second.state { true } else { false } }
        let url = server.url.replacingOccurrences(of: "//", with: "//web:s3cret-word@")
        options.credentials = nil
        let third = try Fleet(bus, url, options, FleetTopics())
        try await until { if case .connected = third.state { true } else { false } }
        #expect(!"\(third.state)".contains("s3cret"), "\(third.state)")
    }

    @Test(
        "Options that are malformed or would send a secret in clear text are refused",
        arguments: [
            ("", nil), ("http://127.0.0.1", nil), ("nats://", nil), ("nats://a b", nil), ("127.0.0.1:4222", nil),
            ("nats://nats.example.org", .token("t0ken")), ("nats://user:t0ken@nats.example.org", nil),
            ("nats://127.0.0.1,nats://user:t0ken@10.0.0.1", nil),
            ("nats://user:t0ken@127.0.0.1.example.org", nil), ("nats://user:t0ken@127.0.0.1,nats://10.0.0.1", nil),
        ] as [(String, FleetCredentials?)])
    func refused(url: String, credentials: FleetCredentials?) {
        var options = options
        options.credentials = credentials
        #expect {
            _ = try Fleet(EventBus(), url, options, FleetTopics())
        } throws: { error in
            (error as? FleetError)?.code == .invalidOptions && !"\(error)".contains("t0ken")
        }
    }

    @Test(
        "A socket that responds with garbage or not at all isn't a server, and the fleet goes on with attempts",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n\u{0}\u{1}INFO {\r\nMSG a 1 99999999999\r\n", "", "-ERR 'no'\r\n",
            "INFO {\"max_payload\": -5}\r\n", "INFO " + String(repeating: "{\"a\": ", count: 50_000),
            "INFO {\"proto\": 1, \"headers\": true, \"max_payload\": 1000}\r\n+OK\r\nPONG\r\nMSG x 1 10\r\nab\r\n",
        ], [true, false])
    func garbage(text: String, closes: Bool) async throws {
        var options = options
        options.timeout = .milliseconds(500)
        let listener = try GarbageListener(text, closes: closes)
        let fleet = try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        defer { withExtendedLifetime(fleet) {} }
        guard case .reconnecting = fleet.state else {
            Issue.record("\(fleet.state)")
            return
        }
        try await until("there are further attempts") { listener.connections.value >= 2 }
    }

    /// The beginning of a server that the client supports.
    private let info = "INFO {\"proto\": 1, \"headers\": true, \"max_payload\": 1000}\r\n"

    @Test("A server that doesn't respond to the first ping is left after the timeout")
    func silent() async throws {
        var options = options
        options.timeout = .milliseconds(300)
        let listener = try GarbageListener(info, closes: false)
        // A fleet of the same process isn't disturbed.
        let server = try await NatsServer()
        let other = try await Fleet.connect(EventBus(), to: server.url, options: options)
        let start = ContinuousClock.now
        let fleet = try await Fleet.connect(EventBus(), to: "nats://127.0.0.1:\(listener.port)", options: options)
        defer { withExtendedLifetime(fleet) {} }
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(!fleet.state.isConnected)
        try await until("there are further attempts") { listener.connections.value >= 3 }
        #expect(other.state.isConnected)
        // The first of two servers is silent, so the second one is used.
        let both = "nats://127.0.0.1:\(listener.port),\(server.url)"
        let third = try Fleet(EventBus(), both, options, FleetTopics())
        try await until("the second server is used") { third.state.isConnected }
    }

    @Test("A server that ends each connection at once sees one attempt after the other, with a pause before each")
    func oneAttempt() async throws {
        var options = options
        options.reconnectPause = .milliseconds(40)
        let listener = try GarbageListener(info, afterPing: "PONG\r\n", closes: true)
        let start = ContinuousClock.now
        let fleet = try Fleet(EventBus(), "nats://127.0.0.1:\(listener.port)", options, FleetTopics())
        defer { withExtendedLifetime(fleet) {} }
        // With many subscriptions, the connection ends while they start.
        let subscriptions = try (0..<300).map { try fleet.connection.subscribe(to: "a\($0)") { _ in } }
        let count = 60
        try await until { listener.connections.value > count }
        // A busy machine can only make the time longer.
        #expect(start.duration(to: .now) > options.reconnectPause / 4 * count)
        await fleet.close()
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A server that another one names receives no credentials")
    func discovered() async throws {
        let other = try GarbageListener("", closes: true)
        let text =
            "INFO {\"proto\": 1, \"headers\": true, \"max_payload\": 1000, "
            + "\"connect_urls\": [\"127.0.0.1:\(other.port)\"]}\r\n"
        let listener = try GarbageListener(text, afterPing: "-ERR 'Authorization Violation'\r\n", closes: true)
        var options = options
        options.credentials = .token("t0ken")
        let fleet = try Fleet(EventBus(), "nats://127.0.0.1:\(listener.port)", options, FleetTopics())
        try await until("there are further attempts") { listener.connections.value >= 3 }
        #expect(other.connections.value == 0)
        await fleet.close()
    }
}
