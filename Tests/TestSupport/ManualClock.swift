internal import AshlarCore

/// A clock whose time passes only when the test advances it, or by as much as its users sleep.
public final class ManualClock: Clock, Sendable {
    /// A time since the clock was created.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Duration

        /// Creates a time.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// Returns the time after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the duration to another time.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether a time is before another one.
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var slept: [Duration] = []
        var sleepers: [Sleeper] = []
        var arrivals: [CheckedContinuation<Void, Never>] = []
        var lastID = 0
        var cancelled: Set<Int> = []
    }

    private let advancesItself: Bool
    private let state = Mutex(State())

    /// Creates a clock.
    ///
    /// - Parameter advancesItself: Whether a sleep advances the clock and ends at once.
    public init(advancesItself: Bool = false) { self.advancesItself = advancesItself }

    /// The clock's time.
    public var now: Instant { state.withLock { $0.now } }
    /// The smallest step of the clock.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The pauses of all sleeps, in the order in which they began.
    public var slept: [Duration] { state.withLock { $0.slept } }

    /// The pauses of the sleeps that haven't ended.
    public var pauses: [Duration] {
        state.withLock { state in state.sleepers.map { state.now.duration(to: $0.deadline) } }
    }

    /// The time until the first sleeper wakes; nil if no task sleeps.
    public var untilNext: Duration? { pauses.min() }

    /// Waits until the clock is advanced to a time; throws if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            state.slept.append(state.now.duration(to: deadline))
            if advancesItself { state.now = max(state.now, deadline) }
            return state.lastID
        }
        if advancesItself { return await Task.yield() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let (early, arrivals) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.contains(id) { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, wake: wake))
                    defer { state.arrivals = [] }
                    return (nil, state.arrivals)
                }
                if let early { wake.resume(with: early) }
                for arrival in arrivals { arrival.resume() }
            }
        } onCancel: {
            state.withLock { _ = $0.cancelled.insert(id) }
            take { $0.id == id }?.wake.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock and wakes the sleepers that are due.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Waits until a task sleeps.
    public func untilSomebodySleeps() async {
        await withCheckedContinuation { arrival in
            let isThere = state.withLock { state in
                if state.sleepers.isEmpty { state.arrivals.append(arrival) }
                return !state.sleepers.isEmpty
            }
            if isThere { arrival.resume() }
        }
    }

    /// Waits until a task sleeps for a pause, and wakes it without advancing the clock.
    public func elapse(_ pause: Duration) async throws {
        try await until("a task sleeps for \(pause)") { pauses.contains(pause) }
        take { self.now.duration(to: $0.deadline) == pause }?.wake.resume()
    }

    private func take(_ condition: (Sleeper) -> Bool) -> Sleeper? {
        // The clock's time may be read by the condition, so that it isn't called under the lock.
        let candidates = state.withLock { $0.sleepers }
        guard let id = candidates.first(where: condition)?.id else { return nil }
        return state.withLock { state in
            state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
        }
    }
}

/// A gate at which tasks wait until it is opened.
public final class Gate: Sendable {
    private let state = Mutex(
        (
            isOpen: false, waiting: [CheckedContinuation<Void, Never>](),
            arrivals: [CheckedContinuation<Void, Never>](), count: 0
        ))

    /// Creates a closed gate.
    public init() {}

    /// Waits until the gate is open.
    public func pass() async {
        await withCheckedContinuation { me in
            let (isOpen, arrivals) = state.withLock { state in
                state.count += 1
                if !state.isOpen { state.waiting.append(me) }
                defer { state.arrivals = [] }
                return (state.isOpen, state.arrivals)
            }
            if isOpen { me.resume() }
            for arrival in arrivals { arrival.resume() }
        }
    }

    /// Waits until a task waits at the gate.
    public func untilSomebodyComes() async {
        await withCheckedContinuation { me in
            let isThere = state.withLock { state in
                if state.count == 0 { state.arrivals.append(me) }
                return state.count > 0
            }
            if isThere { me.resume() }
        }
    }

    /// Opens the gate for the tasks that wait and for all later ones.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for task in waiting { task.resume() }
    }
}
