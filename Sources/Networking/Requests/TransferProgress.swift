internal import AshlarCore
import Dispatch

/// The progress of the transfer of both bodies.
public struct TransferProgress: Hashable, Sendable {
    /// The number of body bytes passed to the connection.
    public var sent: Int = 0
    /// The length of the request's body, or nil if unknown.
    public var toSend: Int?
    /// The number of body bytes received and decompressed.
    public var received: Int = 0
    /// The announced length of the response's body, or nil if unknown or compressed.
    public var toReceive: Int?
}

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
