// The steps that follow from requests and results: starting, stopping, and shutting down.
extension ServiceMachine {
    mutating func perform(_ body: (inout ServiceMachine) -> Void) -> [Action] {
        body(&self)
        repeat {
            var next = 0
            while next < work.count {
                let step = work[next]
                next += 1
                switch step {
                case .begin(let name): begin(name)
                case .checkNeeds(let name): checkNeeds(name)
                case .fail(let name, let error): if entries[name]?.phase == .awaitingNeeds { fail(name, error) }
                case .stop(let name): beginStop(name)
                case .checkUsers(let name): checkUsers(name)
                }
            }
            work.removeAll(keepingCapacity: true)
            proceedShutdown()
        } while !work.isEmpty
        defer { actions = [] }
        return actions
    }

    // MARK: Starting

    /// Returns the reason why a service can't start now: a stop that hasn't ended.
    func refusal(of name: ByteText) -> EventBusError? {
        guard let entry = entries[name] else { return unknown(name) }
        switch entry.phase {
        case .abortingMake, .awaitingUsers, .stopping: return Self.stopped(name, "a stop that hasn't ended")
        case .idle, .awaitingNeeds, .making, .running: return nil
        }
    }

    private mutating func begin(_ name: ByteText) {
        guard var entry = entries[name], entry.phase == .idle else { return }
        lastAttempt += 1
        attempts[lastAttempt] = name
        entry.attempt = lastAttempt
        entry.phase = .awaitingNeeds
        entry.startError = nil
        entry.endError = nil
        entry.runError = nil
        entries[name] = entry
        set(name, .starting)
        for need in needs(of: name) where entries[need]?.phase != .running {
            if let refusal = refusal(of: need) { return fail(name, Self.needFailed(name, refusal)) }
            guard entries[need]?.phase == .idle else { continue }
            entries[need]?.options = [:]
            work.append(.begin(need))
        }
        work.append(.checkNeeds(name))
    }

    private mutating func checkNeeds(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .awaitingNeeds else { return }
        guard needs(of: name).allSatisfy({ entries[$0]?.phase == .running }) else { return }
        entries[name]?.phase = .making
        actions.append(.make(name, attempt: entry.attempt))
    }

    mutating func becomeRunning(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        entries[name]?.phase = .running
        running.append(name)
        actions.append(.adopt(name, attempt: entry.attempt))
        set(name, .running)
        entries[name]?.starters = []
        for waiter in entry.starters { answer(waiter, nil) }
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.checkNeeds(user))
        }
    }

    /// Ends a start that failed or was cancelled.
    mutating func fail(_ name: ByteText, _ error: any Error) {
        guard let entry = entries[name] else { return }
        let isGivenUp = error is CancellationError || (error as? EventBusError)?.code == .serviceStopped
        if !isGivenUp { actions.append(.conclude(name, error)) }
        endAttempt(name)
        entries[name]?.startError = error
        set(name, entry.endError == nil && isGivenUp ? .stopped : .failed, entry.endError ?? error)
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.fail(user, Self.needFailed(user, error)))
        }
        // A stop of the start also ends the services that use an earlier instance.
        guard entry.stoppers.isEmpty || users(of: name).isEmpty else {
            entries[name]?.phase = .awaitingUsers
            return
        }
        settle(name)
    }

    // MARK: Stopping

    private mutating func beginStop(_ name: ByteText) {
        switch entries[name]?.phase {
        case .awaitingNeeds, .making:
            for user in activeUsers(of: name) { work.append(.stop(user)) }
            abort(name, Self.stopped(name, "a stop during the start"))
        case .idle, .running, .awaitingUsers:
            entries[name]?.phase = .awaitingUsers
            for user in activeUsers(of: name) { work.append(.stop(user)) }
            work.append(.checkUsers(name))
        case .abortingMake, .stopping, nil: break
        }
    }

    private mutating func abort(_ name: ByteText, _ error: any Error) {
        guard let entry = entries[name] else { return }
        if entry.phase == .awaitingNeeds { return fail(name, error) }
        guard entry.phase == .making else { return }
        entries[name]?.phase = .abortingMake
        entries[name]?.startError = error
        set(name, .stopping)
        actions.append(.cancel(attempt: entry.attempt))
    }

    private mutating func checkUsers(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .awaitingUsers, users(of: name).isEmpty else { return }
        guard attempts[entry.attempt] != nil else { return settle(name) }
        entries[name]?.phase = .stopping
        set(name, .stopping)
        actions.append(.stop(name, attempt: entry.attempt))
        if entry.isLate || shutdown?.isCancelling == true { actions.append(.cancel(attempt: entry.attempt)) }
    }

    mutating func endStop(_ name: ByteText, _ error: EventBusError?) {
        if error != nil { markUnclean(name) }
        if let error = entries[name]?.endError ?? error {
            for need in needs(of: name) where entries[need]?.phase == .awaitingUsers && entries[need]?.endError == nil {
                entries[need]?.endError = error
            }
        }
        if let error { entries[name]?.endError = error }
        if let startError = entries[name]?.startError { return fail(name, startError) }
        endAttempt(name)
        set(name, error == nil ? .stopped : .failed, error)
        settle(name)
    }

    /// Cancels the services that a stop waits for, and itself; returns the first one that hasn't ended.
    mutating func cancelStop(of name: ByteText) -> ByteText {
        var late = name
        var open = [name]
        var seen: Set<ByteText> = [name]
        while let next = open.popLast() {
            guard let entry = entries[next] else { continue }
            if entry.phase == .stopping || entry.phase == .abortingMake {
                actions.append(.cancel(attempt: entry.attempt))
                late = next
            }
            entries[next]?.isLate = true
            open += users(of: next).filter { seen.insert($0).inserted }
        }
        return late
    }

    /// Cancels all services, and those of later stops when they begin.
    mutating func cancelAll() {
        shutdown?.isCancelling = true
        for attempt in attempts.keys.sorted() { actions.append(.cancel(attempt: attempt)) }
    }

    /// Records a service that doesn't stop in order during a shutdown.
    mutating func markUnclean(_ name: ByteText) {
        if shutdown?.unclean.contains(name) == false { shutdown?.unclean.append(name) }
    }

    mutating func endAttempt(_ name: ByteText) {
        guard let attempt = entries[name]?.attempt, attempts.removeValue(forKey: attempt) != nil else { return }
        running.removeAll { $0 == name }
        actions.append(.end(attempt: attempt))
        releaseNeeds(of: name)
    }

    private mutating func releaseNeeds(of name: ByteText) {
        for need in needs(of: name) where entries[need]?.phase == .awaitingUsers { work.append(.checkUsers(need)) }
    }

    /// Ends the current work of a service and answers its callers.
    mutating func settle(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        entries[name]?.phase = .idle
        entries[name]?.isLate = false
        entries[name]?.starters = []
        entries[name]?.stoppers = []
        for waiter in entry.starters {
            answer(waiter, entry.startError ?? Self.stopped(name, "a stop during the start"))
        }
        for waiter in entry.stoppers { answer(waiter, entry.endError) }
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.fail(user, Self.needFailed(user, Self.stopped(name, "a stop of a needed service"))))
        }
        releaseNeeds(of: name)
    }

    private mutating func proceedShutdown() {
        guard let shutdown, entries.values.allSatisfy({ $0.phase == .idle || $0.phase == .running }) else { return }
        if let last = running.last { return work.append(.stop(last)) }
        self.shutdown?.waiters = []
        for waiter in shutdown.waiters { actions.append(.answer(waiter, nil)) }
    }

    mutating func set(_ name: ByteText, _ state: ServiceState, _ error: (any Error)? = nil) {
        entries[name]?.state = state
        if error != nil || state == .running { entries[name]?.lastError = error }
        actions.append(.report(name, state, error))
    }

    // MARK: Callers

    func alive(_ caller: Caller?) -> ByteText? {
        caller.flatMap { attempts[$0.attempt] == $0.name ? $0.name : nil }
    }

    private mutating func answer(_ id: UInt64, _ error: (any Error)?) {
        if waiters.removeValue(forKey: id) != nil { actions.append(.answer(id, error)) }
    }

    /// Removes a caller that waits for the shutdown; returns whether there was one.
    mutating func removeShutdownWaiter(_ id: UInt64) -> Bool {
        guard let index = shutdown?.waiters.firstIndex(of: id) else { return false }
        shutdown?.waiters.remove(at: index)
        return true
    }

    mutating func withdraw(_ id: UInt64, _ error: any Error) {
        guard let waiter = waiters[id], let entry = entries[waiter.name] else { return }
        entries[waiter.name]?.starters.removeAll { $0 == id }
        entries[waiter.name]?.stoppers.removeAll { $0 == id }
        answer(id, error)
        // A start with other callers, or for which other services wait, goes on.
        if waiter.isStart, entry.starters == [id], activeUsers(of: waiter.name).isEmpty { abort(waiter.name, error) }
    }

    // MARK: Services

    func needs(of name: ByteText) -> [ByteText] { graph[name]?.needs ?? [] }

    /// Returns the services that use an instance of this one, or can get to use it.
    func users(of name: ByteText) -> [ByteText] {
        graph.dependants(of: name).filter { entries[$0]?.phase.usesNeeds ?? false }
    }

    /// Returns the services that use this one, or that are starting and wait for it.
    func activeUsers(of name: ByteText) -> [ByteText] {
        graph.dependants(of: name).filter { entries[$0].map { $0.phase != .idle } ?? false }
    }

    /// Returns the services for whose start or end a service waits.
    func waits(of name: ByteText) -> [ByteText] {
        switch entries[name]?.phase {
        case .awaitingNeeds: needs(of: name).filter { entries[$0]?.phase != .running }
        case .awaitingUsers: users(of: name)
        default: []
        }
    }

    // MARK: Errors

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
