internal import AshlarCore

/// An event in time for which callers can wait, such as the end of a queued delivery.
final class Departure: Sendable {
    private let state = Mutex((isOver: false, actions: [@Sendable () -> Void]()))

    func isOver() {
        let actions = state.withLock { state in
            defer { state = (true, []) }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Runs an action at the moment, or immediately if it has passed.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.actions.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in whenOver { continuation.resume() } }
    }
}
