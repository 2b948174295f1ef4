internal import AshlarCore

/// Runs work serially, from any thread.
///
/// Work that arrives while other work runs is queued. A thread runs its own work and a limited part of the queue. The
/// next caller or a task runs the rest. Therefore no thread is occupied with the work of others indefinitely.
final class SerialRunner: Sendable {
    typealias Work = @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var line = Fifo<Work>()
        var isRunning = false
        /// Whether a task will run the queue.
        var hasTask = false
    }

    /// The maximum number of queued closures that a caller runs.
    private static let share = 64

    /// Runs the work, or queues it if other work is running; returns whether it has run.
    func run(_ work: @escaping Work) -> Bool {
        let position = state.withLock { state -> Int? in
            state.line.append(work)
            if state.isRunning { return nil }
            state.isRunning = true
            return state.line.count
        }
        guard let position else { return false }
        runShare()
        return position <= Self.share
    }

    private func runShare() {
        for _ in 0..<Self.share {
            guard let work = state.withLock({ $0.line.popFirst() }) else { break }
            work()
        }
        let needsTask = state.withLock { state in
            state.isRunning = false
            if state.line.isEmpty || state.hasTask { return false }
            state.hasTask = true
            return true
        }
        if needsTask { Task.detached(priority: Task.currentPriority) { [self] in runInTask() } }
    }

    private func runInTask() {
        let mustRun = state.withLock { state in
            state.hasTask = false
            // A thread that is running handles the queue itself.
            if state.isRunning || state.line.isEmpty { return false }
            state.isRunning = true
            return true
        }
        if mustRun { runShare() }
    }
}
