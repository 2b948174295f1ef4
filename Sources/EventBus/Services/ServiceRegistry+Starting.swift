internal import AshlarCore

// The starts that callers request.
extension ServiceRegistry {
    /// Starts a service after the services that it needs.
    ///
    /// A start throws `serviceStopped` while the service, or one that it needs, is still stopping.
    ///
    /// - Parameters:
    ///   - name: The name of the service.
    ///   - options: The options of the service, unless it is already running.
    ///   - limit: The time that the caller waits. Then the start is cancelled, unless there are other callers.
    /// - Returns: The running service.
    /// - Throws: ``EventBusError``: `unknownService`, `serviceFailed` with the service's error as `underlying`,
    ///   `serviceStopped` if the service is stopped first or still stopping, `serviceOverran`, `serviceCycle`; or
    ///   `CancellationError`.
    @discardableResult
    public func start(
        _ name: String, _ options: [String: any Sendable] = [:], within limit: Duration? = nil
    ) async throws -> any Service {
        try Task.checkCancellation()
        for need in endedNeeds(of: name) { try await start(need, within: limit) }
        let life = try request(name, options)
        if let service = life.service { return service }
        let outcome = await life.outcome.value(within: limit) { [clock] in try await clock.wait(for: $0) }
        if let outcome { return try outcome.get() }
        throw leave([(name, life)], after: limit)[name] ?? CancellationError()
    }

    /// Returns the life of a service that runs or starts, and begins one otherwise.
    private func request(_ name: String, _ options: [String: any Sendable] = [:]) throws -> Life {
        guard let entry = entries[name] else { throw unknown(name) }
        if entry.isRunning, entry.stop == nil, let life = entry.life { return life }
        // The initializer of a service can't wait for the service itself, or for one that needs it.
        if let caller = currentCaller, entries[caller]?.life?.service == nil,
            let path = graph.path(from: name, to: caller)
        {
            throw Self.cycleError([caller] + path)
        }
        if shutdown != nil { throw Self.stopped(name, "a shutdown before the start") }
        if let refusal = refusal(of: name) { throw refusal }
        let life = entry.life ?? begin(name, options)
        entries[name]?.life?.starters += 1
        return life
    }

    /// Ends the waits of a caller for some starts, and the starts that have no other caller and no service that waits for them.
    ///
    /// - Returns: The errors for the caller, by the names of the services.
    private func leave(_ starts: [(name: String, life: Life)], after limit: Duration?) -> [String: any Error] {
        var errors: [String: any Error] = [:]
        var open = starts.filter { start in life(start.name, start.life.id).map { $0.service == nil } ?? false }
        for (name, _) in open {
            entries[name]?.life?.starters -= 1
            errors[name] =
                Task.isCancelled
                ? CancellationError()
                : EventBusError(
                    .serviceOverran, subject: name, expected: "a start within \(limit ?? .zero)", found: "no end of it")
        }
        // A start can end when those of the services that wait for it have ended.
        while let index = open.lastIndex(where: {
            entries[$0.name]?.life?.starters == 0 && activeUsers(of: $0.name).isEmpty
        }) {
            let name = open.remove(at: index).name
            abandon(name, errors[name] ?? CancellationError())
        }
        return errors
    }

    /// Returns the services that a running service needs, directly or not, and that have ended by themselves.
    private func endedNeeds(of name: String) -> [String] {
        var ended: [String] = []
        var open = [name]
        var seen: Set<String> = [name]
        while let next = open.popLast() {
            guard entries[next]?.isRunning == true else {
                if entries[next]?.isActive == false, next != name { ended.append(next) }
                continue
            }
            open += graph.needs(of: next).filter { seen.insert($0).inserted }
        }
        return ended
    }

    /// Starts the service of a type that is registered with the name of the type.
    @discardableResult
    public func start<S: Service>(
        _ type: S.Type, _ options: [String: any Sendable] = [:], within limit: Duration? = nil
    ) async throws -> S {
        let service = try await start(type.name, options, within: limit)
        guard let service = service as? S else {
            throw EventBusError(
                .serviceType, subject: type.name, expected: "\(type)", found: "\(Swift.type(of: service))")
        }
        return service
    }

    /// Starts all registered services; independent services start concurrently.
    ///
    /// - Throws: The error of the first registered service that failed itself, after all starts have ended; the started
    ///   services continue to run.
    public func startAll(within limit: Duration? = nil) async throws {
        try Task.checkCancellation()
        var errors: [String: any Error] = [:]
        var starts: [(name: String, life: Life)] = []
        for name in names {
            do { starts.append((name, try request(name))) } catch { errors[name] = error }
        }
        let all = Promise<Void>()
        let wait = Task.detached { [starts] in
            for start in starts.reversed() { _ = await start.life.outcome.value() }
            all.fulfill(())
        }
        if await all.value(within: limit, sleep: { [clock] in try await clock.wait(for: $0) }) == nil {
            wait.cancel()
            errors.merge(leave(starts, after: limit)) { first, _ in first }
        }
        for (name, life) in starts where errors[name] == nil && self.life(name, life.id) == nil {
            if case .failure(let error) = await life.outcome.value() { errors[name] = error }
        }
        let failed = names.filter { errors[$0] != nil }
        let first = failed.first { graph.needs(of: $0).allSatisfy { errors[$0] == nil } } ?? failed.first
        if let error = first.flatMap({ errors[$0] }) { throw error }
    }
}
