internal import AshlarCore

// The state, the health and the explanation of services.
extension ServiceRegistry {
    /// The names of all services, in the order of registration.
    public var names: [String] { machine.graph.names.map(\.text) }

    /// The names of the running services, in the order in which they became ready.
    public var runningNames: [String] { machine.running.map(\.text) }

    /// Returns the state of a service; nil if no service is registered with the name.
    public func state(of name: String) -> ServiceState? { machine.entries[ByteText(name)]?.state }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? {
        guard let entry = machine.entries[ByteText(name)], entry.phase == .running else { return nil }
        return instances[entry.attempt]?.service
    }

    /// Returns the running service of a type that is registered with the name of the type.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { service(named: type.name) as? S }

    /// Explains the state of a service: the services that it waits for, its needs, its dependents and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> ServiceExplanation {
        let key = ByteText(name)
        guard let entry = machine.entries[key] else { throw machine.unknown(key) }
        return ServiceExplanation(
            name: name, state: entry.state,
            health: entry.state == .running ? instances[entry.attempt]?.currentHealth : nil,
            needs: machine.needs(of: key).map { ($0.text, machine.entries[$0]?.state) },
            users: machine.activeUsers(of: key).map(\.text), waits: machine.waits(of: key).map(\.text),
            restarts: entry.restarts, error: entry.lastError)
    }

    /// Returns the health of a service: the worse of its last report and ``Service/health()``; unhealthy if it isn't
    /// running.
    ///
    /// A change triggers the event `service:<name>:health` with the ``ServiceHealth`` as payload.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func health(of name: String) async throws(EventBusError) -> ServiceHealth {
        let key = ByteText(name)
        guard let entry = machine.entries[key] else { throw machine.unknown(key) }
        guard let service = service(named: name) else { return .unhealthy("\(entry.state)") }
        let health = await service.health()
        updateHealth(entry.attempt) { $0.health = health }
        return instances[entry.attempt]?.currentHealth ?? health
    }

    private func updateHealth(_ attempt: UInt64, _ change: (inout Instance) -> Void) {
        guard var instance = instances[attempt] else { return }
        let old = instance.currentHealth
        change(&instance)
        instances[attempt] = instance
        let new = instance.currentHealth
        if new != old { bus.trigger(Topic(unchecked: "service:\(instance.name):health"), new) }
    }

    func takeReport(from reports: HealthReports, attempt: UInt64) {
        if let health = reports.next() { updateHealth(attempt) { $0.reported = health } }
    }
}

extension ServiceRegistry.Instance {
    fileprivate var currentHealth: ServiceHealth { health.worse(reported) }
}

/// The reported health of a service, in the order of the reports.
final class HealthReports: Sendable {
    private let waiting = Mutex(Fifo<ServiceHealth>())

    func add(_ health: ServiceHealth) { waiting.withLock { $0.append(health) } }

    func next() -> ServiceHealth? { waiting.withLock { $0.popFirst() } }
}

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
