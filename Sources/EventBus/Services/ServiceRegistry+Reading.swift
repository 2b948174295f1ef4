internal import AshlarCore

// The state, the health and the explanation of services.
extension ServiceRegistry {
    /// The names of all services, in the order of registration.
    public var names: [String] { graph.names }

    /// The names of the running services, in the order in which they became ready.
    package var runningNames: [String] { running }

    /// Returns the state of a service; nil if no service is registered with the name.
    public func state(of name: String) -> ServiceState? { entries[name]?.state }

    /// Returns the names of the services that a service needs; empty if no service is registered with the name.
    package func needs(of name: String) -> [String] { graph.needs(of: name) }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? {
        guard let entry = entries[name], entry.isRunning else { return nil }
        return entry.life?.service
    }

    /// Returns the running service of a type that is registered with the name of the type.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { service(named: type.name) as? S }

    /// Explains the state of a service in lines of text: its health, its needs, its dependents, the services that it waits
    /// for, and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> String {
        guard let entry = entries[name] else { throw unknown(name) }
        let health = entry.state == .running ? entry.life?.currentHealth : nil
        var lines = ["\(name): \(entry.state)" + (health.map { ", \($0)" } ?? "")]
        let needs = graph.needs(of: name)
        for need in needs {
            lines.append("  needs \(need): \(entries[need].map { "\($0.state)" } ?? "not registered")")
        }
        let users = activeUsers(of: name)
        if !users.isEmpty { lines.append("  used by \(users.joined(separator: ", "))") }
        let isAwaitingNeeds = entry.life.map { $0.service == nil && !$0.isMaking } ?? false
        let waits =
            isAwaitingNeeds
            ? needs.filter { entries[$0]?.isRunning != true }
            : entry.stop != nil && entry.state != .stopping ? users : []
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
        guard let entry = entries[name] else { throw unknown(name) }
        guard entry.isRunning, let life = entry.life, let service = life.service else {
            return .unhealthy("\(entry.state)")
        }
        let health = await service.health()
        return updateHealth(of: name, life.id) { $0.health = health } ?? health
    }

    /// Changes the health of a service, and returns the new one; nil if the service has ended.
    @discardableResult
    private func updateHealth(of name: String, _ id: UInt64, _ change: (inout Life) -> Void) -> ServiceHealth? {
        guard var life = life(name, id) else { return nil }
        let old = life.currentHealth
        change(&life)
        entries[name]?.life = life
        let new = life.currentHealth
        if new != old { bus.trigger(Topic(unchecked: "service:\(name):health"), new) }
        return new
    }

    func takeReport(from reports: HealthReports, of name: String, life: UInt64) {
        if let health = reports.next() { updateHealth(of: name, life) { $0.reported = health } }
    }
}

extension ServiceRegistry.Life {
    fileprivate var currentHealth: ServiceHealth { health.worse(reported) }
}

/// The reported health of a service, in the order of the reports.
final class HealthReports: Sendable {
    private let waiting = Mutex(Fifo<ServiceHealth>())

    func add(_ health: ServiceHealth) { waiting.withLock { $0.append(health) } }

    func next() -> ServiceHealth? { waiting.withLock { $0.popFirst() } }
}
