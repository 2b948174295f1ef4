internal import AshlarCore

/// Limits the unsent bytes of a connection: senders wait while it is full.
package final class SendWindow: Sendable {
    private struct State {
        var unsent = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isFull: Bool { unsent >= SendWindow.capacity && !isClosed }
    }

    /// The number of unsent bytes at which senders wait.
    package static let capacity = 256 << 10

    private let state = Mutex(State())

    /// Creates an empty window.
    package init() {}

    /// Adds bytes as soon as there is room for some of them.
    ///
    /// - Throws: `.connectionLost` after `close()`, `.cancelled` if the task is cancelled while it waits.
    package func add(_ bytes: Int) async throws(NetworkError) {
        while true {
            let (isAdded, isClosed) = state.withLock { state in
                let fits = !state.isFull && !state.isClosed
                if fits { state.unsent += bytes }
                return (fits, state.isClosed)
            }
            if isAdded { return }
            if isClosed { throw NetworkError(.connectionLost, "the connection is closed", phase: .send) }
            if Task.isCancelled { throw NetworkError(.cancelled, "the task was cancelled", phase: .send) }
            await waitForRoom()
        }
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // A cancellation before this is visible here; one after this resumes all waiters.
                    if !state.isFull || Task.isCancelled { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            resumeAll()
        }
    }

    /// Removes bytes that have been sent.
    package func remove(_ bytes: Int) {
        let isFull = state.withLock { state in
            state.unsent -= bytes
            return state.isFull
        }
        if !isFull { resumeAll() }
    }

    /// Makes all present and future senders fail.
    package func close() {
        state.withLock { $0.isClosed = true }
        resumeAll()
    }

    private func resumeAll() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
