import AshlarCore

/// A clock whose time passes only when the test advances it.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [(id: Int, deadline: Instant, wake: CheckedContinuation<Void, any Error>)] = []
        var arrivals: [CheckedContinuation<Void, Never>] = []
        var lastID = 0
        var cancelled: Set<Int> = []
    }
    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let (early, arrivals) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.contains(id) { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers.append((id, deadline, wake))
                    defer { state.arrivals = [] }
                    return (nil, state.arrivals)
                }
                if let early { wake.resume(with: early) }
                for arrival in arrivals { arrival.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    /// The time until the first sleeper wakes; nil if no task sleeps.
    var untilNext: Duration? {
        state.withLock { state in state.sleepers.map { state.now.duration(to: $0.deadline) }.min() }
    }

    /// Waits until a task sleeps.
    func untilSomebodySleeps() async {
        await withCheckedContinuation { arrival in
            let isThere = state.withLock { state in
                if state.sleepers.isEmpty { state.arrivals.append(arrival) }
                return !state.sleepers.isEmpty
            }
            if isThere { arrival.resume() }
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }
}

/// A gate at which tasks wait until it is opened.
final class Gate: Sendable {
    private let state = Mutex(
        (
            isOpen: false, waiting: [CheckedContinuation<Void, Never>](),
            arrivals: [CheckedContinuation<Void, Never>](), count: 0
        ))

    func pass() async {
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
    func untilSomebodyComes() async {
        await withCheckedContinuation { me in
            let isThere = state.withLock { state in
                if state.count == 0 { state.arrivals.append(me) }
                return state.count > 0
            }
            if isThere { me.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for task in waiting { task.resume() }
    }
}
