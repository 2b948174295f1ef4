internal import AshlarCore

// The state, the health and the explanation of services.
extension ServiceRegistry {
    /// The names of all services, in the order of registration.
    public var names: [String] { machine.graph.names.map(\.text) }

    /// The names of the running services, in the order in which they became ready.
    package var runningNames: [String] { machine.running.map(\.text) }

    /// Returns the state of a service; nil if no service is registered with the name.
    public func state(of name: String) -> ServiceState? { machine.entries[ByteText(name)]?.state }

    /// Returns the names of the services that a service needs; empty if no service is registered with the name.
    package func needs(of name: String) -> [String] { machine.needs(of: ByteText(name)).map(\.text) }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? {
        guard let entry = machine.entries[ByteText(name)], entry.phase == .running else { return nil }
        return instances[entry.attempt]?.service
    }

    /// Returns the running service of a type that is registered with the name of the type.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { service(named: type.name) as? S }

    /// Explains the state of a service in lines of text: its health, its needs, its dependents, the services that it waits
    /// for, and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> String {
        let key = ByteText(name)
        guard let entry = machine.entries[key] else { throw machine.unknown(key) }
        let health = entry.state == .running ? instances[entry.attempt]?.currentHealth : nil
        var lines = ["\(name): \(entry.state)" + (health.map { ", \($0)" } ?? "")]
        for need in machine.needs(of: key) {
            lines.append("  needs \(need): \(machine.entries[need].map { "\($0.state)" } ?? "not registered")")
        }
        let users = machine.activeUsers(of: key).map(\.text)
        if !users.isEmpty { lines.append("  used by \(users.joined(separator: ", "))") }
        let waits = machine.waits(of: key).map(\.text)
        if !waits.isEmpty { lines.append("  waits for \(waits.joined(separator: ", "))") }
        if let error = entry.lastError { lines.append("  last error: \(error)") }
        return lines.joined(separator: "\n")
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
