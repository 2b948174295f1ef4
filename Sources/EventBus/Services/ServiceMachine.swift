/// The services of a registry as a state machine, with requests and results as input, and actions as output.
///
/// The machine runs no code of a service and has no clock. Its owner performs the returned actions in order and reports
/// their results. A start or a stop can affect many services, so a step that follows from another one is added to
/// `work` instead of being called, which keeps the call stack flat.
///
/// Each attempt to run a service has a number. Results of an attempt that has ended are ignored.
struct ServiceMachine {
    /// An action that the owner of the machine must perform.
    enum Action {
        /// Create the instance of a new attempt and report `made`.
        case make(ByteText, attempt: UInt64)
        /// Make the instance available, start its `run()` and report `runEnded`.
        case adopt(ByteText, attempt: UInt64)
        /// Call `stop()`, then cancel `run()` and wait for it, and report `stopEnded`.
        case stop(ByteText, attempt: UInt64)
        /// Cancel all tasks of an attempt.
        case cancel(attempt: UInt64)
        /// Discard an attempt.
        case end(attempt: UInt64)
        /// Report `limitPassed` for a request after a duration.
        case setTimer(UInt64, Duration)
        /// Resume the caller of a request and discard its timer.
        case answer(UInt64, (any Error)?)
        /// Send the event of a new state.
        case report(ByteText, ServiceState, (any Error)?)
        /// Apply the policy of a service that has ended by itself, or failed.
        case conclude(ByteText, (any Error)?)
    }

    /// The code of a service that makes a request.
    struct Caller: Sendable, Hashable {
        let name: ByteText
        let attempt: UInt64
    }

    enum Phase {
        /// There is no instance and no work.
        case idle
        case awaitingNeeds
        case making
        /// The start was cancelled, and the initializer hasn't returned yet.
        case abortingMake
        case running
        /// A stop waits for the services that use this one, which can have no instance itself.
        case awaitingUsers
        case stopping

        /// Whether a service in this phase has, or can get, an instance that uses other services.
        var usesNeeds: Bool { self != .idle && self != .awaitingNeeds }
    }

    struct Entry {
        var state = ServiceState.registered
        var phase = Phase.idle
        var attempt: UInt64 = 0
        var options: [String: any Sendable] = [:]
        /// The reason why the start was cancelled or failed.
        var startError: (any Error)?
        /// The reason why the attempt didn't end normally, or the first error of a service that had to stop before it.
        var endError: (any Error)?
        /// The error of a `run()` that ended during its stop.
        var runError: (any Error)?
        var lastError: (any Error)?
        /// Whether the limit of the stop has passed, so that its tasks are cancelled when it begins.
        var isLate = false
        var starters: [UInt64] = []
        var stoppers: [UInt64] = []
    }

    /// A step that follows from another one.
    enum Step {
        case begin(ByteText)
        case checkNeeds(ByteText)
        case fail(ByteText, any Error)
        case stop(ByteText)
        case checkUsers(ByteText)
    }

    struct Waiter {
        let name: ByteText
        let isStart: Bool
    }

    struct Shutdown {
        /// Whether the tasks of services are cancelled at the beginning of their stops.
        var isCancelling = false
        var waiters: [UInt64] = []
        /// The services that haven't stopped in order so far.
        var unclean: [ByteText] = []
    }

    private(set) var graph = ServiceGraph()
    var entries: [ByteText: Entry] = [:]
    /// The running services, in the order in which they became ready.
    var running: [ByteText] = []
    var actions: [Action] = []
    var work: [Step] = []
    /// The current attempts with their services.
    var attempts: [UInt64: ByteText] = [:]
    var waiters: [UInt64: Waiter] = [:]
    /// The shutdown, which can be complete; nil before the first one.
    var shutdown: Shutdown?
    var lastAttempt: UInt64 = 0

    /// Whether no service runs, starts or stops.
    var isIdle: Bool { entries.values.allSatisfy { $0.phase == .idle } }

    /// Returns the services that a running service needs, directly or not, and that have ended by themselves.
    func endedNeeds(of name: ByteText) -> [ByteText] {
        guard entries[name]?.phase == .running else { return [] }
        return needs(of: name).flatMap { entries[$0]?.phase == .idle ? [$0] : endedNeeds(of: $0) }
    }

    // MARK: Requests

    mutating func register(_ definitions: [ServiceGraph.Definition]) throws(EventBusError) -> [Action] {
        let new = try graph.add(definitions)
        return perform { machine in
            for name in new {
                machine.entries[name] = Entry()
                machine.actions.append(.report(name, .registered, nil))
            }
        }
    }

    /// Starts a service after the services that it needs.
    mutating func start(
        _ name: ByteText, _ options: [String: any Sendable] = [:], waiter: UInt64, limit: Duration? = nil,
        caller: Caller? = nil
    ) -> [Action] {
        perform { machine in
            guard let entry = machine.entries[name] else {
                return machine.actions.append(.answer(waiter, machine.unknown(name)))
            }
            if entry.phase == .running { return machine.actions.append(.answer(waiter, nil)) }
            // The initializer of a service can't wait for the service itself, or for one that needs it.
            if let caller = machine.alive(caller), machine.entries[caller]?.phase == .making,
                let path = machine.graph.path(from: name, to: caller)
            {
                return machine.actions.append(.answer(waiter, Self.cycleError([caller] + path)))
            }
            if machine.shutdown != nil {
                return machine.actions.append(.answer(waiter, Self.stopped(name, "a shutdown before the start")))
            }
            if let refusal = machine.refusal(of: name) { return machine.actions.append(.answer(waiter, refusal)) }
            machine.waiters[waiter] = Waiter(name: name, isStart: true)
            if let limit { machine.actions.append(.setTimer(waiter, limit)) }
            machine.entries[name]?.starters.append(waiter)
            guard entry.phase == .idle else { return }
            machine.entries[name]?.options = options
            machine.work.append(.begin(name))
        }
    }

    /// Stops a service.
    mutating func stop(
        _ name: ByteText, waiter: UInt64, limit: Duration? = nil, isCascade: Bool = false, caller: Caller? = nil
    ) -> [Action] {
        perform { machine in
            guard let entry = machine.entries[name] else {
                return machine.actions.append(.answer(waiter, machine.unknown(name)))
            }
            let users = machine.activeUsers(of: name)
            // The users of a service that has ended by itself can still run.
            if entry.phase == .idle, users.isEmpty || !isCascade {
                return machine.actions.append(.answer(waiter, nil))
            }
            if !users.isEmpty, !isCascade, [.awaitingNeeds, .making, .running].contains(entry.phase) {
                let error = EventBusError(
                    .serviceInUse, subject: name.text, expected: "no running service that needs it",
                    found: users.map(\.text).joined(separator: ", "), trail: users.map(\.text))
                return machine.actions.append(.answer(waiter, error))
            }
            // A stop ends after the services that need this one, so the code of none of them can wait for it.
            if let caller = machine.alive(caller), let path = machine.graph.path(from: caller, to: name) {
                return machine.actions.append(.answer(waiter, Self.cycleError([caller] + path.reversed())))
            }
            machine.waiters[waiter] = Waiter(name: name, isStart: false)
            if let limit { machine.actions.append(.setTimer(waiter, limit)) }
            machine.entries[name]?.stoppers.append(waiter)
            machine.work.append(.stop(name))
        }
    }

    /// Stops all services, the last to become ready first, and refuses later starts.
    mutating func shutDown(
        waiter: UInt64, limit: Duration? = nil, isCancelling: Bool = false, caller: Caller? = nil
    ) -> [Action] {
        perform { machine in
            machine.shutdown = machine.shutdown ?? Shutdown()
            if isCancelling { machine.cancelAll() }
            if machine.alive(caller) != nil {
                // A service that waited for its own end would hang.
                machine.actions.append(.answer(waiter, nil))
            } else {
                machine.shutdown?.waiters.append(waiter)
                if let limit { machine.actions.append(.setTimer(waiter, limit)) }
            }
            for name in machine.graph.names {
                switch machine.entries[name]?.phase {
                case .idle, .running, nil: break
                default: machine.work.append(.stop(name))
                }
            }
        }
    }

    /// Withdraws the request of a cancelled caller; a start without any remaining caller is cancelled.
    mutating func withdraw(_ waiter: UInt64) -> [Action] {
        perform { machine in
            if machine.removeShutdownWaiter(waiter) { return machine.actions.append(.answer(waiter, nil)) }
            machine.withdraw(waiter, CancellationError())
        }
    }

    /// Reports that the time limit of a request has passed: its caller is answered, and what it waits for is cancelled.
    mutating func limitPassed(_ id: UInt64, _ limit: Duration) -> [Action] {
        perform { machine in
            if machine.removeShutdownWaiter(id) {
                machine.cancelAll()
                for name in machine.running.reversed() + machine.graph.names
                where machine.entries[name]?.phase != .idle { machine.markUnclean(name) }
                return machine.actions.append(.answer(id, nil))
            }
            guard let waiter = machine.waiters[id] else { return }
            let late = waiter.isStart ? waiter.name : machine.cancelStop(of: waiter.name)
            let expected = "a \(waiter.isStart ? "start" : "stop") within \(limit)"
            machine.withdraw(
                id, EventBusError(.serviceOverran, subject: late.text, expected: expected, found: "no end of it"))
        }
    }

    // MARK: Results

    /// Reports the end of a `make`.
    mutating func made(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name] else { return }
            switch (entry.phase, error) {
            case (.making, nil): machine.becomeRunning(name)
            case (.making, let error?):
                machine.fail(name, EventBusError(.serviceFailed, subject: name.text, underlying: error))
            case (.abortingMake, nil):
                machine.entries[name]?.phase = .stopping
                machine.actions.append(.stop(name, attempt: attempt))
            case (.abortingMake, _?): machine.fail(name, entry.startError ?? CancellationError())
            default: break
            }
        }
    }

    /// Reports the end of a `stop`, with the error that it threw.
    mutating func stopEnded(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name], entry.phase == .stopping
            else { return }
            machine.endStop(
                name,
                (error ?? entry.runError).map {
                    EventBusError(
                        .serviceFailed, subject: name.text, expected: "a stop without an error", underlying: $0)
                })
        }
    }

    /// Reports the end of `run()`.
    mutating func runEnded(attempt: UInt64, error: (any Error)? = nil) -> [Action] {
        perform { machine in
            guard let name = machine.attempts[attempt], let entry = machine.entries[name] else { return }
            guard [.running, .awaitingUsers, .stopping].contains(entry.phase) else { return }
            // The end of a cancelled task isn't a failure.
            let wasCancelled = entry.phase == .stopping || machine.shutdown?.isCancelling == true
            let cause = wasCancelled && error is CancellationError ? nil : error
            let error = cause.map { EventBusError(.serviceFailed, subject: name.text, underlying: $0) }
            if error != nil || entry.phase == .running { machine.actions.append(.conclude(name, error)) }
            if error != nil { machine.markUnclean(name) }
            if entry.phase == .stopping {
                machine.entries[name]?.runError = cause
                return
            }
            machine.endAttempt(name)
            machine.set(name, error == nil ? .stopped : .failed, error)
            if entry.phase == .running { return machine.settle(name) }
            // A stop still waits for the services that use this one.
            if let error { machine.entries[name]?.endError = error }
            machine.work.append(.checkUsers(name))
        }
    }
}
