internal import AshlarCore

/// An event in time for which callers can wait, such as the end of a queued delivery.
final class Departure: Sendable {
    private let state = Mutex((isOver: false, waiting: [CheckedContinuation<Void, Never>]()))

    func isOver() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
