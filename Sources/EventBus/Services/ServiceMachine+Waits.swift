// Waits between services: dependants, cycles, and the explanation.
extension ServiceMachine {
    /// Returns the services that use an instance of this one, or can get to use it.
    func users(of name: String) -> [String] {
        graph.dependants(of: name).filter { entries[$0]?.phase.usesNeeds ?? false }
    }

    /// Returns the services that use this one, or that are starting and wait for it.
    func activeUsers(of name: String) -> [String] {
        graph.dependants(of: name).filter {
            guard let phase = entries[$0]?.phase else { return false }
            return phase.usesNeeds || phase == .awaitingNeeds
        }
    }

    /// Returns the services for whose progress a service waits.
    func waits(of name: String) -> [String] {
        var waits = (calls[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        switch entries[name]?.phase {
        case .awaitingNeeds: waits += needs(of: name).filter { entries[$0]?.phase != .running }
        case .awaitingUsers: waits += users(of: name)
        case .rollingBack: waits += (entries[name]?.startedNeeds ?? []).filter { entries[$0]?.phase != .idle }
        default: break
        }
        return waits
    }

    /// Returns the path by which a service waits for another one, including both.
    ///
    /// Needs have no cycles, so only requests of a service's own code can close one.
    func waitPath(from start: String, to end: String) -> [String]? {
        if start == end { return [end] }
        return calls.isEmpty ? nil : ServicePath.find(from: start, to: end, next: waits)
    }

    /// Returns the path by which the stop of a service would wait for another one, including both.
    func stopPath(from start: String, to end: String) -> [String]? {
        if start == end { return [end] }
        return ServicePath.find(from: start, to: end) { waits(of: $0) + activeUsers(of: $0) }
    }

    static func cycleError(_ cycle: [String]) -> EventBusError {
        EventBusError(
            .serviceCycle, subject: cycle.first ?? "", expected: "services that do not wait for themselves",
            trail: cycle)
    }

    static func stopped(_ name: String, _ found: String) -> EventBusError {
        EventBusError(.serviceStopped, subject: name, found: found)
    }

    static func needFailed(_ name: String, _ error: any Error) -> EventBusError {
        EventBusError(.serviceFailed, subject: name, expected: "the services that it needs", underlying: error)
    }

    func unknown(_ name: String) -> EventBusError {
        let known = names.sorted().joined(separator: ", ")
        return EventBusError(
            .unknownService, subject: name, expected: names.isEmpty ? "a registered service" : "one of \(known)")
    }
}
