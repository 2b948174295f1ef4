internal import AshlarCore

/// Runs work serially, from any threads.
///
/// Work that arrives while other work runs is queued. A thread runs its own work and a share of the queue; then the
/// next caller goes on, or a task. So no thread is busy with the work of others without end.
final class SerialRunner: Sendable {
    typealias Work = @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var line = Fifo<Work>()
        var isRunning = false
        /// Whether a task will look after the queue.
        var hasTask = false
    }

    /// The number of pieces that a caller runs at most.
    private static let share = 64

    /// Runs the work now, or queues it if other work is running; returns whether it has run.
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
            // A thread that runs now looks after the queue itself.
            if state.isRunning || state.line.isEmpty { return false }
            state.isRunning = true
            return true
        }
        if mustRun { runShare() }
    }
}
