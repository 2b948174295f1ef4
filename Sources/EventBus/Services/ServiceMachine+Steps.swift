// The steps that follow from requests and results.
extension ServiceMachine {
    mutating func perform(_ body: (inout ServiceMachine) -> Void) -> [Action] {
        body(&self)
        repeat {
            var next = 0
            while next < work.count {
                let step = work[next]
                next += 1
                switch step {
                case .begin(let name, let cause): begin(name, cause: cause)
                case .checkNeeds(let name): checkNeeds(name)
                case .fail(let name, let error): if entries[name]?.phase == .awaitingNeeds { fail(name, error) }
                case .stop(let name, let limit): beginStop(name, limit: limit)
                case .checkUsers(let name): checkUsers(name)
                case .rollBack(let name): rollBack(name)
                }
            }
            work.removeAll(keepingCapacity: true)
            proceedShutdown()
        } while !work.isEmpty
        defer { actions = [] }
        return actions
    }

    mutating func begin(_ name: ByteText, cause: ByteText?) {
        guard let definition = graph[name], entries[name]?.phase == .idle else { return }
        lastLife += 1
        let life = lastLife
        lives[life] = name
        cancelTimers(name)
        update(name) { entry in
            (entry.life, entry.phase, entry.cause) = (life, .awaitingNeeds, cause)
            (entry.isExpired, entry.endError, entry.userError, entry.abortError) = (false, nil, nil, nil)
        }
        set(name, .starting)
        for need in definition.needs {
            guard let entry = entries[need] else { return fail(name, Self.needFailed(name, unknown(need))) }
            if entry.phase == .running { continue }
            if let cycle = waitPath(from: need, to: name) { return fail(name, Self.cycleError([name] + cycle)) }
            switch entry.phase {
            case .idle where entry.refusesNextStart:
                entries[need]?.refusesNextStart = false
                return fail(name, Self.needFailed(name, Self.stopped(need, "a stop before the start")))
            case .idle:
                entries[need]?.options = [:]
                entries[need]?.restarts = 0
                work.append(.begin(need, cause: name))
            case .pausing:
                entries[need]?.phase = .idle
                work.append(.begin(need, cause: nil))
            case .awaitingNeeds, .making, .running: break
            case .abortingMake, .awaitingUsers, .stopping, .rollingBack: entries[need]?.startsAgain = true
            }
        }
        work.append(.checkNeeds(name))
    }

    mutating func checkNeeds(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .awaitingNeeds else { return }
        guard needs(of: name).allSatisfy({ entries[$0]?.phase == .running }) else { return }
        entries[name]?.phase = .making
        actions.append(.make(name, life: entry.life))
    }

    mutating func becomeRunning(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        entries[name]?.phase = .running
        running.append(name)
        cancelTimers(name)
        for need in startedNeeds(of: name) { entries[need]?.cause = entry.cause }
        actions.append(.adopt(name, life: entry.life))
        set(name, .running)
        entries[name]?.starters = []
        for waiter in entry.starters { answer(waiter, nil) }
        if entry.restarts > 0, let ceiling = graph[name]?.restart?.ceiling {
            addTimer(name, .stable(life: entry.life), ceiling)
        }
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.checkNeeds(user))
        }
    }

    /// Ends a start that failed or was cancelled.
    mutating func fail(_ name: ByteText, _ error: any Error) {
        guard let entry = entries[name] else { return }
        let isGivenUp =
            error is CancellationError || [.serviceStopped, .serviceOverran].contains((error as? EventBusError)?.code)
        if !isGivenUp, entry.restarts > 0, entry.starters.isEmpty, pause(name, error) { return }
        endLife(name)
        update(name) { entry in
            (entry.phase, entry.isWanted, entry.abortError) = (.rollingBack, false, error)
            entry.failedStarters += entry.starters
            entry.starters = []
        }
        let endError = entry.endError
        set(name, endError == nil && isGivenUp ? .stopped : .failed, endError ?? error)
        for user in graph.dependants(of: name) where entries[user]?.phase == .awaitingNeeds {
            work.append(.fail(user, Self.needFailed(user, error)))
        }
        let needs = startedNeeds(of: name)
        entries[name]?.startedNeeds = needs
        rollingBack.insert(name)
        work.append(.rollBack(name))
    }

    /// Returns the services that were started for the start of this one.
    func startedNeeds(of name: ByteText) -> [ByteText] {
        var (found, open, members) = ([ByteText](), [name], Set([name]))
        while let member = open.popLast() {
            for need in needs(of: member) where !members.contains(need) {
                guard let cause = entries[need]?.cause, members.contains(cause) else { continue }
                found.append(need)
                open.append(need)
                members.insert(need)
            }
        }
        return found
    }

    /// Stops the services that were started for a failed start, unless others want or use them.
    mutating func rollBack(_ name: ByteText) {
        guard entries[name]?.phase == .rollingBack else { return }
        let members = entries[name]?.startedNeeds ?? []
        var kept: Set<ByteText> = []
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for member in members where !kept.contains(member) {
                let isUsed = activeUsers(of: member).contains { kept.contains($0) || !members.contains($0) }
                guard isUsed || entries[member]?.isWanted == true else { continue }
                kept.insert(member)
                hasChanged = true
            }
        }
        var isPending = false
        for member in members {
            guard !kept.contains(member) else {
                entries[member]?.cause = nil
                continue
            }
            guard let phase = entries[member]?.phase, phase != .idle else { continue }
            isPending = true
            if [.awaitingNeeds, .making, .running, .pausing].contains(phase), activeUsers(of: member).isEmpty {
                work.append(.stop(member, limit: shutdown?.limit))
            }
        }
        if !isPending { settle(name) }
    }

    /// Plans a restart; returns false if the policy or a shutdown doesn't permit it.
    mutating func pause(_ name: ByteText, _ error: any Error) -> Bool {
        guard let entry = entries[name], let restart = graph[name]?.restart else { return false }
        guard entry.restarts < restart.limit, !isShutDown else { return false }
        endLife(name)
        entries[name]?.phase = .pausing
        entries[name]?.restarts += 1
        set(name, .restarting, error)
        addTimer(name, .restart(name, life: entry.life), restart.pause(before: entry.restarts + 1))
        return true
    }

    mutating func beginStop(_ name: ByteText, limit: Duration?) {
        guard let entry = entries[name] else { return }
        switch entry.phase {
        case .idle, .rollingBack: break
        case .awaitingNeeds, .making:
            for user in activeUsers(of: name) { work.append(.stop(user, limit: limit)) }
            abort(name, Self.stopped(name, "a stop during the start"), limit: limit)
        case .pausing, .running, .awaitingUsers:
            if entry.phase == .pausing {
                cancelTimers(name)
                set(name, .stopped)
            }
            entries[name]?.phase = .awaitingUsers
            entries[name]?.isWanted = false
            if let limit { entries[name]?.stopLimit = min(limit, entry.stopLimit ?? limit) }
            for user in activeUsers(of: name) { work.append(.stop(user, limit: limit)) }
            work.append(.checkUsers(name))
        case .abortingMake, .stopping:
            if let limit { addTimer(name, .deadline(life: entry.life), limit) }
        }
    }

    mutating func abort(_ name: ByteText, _ error: any Error, limit: Duration?) {
        guard let entry = entries[name] else { return }
        entries[name]?.isWanted = false
        if entry.phase == .awaitingNeeds { return fail(name, error) }
        guard entry.phase == .making else { return }
        entries[name]?.phase = .abortingMake
        entries[name]?.abortError = error
        set(name, .stopping)
        actions.append(.cancel(life: entry.life))
        if let limit { addTimer(name, .deadline(life: entry.life), limit) }
    }

    mutating func checkUsers(_ name: ByteText) {
        guard let entry = entries[name], entry.phase == .awaitingUsers, users(of: name).isEmpty else { return }
        guard lives[entry.life] != nil else { return settle(name) }
        entries[name]?.phase = .stopping
        entries[name]?.stopLimit = nil
        cancelTimers(name)
        set(name, .stopping)
        actions.append(.stop(name, life: entry.life))
        if let limit = entry.stopLimit { addTimer(name, .deadline(life: entry.life), limit) }
    }

    mutating func endStop(_ name: ByteText, _ error: EventBusError?) {
        entries[name]?.endError = error
        if error != nil, shutdown != nil { shutdown?.unclean.append(name) }
        if let error = entries[name]?.userError ?? error {
            for need in needs(of: name) where entries[need]?.phase == .awaitingUsers && entries[need]?.userError == nil
            {
                entries[need]?.userError = error
            }
        }
        if let abortError = entries[name]?.abortError { return fail(name, abortError) }
        endLife(name)
        set(name, error == nil ? .stopped : .failed, error)
        settle(name)
    }

    /// Cancels a life at its deadline and starts the grace period.
    mutating func expire(_ name: ByteText) {
        guard let entry = entries[name], !entry.isExpired else { return }
        guard entry.phase == .abortingMake || entry.phase == .stopping else { return }
        entries[name]?.isExpired = true
        actions.append(.cancel(life: entry.life))
        guard gracePeriod > .zero else { return abandon(name) }
        addTimer(name, .grace(life: entry.life), gracePeriod)
    }

    mutating func abandon(_ name: ByteText) {
        let found = "no end of it, so it was cancelled and abandoned"
        endStop(
            name,
            EventBusError(.serviceOverran, subject: name.text, expected: "an end before the deadline", found: found))
    }

    mutating func endLife(_ name: ByteText) {
        guard let life = entries[name]?.life, lives.removeValue(forKey: life) != nil else { return }
        running.removeAll { $0 == name }
        cancelTimers(name)
        calls[name] = nil
        actions.append(.end(life: life))
        releaseNeeds(of: name)
    }

    private mutating func releaseNeeds(of name: ByteText) {
        for need in needs(of: name) where entries[need]?.phase == .awaitingUsers { work.append(.checkUsers(need)) }
    }

    /// Ends the current work of a service, and begins the work that waits for it.
    mutating func settle(_ name: ByteText) {
        guard let entry = entries[name] else { return }
        rollingBack.remove(name)
        cancelTimers(name)
        update(name) { entry in
            (entry.phase, entry.cause, entry.stopLimit, entry.startsAgain) = (.idle, nil, nil, false)
            (entry.starters, entry.nextStarters, entry.failedStarters, entry.stoppers) = (
                entry.nextStarters, [], [], []
            )
        }
        for waiter in entry.failedStarters + entry.starters {
            answer(waiter, entry.abortError ?? Self.stopped(name, "a stop during the start"))
        }
        for waiter in entry.stoppers { answer(waiter, entry.endError ?? entry.userError) }
        let waiting = graph.dependants(of: name).filter { entries[$0]?.phase == .awaitingNeeds }
        if entry.startsAgain, !isShutDown, !entry.nextStarters.isEmpty || !waiting.isEmpty {
            let isDirect = !entry.nextStarters.isEmpty
            entries[name]?.isWanted = isDirect
            entries[name]?.restarts = 0
            if !isDirect { entries[name]?.options = [:] }
            work.append(.begin(name, cause: isDirect ? nil : waiting.first))
        } else {
            entries[name]?.isWanted = false
            for user in waiting {
                work.append(.fail(user, Self.needFailed(user, Self.stopped(name, "a stop of a needed service"))))
            }
        }
        releaseNeeds(of: name)
        for start in rollingBack { work.append(.rollBack(start)) }
    }

    mutating func proceedShutdown() {
        guard let shutdown, entries.values.allSatisfy({ $0.phase == .idle || $0.phase == .running }) else { return }
        if let last = running.last { return work.append(.stop(last, limit: shutdown.limit)) }
        (self.shutdown, unclean) = (nil, shutdown.unclean)
        for waiter in shutdown.waiters { actions.append(.finishShutdown(waiter, unclean: shutdown.unclean)) }
    }

    // MARK: Waiters and timers

    mutating func withdraw(_ id: UInt64, _ error: any Error, isOverrun: Bool) {
        guard let waiter = waiters[id], let entry = entries[waiter.name] else { return }
        let name = waiter.name
        entries[name]?.starters.removeAll { $0 == id }
        entries[name]?.nextStarters.removeAll { $0 == id }
        entries[name]?.failedStarters.removeAll { $0 == id }
        entries[name]?.stoppers.removeAll { $0 == id }
        answer(id, error)
        guard waiter.isStart, entry.starters == [id], entry.phase == .awaitingNeeds || entry.phase == .making else {
            return
        }
        // A restart doesn't depend on the callers that joined it.
        guard entry.restarts == 0 else { return }
        entries[name]?.isWanted = false
        guard activeUsers(of: name).isEmpty else {
            // From now on, the start belongs to a service that waits for it.
            let user = graph.dependants(of: name).first { entries[$0]?.phase == .awaitingNeeds }
            entries[name]?.cause = entry.cause ?? user
            return
        }
        abort(name, error, limit: nil)
        if isOverrun { expire(name) }
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
        if let timer = waiter.timer { cancelTimer(timer) }
        actions.append(.answer(id, error))
    }

    mutating func refuseNextStarters(_ name: ByteText) {
        for waiter in entries[name]?.nextStarters ?? [] {
            answer(waiter, Self.stopped(name, "a stop before the start"))
        }
        entries[name]?.nextStarters = []
    }

    mutating func setTimer(_ timer: Timer, _ duration: Duration) -> UInt64 {
        lastTimer += 1
        timers[lastTimer] = timer
        actions.append(.setTimer(lastTimer, duration))
        return lastTimer
    }

    mutating func addTimer(_ name: ByteText, _ timer: Timer, _ duration: Duration) {
        let id = setTimer(timer, duration)
        entries[name]?.timers.append(id)
    }

    mutating func cancelTimer(_ id: UInt64) {
        if timers.removeValue(forKey: id) != nil { actions.append(.cancelTimer(id)) }
    }

    mutating func cancelTimers(_ name: ByteText) {
        for timer in entries[name]?.timers ?? [] { cancelTimer(timer) }
        entries[name]?.timers = []
    }

    mutating func update(_ name: ByteText, _ change: (inout Entry) -> Void) {
        guard var entry = entries.removeValue(forKey: name) else { return }
        change(&entry)
        entries[name] = entry
    }

    mutating func set(_ name: ByteText, _ state: ServiceState, _ error: (any Error)? = nil) {
        entries[name]?.state = state
        if error != nil || state == .running { entries[name]?.lastError = error }
        actions.append(.report(name, state, error))
    }

    func alive(_ caller: Caller?) -> ByteText? {
        caller.flatMap { lives[$0.life] == $0.name ? $0.name : nil }
    }
}
