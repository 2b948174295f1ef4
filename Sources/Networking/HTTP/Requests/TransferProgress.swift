internal import AshlarCore
import Dispatch

/// Reports the latest progress to a caller's closure, never concurrently and never on a transport's thread.
final class ProgressReporter: Sendable {
    private struct State {
        var latest: TransferProgress?
        var isScheduled = false
    }

    private let handler: @Sendable (TransferProgress) -> Void
    private let queue = DispatchQueue(label: "ashlar.progress")
    private let state = Mutex(State())

    init(_ handler: @escaping @Sendable (TransferProgress) -> Void) { self.handler = handler }

    func report(_ progress: TransferProgress) {
        let schedules = state.withLock { state in
            state.latest = progress
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { queue.async { [self] in deliver() } }
    }

    /// Returns after delivering the latest progress.
    func finish() { queue.sync { deliver() } }

    private func deliver() {
        let progress = state.withLock { state in
            state.isScheduled = false
            return state.latest.take()
        }
        if let progress { handler(progress) }
    }
}
