internal import AshlarCore

// The steps that follow from requests and results: starting, stopping, rolling back a failed start, and shutting down.
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
                case .stop(let name, let limit): beginStop(name, limit: limit)
                case .checkUsers(let name): checkUsers(name)
                case .checkRollback(let name): checkRollback(name)
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
        case .abortingMake, .awaitingUsers, .stopping, .rollingBack:
            return Self.stopped(name, "a stop that hasn't ended")
        case .idle, .awaitingNeeds, .making, .running, .pausing: return nil
        }
    }

    /// Begins to start a service, unless it is starting or running.
    mutating func beginIfPossible(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        if entry.phase == .pausing {
            actions.append(.cancelTimers(attempt: entry.attempt))
            entries[name]?.phase = .idle
            work.append(.begin(name))
        } else if entry.phase == .idle {
            entries[name]?.restarts = 0
            work.append(.begin(name))
        }
    }

    private mutating func begin(_ name: ByteText) {
        guard var entry = entries[name], entry.phase == .idle else { return }
        lastAttempt += 1
        attempts[lastAttempt] = name
        entry.attempt = lastAttempt
        entry.phase = .awaitingNeeds
        entry.isRolledBack = false
        entry.awaitsUsers = false
        entry.startError = nil
        entry.endError = nil
        entry.runError = nil
        entries[name] = entry
        set(name, .starting)
        for need in needs(of: name) where entries[need]?.phase != .running {
            if let refusal = refusal(of: need) { return fail(name, Self.needFailed(name, refusal)) }
            if let cycle = waitPath(from: need, to: name) { return fail(name, Self.cycleError([name] + cycle)) }
            if entries[need]?.phase == .idle { entries[need]?.options = [:] }
            beginIfPossible(need)
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
        if entry.isWanted { keep(name) }
        entries[name]?.starters = []
        for waiter in entry.starters { answer(waiter, nil) }
        if entry.restarts > 0, let ceiling = graph[name]?.policy?.restart.backoff.ceiling {
            actions.append(.setTimer(.stable(attempt: entry.attempt), ceiling))
        }
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.checkNeeds(user))
        }
    }

    /// Ends a start that failed or was cancelled; the limit is that of the needs that were started for it.
    mutating func fail(_ name: ByteText, _ error: any Error, limit: Duration? = nil) {
        guard let entry = entries[name] else { return }
        let isGivenUp =
            error is CancellationError || [.serviceStopped, .serviceOverran].contains((error as? EventBusError)?.code)
        if !isGivenUp {
            if entry.restarts > 0, pause(name, error) { return }
            actions.append(.conclude(name, error))
        }
        endAttempt(name)
        entries[name]?.phase = .rollingBack
        entries[name]?.isWanted = false
        entries[name]?.startError = error
        set(name, entry.endError == nil && isGivenUp ? .stopped : .failed, entry.endError ?? error)
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.fail(user, Self.needFailed(user, error)))
        }
        stopUnwantedNeeds(of: name, limit: limit)
        rollingBack.insert(name)
        work.append(.checkRollback(name))
    }

    /// Makes a running service and its needs independent of the start for which they were started.
    mutating func keep(_ name: ByteText) {
        entries[name]?.isWanted = true
        var open = [name]
        while let kept = open.popLast() {
            for need in needs(of: kept) where entries[need]?.isWanted == false {
                entries[need]?.isWanted = true
                open.append(need)
            }
        }
    }

    /// Stops the services that were started for a start that failed, unless others want or use them.
    private mutating func stopUnwantedNeeds(of name: ByteText, limit: Duration? = nil) {
        for need in needs(of: name) {
            guard let entry = entries[need], !entry.isWanted, activeUsers(of: need).isEmpty else { continue }
            guard [.awaitingNeeds, .making, .running, .pausing].contains(entry.phase) else { continue }
            entries[need]?.isRolledBack = true
            work.append(.stop(need, limit: limit ?? shutdown?.limit))
        }
    }

    private mutating func checkRollback(_ name: ByteText) {
        if entries[name]?.phase == .rollingBack, rollbackWaits(of: name).isEmpty { settle(name) }
    }

    /// Plans a restart; returns false if the policy or a shutdown doesn't permit it.
    mutating func pause(_ name: ByteText, _ error: any Error) -> Bool {
        guard let entry = entries[name], let restart = graph[name]?.policy?.restart else { return false }
        guard entry.restarts < restart.limit, shutdown == nil else { return false }
        endAttempt(name)
        entries[name]?.phase = .pausing
        entries[name]?.restarts += 1
        set(name, .restarting, error)
        // A caller that joined the restart gets the error, and the restarts continue.
        entries[name]?.starters = []
        for waiter in entry.starters { answer(waiter, error) }
        let pause = restart.backoff.pause(beforeRetry: entry.restarts + 1)
        actions.append(.setTimer(.restart(name, attempt: entry.attempt), pause))
        return true
    }

    // MARK: Stopping

    private mutating func beginStop(_ name: ByteText, limit: Duration?) {
        guard let entry = entries[name] else { return }
        switch entry.phase {
        case .rollingBack: break
        case .awaitingNeeds, .making:
            entries[name]?.awaitsUsers = true
            for user in activeUsers(of: name) { work.append(.stop(user, limit: limit)) }
            abort(name, Self.stopped(name, "a stop during the start"), limit: limit)
        case .idle, .pausing, .running, .awaitingUsers:
            if entry.phase == .pausing {
                actions.append(.cancelTimers(attempt: entry.attempt))
                set(name, .stopped)
            }
            entries[name]?.phase = .awaitingUsers
            entries[name]?.isWanted = false
            if let limit { entries[name]?.stopLimit = min(limit, entry.stopLimit ?? limit) }
            for user in activeUsers(of: name) { work.append(.stop(user, limit: limit)) }
            work.append(.checkUsers(name))
        case .abortingMake, .stopping:
            if let limit { actions.append(.setTimer(.deadline(attempt: entry.attempt), limit)) }
        }
    }

    mutating func abort(_ name: ByteText, _ error: any Error, limit: Duration?) {
        guard let entry = entries[name] else { return }
        entries[name]?.isWanted = false
        if entry.phase == .awaitingNeeds { return fail(name, error, limit: limit) }
        guard entry.phase == .making else { return }
        entries[name]?.phase = .abortingMake
        entries[name]?.startError = error
        set(name, .stopping)
        actions.append(.cancel(attempt: entry.attempt))
        if let limit { actions.append(.setTimer(.deadline(attempt: entry.attempt), limit)) }
    }

    private mutating func checkUsers(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .awaitingUsers, users(of: name).isEmpty else { return }
        guard attempts[entry.attempt] != nil else { return settle(name) }
        entries[name]?.phase = .stopping
        entries[name]?.stopLimit = nil
        set(name, .stopping)
        actions.append(.stop(name, attempt: entry.attempt))
        if shutdown?.isCancelling == true { actions.append(.cancel(attempt: entry.attempt)) }
        if let limit = entry.stopLimit { actions.append(.setTimer(.deadline(attempt: entry.attempt), limit)) }
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

    /// Records a service that doesn't stop in order during a shutdown.
    mutating func markUnclean(_ name: ByteText) {
        if shutdown?.unclean.contains(name) == false { shutdown?.unclean.append(name) }
    }

    /// Cancels an attempt at its deadline and starts the grace period.
    mutating func expire(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .abortingMake || entry.phase == .stopping else { return }
        markUnclean(name)
        actions.append(.cancel(attempt: entry.attempt))
        guard gracePeriod > .zero else { return abandon(name) }
        actions.append(.setTimer(.grace(attempt: entry.attempt), gracePeriod))
    }

    mutating func abandon(_ name: ByteText) {
        let found = "no end of it, so it was cancelled and abandoned"
        endStop(
            name,
            EventBusError(.serviceOverran, subject: name.text, expected: "an end before the deadline", found: found))
    }

    mutating func endAttempt(_ name: ByteText) {
        guard let attempt = entries[name]?.attempt, attempts.removeValue(forKey: attempt) != nil else { return }
        running.removeAll { $0 == name }
        calls[name] = nil
        actions.append(.end(attempt: attempt))
        releaseNeeds(of: name)
    }

    private mutating func releaseNeeds(of name: ByteText) {
        for need in needs(of: name) {
            switch entries[need]?.phase {
            case .awaitingUsers: work.append(.checkUsers(need))
            case .rollingBack: work.append(.checkRollback(need))
            default: break
            }
        }
    }

    /// Ends the current work of a service and answers its callers.
    mutating func settle(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        rollingBack.remove(name)
        entries[name]?.phase = .idle
        entries[name]?.isWanted = false
        entries[name]?.stopLimit = nil
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
        stopUnwantedNeeds(of: name)
        for start in rollingBack { work.append(.checkRollback(start)) }
    }

    private mutating func proceedShutdown() {
        guard let shutdown, entries.values.allSatisfy({ $0.phase == .idle || $0.phase == .running }) else { return }
        if let last = running.last { return work.append(.stop(last, limit: shutdown.limit)) }
        self.shutdown?.waiters = []
        for waiter in shutdown.waiters { actions.append(.answer(waiter, nil)) }
    }

    mutating func set(_ name: ByteText, _ state: ServiceState, _ error: (any Error)? = nil) {
        entries[name]?.state = state
        if error != nil || state == .running { entries[name]?.lastError = error }
        actions.append(.report(name, state, error))
    }
}
