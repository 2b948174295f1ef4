// Waits between services: dependants, cycles, and the explanation.
extension ServiceMachine {
    /// Returns the services that use an instance of this one, or can get to use it.
    func users(of name: ByteText) -> [ByteText] {
        graph.dependants(of: name).filter { entries[$0]?.phase.usesNeeds ?? false }
    }

    /// Returns the services that use this one, or that are starting and wait for it.
    func activeUsers(of name: ByteText) -> [ByteText] {
        graph.dependants(of: name).filter {
            guard let phase = entries[$0]?.phase else { return false }
            return phase.usesNeeds || phase == .awaitingNeeds
        }
    }

    /// Returns the services for whose progress a service waits.
    func waits(of name: ByteText) -> [ByteText] {
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
    func waitPath(from start: ByteText, to end: ByteText) -> [ByteText]? {
        if start == end { return [end] }
        return calls.isEmpty ? nil : ServicePath.find(from: start, to: end, next: waits)
    }

    /// Returns the path by which the stop of a service would wait for another one, including both.
    func stopPath(from start: ByteText, to end: ByteText) -> [ByteText]? {
        if start == end { return [end] }
        return ServicePath.find(from: start, to: end) { waits(of: $0) + activeUsers(of: $0) }
    }

    static func cycleError(_ cycle: [ByteText]) -> EventBusError {
        EventBusError(
            .serviceCycle, subject: cycle.first?.text ?? "", expected: "services that do not wait for themselves",
            trail: cycle.map(\.text))
    }

    static func stopped(_ name: ByteText, _ found: String) -> EventBusError {
        EventBusError(.serviceStopped, subject: name.text, found: found)
    }

    static func needFailed(_ name: ByteText, _ error: any Error) -> EventBusError {
        EventBusError(.serviceFailed, subject: name.text, expected: "the services that it needs", underlying: error)
    }

    func unknown(_ name: ByteText) -> EventBusError {
        let known = names.map(\.text).sorted().joined(separator: ", ")
        return EventBusError(
            .unknownService, subject: name.text, expected: known.isEmpty ? "a registered service" : "one of \(known)")
    }
}
