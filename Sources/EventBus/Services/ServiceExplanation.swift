/// The state of a service and the reasons for it.
public struct ServiceExplanation: Sendable, CustomStringConvertible {
    /// The name of the service.
    package let name: String
    /// The state of the service.
    package let state: ServiceState
    /// The last known health; nil unless the service is running.
    package let health: ServiceHealth?
    /// The services that it needs, with their states; nil for an unregistered service.
    package let needs: [(name: String, state: ServiceState?)]
    /// The active services that need this one.
    package let users: [String]
    /// The services for which it currently waits.
    package let waits: [String]
    /// The number of consecutive restarts.
    package let restarts: Int
    /// The error of the last failure; nil after the service has run again.
    package let error: (any Error)?

    /// The explanation, with one line for each fact.
    public var description: String {
        var lines = ["\(name): \(state)" + (health.map { ", \($0)" } ?? "")]
        for need in needs { lines.append("  needs \(need.name): \(need.state.map { "\($0)" } ?? "not registered")") }
        if !users.isEmpty { lines.append("  used by \(users.joined(separator: ", "))") }
        if !waits.isEmpty { lines.append("  waits for \(waits.joined(separator: ", "))") }
        if restarts > 0 { lines.append("  restarts: \(restarts)") }
        if let error { lines.append("  last error: \(error)") }
        return lines.joined(separator: "\n")
    }
}

extension ServiceMachine {
    func explain(_ name: ByteText, health: ServiceHealth?) throws(EventBusError) -> ServiceExplanation {
        guard let entry = entries[name] else { throw unknown(name) }
        return ServiceExplanation(
            name: name.text, state: entry.state, health: entry.state == .running ? health : nil,
            needs: needs(of: name).map { ($0.text, entries[$0]?.state) }, users: activeUsers(of: name).map(\.text),
            waits: waits(of: name).map(\.text), restarts: entry.restarts, error: entry.lastError)
    }
}
