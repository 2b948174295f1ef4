extension ServiceRegistry {
    /// The names of all services, in the order of registration.
    public var names: [String] { machine.names.map(\.text) }

    /// The names of the running services, in the order in which they became ready.
    public var runningNames: [String] { machine.running.map(\.text) }

    /// Returns the state of a service; nil if no service is registered with the name.
    public func state(of name: String) -> ServiceState? { machine.state(of: ByteText(name)) }

    /// Returns a running service.
    public func service(named name: String) -> (any Service)? {
        let name = ByteText(name)
        guard let life = machine.life(of: name), machine.running.contains(name) else { return nil }
        return lives[life]?.instance
    }

    /// Returns the running service of a type that is registered with the name of the type.
    public func service<S: Service>(_ type: S.Type = S.self) -> S? { service(named: type.name) as? S }

    /// Explains the state of a service: the services that it waits for, its needs, its dependents and its last error.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func explain(_ name: String) throws(EventBusError) -> ServiceExplanation {
        let name = ByteText(name)
        let health = machine.life(of: name).flatMap { lives[$0] }.map { $0.health.worse($0.reported) }
        return try machine.explain(name, health: health)
    }

    /// Returns the health of a service: the worse of its last report and ``Service/health()``; unhealthy if it isn't
    /// running.
    ///
    /// A change triggers the event `service:<name>:health` with the ``ServiceHealth`` as payload.
    ///
    /// - Throws: ``EventBusError`` with the code `unknownService`.
    public func health(of name: String) async throws(EventBusError) -> ServiceHealth {
        let key = ByteText(name)
        guard let state = machine.state(of: key) else { throw machine.unknown(key) }
        guard let life = machine.life(of: key), let instance = service(named: name) else {
            return .unhealthy("\(state)")
        }
        let answer = await instance.health()
        updateHealth(life) { $0.health = answer }
        return lives[life].map { $0.health.worse($0.reported) } ?? answer
    }

    private func updateHealth(_ id: UInt64, _ change: (inout Life) -> Void) {
        guard var life = lives[id] else { return }
        let old = life.health.worse(life.reported)
        change(&life)
        lives[id] = life
        let new = life.health.worse(life.reported)
        if new != old { bus.trigger(Topic(unchecked: "service:\(life.name):health"), new) }
    }

    func takeReport(from reports: HealthReports, life: UInt64) {
        if let health = reports.next() { updateHealth(life) { $0.reported = health } }
    }
}
