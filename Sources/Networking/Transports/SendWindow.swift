internal import AshlarCore

/// Limits the unsent bytes of a connection: senders wait while it is full.
package final class SendWindow: Sendable {
    private struct State {
        var unsent = 0
        var isClosed = false
        var waiters: [Promise<Void>] = []

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
            let (isAdded, room) = state.withLock { state -> (Bool, Promise<Void>?) in
                if state.isClosed { return (false, nil) }
                if state.isFull {
                    let room = Promise<Void>()
                    state.waiters.append(room)
                    return (false, room)
                }
                state.unsent += bytes
                return (true, nil)
            }
            if isAdded { return }
            guard let room else { throw NetworkError(.connectionLost, "the connection is closed", phase: .send) }
            if await room.value() != nil { continue }
            state.withLock { $0.waiters.removeAll { $0 === room } }
            throw NetworkError(.cancelled, "the task was cancelled", phase: .send)
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
        for waiter in waiters { waiter.fulfill(()) }
    }
}
