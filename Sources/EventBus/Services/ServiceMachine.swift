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
        /// Discard an attempt and its timers; an instance that is created later is stopped and released.
        case end(attempt: UInt64)
        /// Report `timerFired` after a duration.
        case setTimer(Timer, Duration)
        /// Discard the timers of an attempt.
        case cancelTimers(attempt: UInt64)
        /// Resume the caller of a request and discard its timer.
        case answer(UInt64, (any Error)?)
        /// Send the event of a new state.
        case report(ByteText, ServiceState, (any Error)?)
        /// Apply the policy of a service that has ended by itself, or failed.
        case conclude(ByteText, (any Error)?)
    }

    enum Timer {
        case deadline(attempt: UInt64)
        /// The end of the time between the cancellation of a service and its abandonment.
        case grace(attempt: UInt64)
        case restart(ByteText, attempt: UInt64)
        /// The end of the time after which a restarted service has all its restarts again.
        case stable(attempt: UInt64)
        case request(UInt64, Duration)
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
        /// The time between a failure and the restart.
        case pausing
        /// A stop waits for the services that use this one, which can have no instance itself.
        case awaitingUsers
        case stopping
        /// A start failed, and services that were started for it are being stopped.
        case rollingBack

        /// Whether a service in this phase has, or can get, an instance that uses other services.
        var usesNeeds: Bool {
            switch self {
            case .idle, .awaitingNeeds, .rollingBack: false
            default: true
            }
        }
    }

    struct Entry {
        var state = ServiceState.registered
        var phase = Phase.idle
        var attempt: UInt64 = 0
        var options: [String: any Sendable] = [:]
        /// Whether it was started directly, or for a service whose start has succeeded.
        ///
        /// Other services were started for a start that hasn't ended, and end with it if it fails.
        var isWanted = false
        /// Whether its last stop was part of a failed start of another service.
        var isRolledBack = false
        /// Whether a stop of its start waits for the services that use an earlier instance.
        var awaitsUsers = false
        /// The number of consecutive restarts.
        var restarts = 0
        /// The reason why the start was cancelled or failed.
        var startError: (any Error)?
        /// The reason why the attempt didn't end normally, or the first error of a service that had to stop before it.
        var endError: (any Error)?
        /// The error of a `run()` that ended during its stop.
        var runError: (any Error)?
        var lastError: (any Error)?
        /// The time limit for a stop that waits for its users.
        var stopLimit: Duration?
        var starters: [UInt64] = []
        var stoppers: [UInt64] = []
    }

    /// A step that follows from another one.
    enum Step {
        case begin(ByteText)
        case checkNeeds(ByteText)
        case fail(ByteText, any Error)
        case stop(ByteText, limit: Duration?)
        case checkUsers(ByteText)
        case checkRollback(ByteText)
    }

    struct Waiter {
        let name: ByteText
        let isStart: Bool
        let caller: ByteText?
    }

    struct Shutdown {
        var limit: Duration?
        /// Whether the tasks of services are cancelled at the beginning of their stops.
        var isCancelling = false
        var waiters: [UInt64] = []
        /// The services that haven't stopped in order so far.
        var unclean: [ByteText] = []
    }

    let gracePeriod: Duration
    private(set) var graph = ServiceGraph()
    var entries: [ByteText: Entry] = [:]
    /// The running services, in the order in which they became ready.
    var running: [ByteText] = []
    var actions: [Action] = []
    var work: [Step] = []
    /// The current attempts with their services.
    var attempts: [UInt64: ByteText] = [:]
    var waiters: [UInt64: Waiter] = [:]
    /// The services for which the code of each service waits.
    var calls: [ByteText: [UInt64: ByteText]] = [:]
    var rollingBack: Set<ByteText> = []
    /// The shutdown, which can be complete; nil before the first one.
    var shutdown: Shutdown?
    var lastAttempt: UInt64 = 0

    /// Creates a machine without services.
    ///
    /// - Parameter gracePeriod: The time between the cancellation of a service at a deadline and its abandonment.
    init(gracePeriod: Duration = .zero) { self.gracePeriod = gracePeriod }

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
            if entry.phase == .running {
                machine.keep(name)
                return machine.actions.append(.answer(waiter, nil))
            }
            let caller = machine.alive(caller)
            if let caller, let cycle = machine.waitPath(from: name, to: caller) {
                return machine.actions.append(.answer(waiter, Self.cycleError([caller] + cycle)))
            }
            if machine.shutdown != nil {
                return machine.actions.append(.answer(waiter, Self.stopped(name, "a shutdown before the start")))
            }
            if let refusal = machine.refusal(of: name) { return machine.actions.append(.answer(waiter, refusal)) }
            machine.add(waiter, Waiter(name: name, isStart: true, caller: caller))
            if let limit { machine.actions.append(.setTimer(.request(waiter, limit), limit)) }
            machine.entries[name]?.starters.append(waiter)
            machine.entries[name]?.isWanted = true
            if entry.phase == .idle { machine.entries[name]?.options = options }
            machine.beginIfPossible(name)
        }
    }

    /// Stops a service.
    mutating func stop(
        _ name: ByteText, waiter: UInt64, limit: Duration? = nil, isCascade: Bool = false,
        caller: Caller? = nil
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
            if !users.isEmpty, !isCascade,
                [.awaitingNeeds, .making, .running, .pausing].contains(entry.phase)
            {
                let error = EventBusError(
                    .serviceInUse, subject: name.text, expected: "no running service that needs it",
                    found: users.map(\.text).joined(separator: ", "), trail: users.map(\.text))
                return machine.actions.append(.answer(waiter, error))
            }
            let caller = machine.alive(caller)
            if let caller, let cycle = machine.stopPath(from: name, to: caller) {
                return machine.actions.append(.answer(waiter, Self.cycleError([caller] + cycle)))
            }
            // The service itself has already ended if its failed start is being rolled back.
            if entry.phase == .rollingBack { return machine.actions.append(.answer(waiter, nil)) }
            machine.add(waiter, Waiter(name: name, isStart: false, caller: caller))
            machine.entries[name]?.stoppers.append(waiter)
            machine.work.append(.stop(name, limit: limit))
        }
    }

    /// Stops all services, the last to become ready first, and refuses later starts.
    mutating func shutDown(
        waiter: UInt64, limit: Duration? = nil, isCancelling: Bool = false, caller: Caller? = nil
    ) -> [Action] {
        perform { machine in
            machine.shutdown = machine.shutdown ?? Shutdown()
            if let limit { machine.shutdown?.limit = limit }
            if isCancelling {
                machine.shutdown?.isCancelling = true
                for attempt in machine.attempts.keys.sorted() { machine.actions.append(.cancel(attempt: attempt)) }
            }
            if machine.alive(caller) != nil {
                // A service that waited for its own end would hang.
                machine.actions.append(.answer(waiter, nil))
            } else {
                machine.shutdown?.waiters.append(waiter)
            }
            for name in machine.graph.names {
                switch machine.entries[name]?.phase {
                case .idle, .running, .rollingBack, nil: break
                default: machine.work.append(.stop(name, limit: limit))
                }
            }
        }
    }

    /// Withdraws the request of a cancelled caller; a start without any remaining caller is cancelled.
    mutating func withdraw(_ waiter: UInt64) -> [Action] {
        perform { machine in
            if let index = machine.shutdown?.waiters.firstIndex(of: waiter) {
                machine.shutdown?.waiters.remove(at: index)
                return machine.actions.append(.answer(waiter, nil))
            }
            machine.withdraw(waiter, CancellationError(), isOverrun: false)
        }
    }
}
