// Who waits for whom: callers, the services that use each other, and cycles.
extension ServiceMachine {
    func needs(of name: ByteText) -> [ByteText] { graph[name]?.needs ?? [] }

    // MARK: Callers

    func alive(_ caller: Caller?) -> ByteText? {
        caller.flatMap { attempts[$0.attempt] == $0.name ? $0.name : nil }
    }

    mutating func add(_ id: UInt64, _ waiter: Waiter) {
        waiters[id] = waiter
        if let caller = waiter.caller { calls[caller, default: [:]][id] = waiter.name }
    }

    mutating func answer(_ id: UInt64, _ error: (any Error)?) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        if let caller = waiter.caller {
            calls[caller]?[id] = nil
            if calls[caller]?.isEmpty == true { calls[caller] = nil }
        }
        actions.append(.answer(id, error))
    }

    mutating func withdraw(_ id: UInt64, _ error: any Error, isOverrun: Bool) {
        guard let waiter = waiters[id], let entry = entries[waiter.name] else { return }
        let name = waiter.name
        entries[name]?.starters.removeAll { $0 == id }
        entries[name]?.stoppers.removeAll { $0 == id }
        answer(id, error)
        guard waiter.isStart, entry.starters == [id], entry.phase == .awaitingNeeds || entry.phase == .making else {
            return
        }
        // A restart doesn't depend on the callers that joined it.
        guard entry.restarts == 0 else { return }
        entries[name]?.isWanted = false
        // Otherwise the start belongs to the services that wait for it.
        guard activeUsers(of: name).isEmpty else { return }
        abort(name, error, limit: isOverrun ? .zero : nil)
        if isOverrun { expire(name) }
    }

    // MARK: Services

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
        case .rollingBack: waits += rollbackWaits(of: name)
        default: break
        }
        return waits
    }

    /// Returns the services that must end before a failed start has ended.
    func rollbackWaits(of name: ByteText) -> [ByteText] {
        var found: [ByteText] = []
        var open = [name]
        var seen: Set<ByteText> = []
        while let failed = open.popLast() {
            for need in needs(of: failed) where seen.insert(need).inserted {
                guard let entry = entries[need] else { continue }
                if entry.phase == .rollingBack || entry.isRolledBack && entry.phase != .idle { found.append(need) }
                if entry.isRolledBack { open.append(need) }
            }
        }
        return entries[name]?.awaitsUsers == true ? found + users(of: name) : found
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
        let known = graph.names.map(\.text).sorted().joined(separator: ", ")
        return EventBusError(
            .unknownService, subject: name.text, expected: known.isEmpty ? "a registered service" : "one of \(known)")
    }
}
