import AshlarTestSupport
import Testing

/// A clock whose sleeps end when a test ends them.
final class SleeperClock: Clock, Sendable {
    private struct Sleeper {
        let id: Int
        let pause: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let sleepers = Mutex<(list: [Sleeper], lastID: Int)>(([], 0))
    var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let pause = now.duration(to: deadline)
        let id = sleepers.withLock { sleepers in
            sleepers.lastID += 1
            return sleepers.lastID
        }
        let elapsed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = sleepers.withLock { sleepers in
                    if Task.isCancelled { return true }
                    sleepers.list.append(Sleeper(id: id, pause: pause, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            take { $0.id == id }?.continuation.resume(returning: false)
        }
        if !elapsed { throw CancellationError() }
    }

    private func take(_ condition: (Sleeper) -> Bool) -> Sleeper? {
        sleepers.withLock { sleepers in
            sleepers.list.firstIndex(where: condition).map { sleepers.list.remove(at: $0) }
        }
    }

    /// The pauses of the sleeps that haven't ended.
    var pauses: [Duration] { sleepers.withLock { $0.list.map(\.pause) } }

    /// Waits until something sleeps for a pause, and ends that sleep.
    func elapse(_ pause: Duration) async throws {
        try await until { pauses.contains(pause) }
        take { $0.pause == pause }?.continuation.resume(returning: true)
    }
}
