internal import AshlarCore

// The state and the explanation of services.
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

    /// Explains the state of a service in lines of text: its needs, its dependents, the services that it waits
    /// for, and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> String {
        guard let entry = entries[name] else { throw unknown(name) }
        var lines = ["\(name): \(entry.state)"]
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
}
