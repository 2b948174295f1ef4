import AshlarEventBus
import AshlarTestSupport

@testable import AshlarFleet

struct Note: Codable, Sendable, Equatable {
    var id: Int
    var title: String
}

/// Buses that stand for processes, connected by a server.
struct Processes {
    let buses: [EventBus]
    let fleets: [Fleet]

    init(
        _ count: Int, _ server: NatsServer, names: [String] = [], options: FleetOptions = FleetOptions(),
        _ topics: FleetTopics
    ) throws {
        buses = (0..<count).map { _ in EventBus() }
        fleets = try buses.enumerated().map { index, bus in
            var options = options
            options.role = index < names.count ? names[index] : "role\(index)"
            return try Fleet(bus, server.url, options, topics)
        }
    }

    /// Keeps the fleets, which close when they are released, until this call.
    ///
    /// Optimized code releases an object after its last use, not at the end of its scope.
    func keep() { withExtendedLifetime(fleets) {} }

    /// Waits until the server knows the subscriptions of all processes.
    func settle() async throws {
        for fleet in fleets {
            try await until("the fleet is connected") { if case .connected = fleet.state { true } else { false } }
            _ = try? await fleet.connection.request(
                NatsMessage(subject: "nobody", reply: nil, payload: []), within: .seconds(5))
        }
    }
}
extension FleetOptions {
    /// Options that notice a fault within seconds.
    static var impatient: FleetOptions {
        var options = FleetOptions()
        options.reconnectPause = .milliseconds(20)
        options.timeout = .seconds(2)
        options.pingInterval = .seconds(1)
        return options
    }
}

/// Runs an operation, and cancels it at a limit.
func within<Value: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let task = Task { try await operation() }
    let timer = Task {
        try await Task.sleep(for: limit)
        task.cancel()
    }
    defer { timer.cancel() }
    return try await task.value
}
