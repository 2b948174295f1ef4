internal import AshlarCore

/// An event in time for which callers can wait, such as the end of a queued delivery.
final class Completion: Sendable {
    private struct State {
        var isComplete = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func complete() {
        let actions = state.withLock { state in
            defer { state = State(isComplete: true) }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Runs an action at the moment, or immediately if it has passed.
    func whenComplete(_ action: @escaping @Sendable () -> Void) {
        let isComplete = state.withLock { state in
            if !state.isComplete { state.actions.append(action) }
            return state.isComplete
        }
        if isComplete { action() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in whenComplete { continuation.resume() } }
    }
}

/// One result and the caller that waits for it; only the first result is stored.
package final class PendingResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    package init() {}

    var isFinished: Bool {
        state.withLock { state in if case .finished = state { true } else { false } }
    }

    /// Stores the first result and resumes the caller; returns whether this is the first one.
    @discardableResult
    package func finish(_ result: Result<Value, any Error>) -> Bool {
        let old = state.withLock { state in
            let old = state
            if case .finished = old { return old }
            state = .finished(result)
            return old
        }
        if case .waiting(let continuation) = old { continuation.resume(with: result) }
        if case .finished = old { return false }
        return true
    }

    /// Waits for the result, until the task is cancelled or the limit has passed.
    package func wait(
        within limit: Duration, clock: any Clock<Duration>, otherwise error: @escaping @Sendable () -> any Error
    ) async throws -> Value {
        let timer = Task {
            try await clock.wait(for: limit)
            self.finish(.failure(error()))
        }
        defer { timer.cancel() }
        return try await wait()
    }

    /// Waits for the result, until the task is cancelled.
    package func wait(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .finished(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Waits until a time limit has passed.
    ///
    /// A clock can't represent the end of a limit of centuries, so more than thirty years are shortened to these.
    /// A cancelled sleep of the system's clock occupies memory until its end, so it is divided into seconds.
    func wait(for limit: Duration) async throws {
        let limit = min(limit, .seconds(1_000_000_000))
        guard self is ContinuousClock else { return try await sleep(for: limit) }
        let end = now.advanced(by: limit)
        while now < end { try await sleep(until: min(end, now.advanced(by: .seconds(1))), tolerance: nil) }
    }
}
