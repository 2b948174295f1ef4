internal import AshlarCore
import Foundation

/// Performs the disk work of a cache in order, on a queue of its own.
///
/// Nobody waits longer than ``patience`` for the disk: a read that takes longer is a miss, and a change happens later.
final class CacheDisk: Sendable {
    /// The time that a request waits for the disk.
    static let patience: Duration = .milliseconds(100)
    /// The number of waiting jobs from which on responses are no longer stored.
    private static let mostJobs = 256

    private struct State {
        var waiting = 0
        /// The time when the running job began, or nil if there is none.
        var began: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "Ashlar cache")

    /// The number of jobs that haven't begun.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Adds a job; returns false for an optional one if the disk is too slow.
    @discardableResult
    func add(isOptional: Bool = false, _ job: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            if isOptional, state.waiting >= Self.mostJobs { return false }
            state.waiting += 1
            return true
        }
        guard isAccepted else { return false }
        queue.async { [self] in
            state.withLock { state in
                state.waiting -= 1
                state.began = .now
            }
            job()
            state.withLock { $0.began = nil }
        }
        return true
    }

    /// Whether a job has been running so long that it isn't worthwhile to wait for another one.
    private var isStuck: Bool { state.withLock { $0.began.map { $0.duration(to: .now) > Self.patience } ?? false } }

    /// Returns the result of a job, or nil if it takes longer than the patience; the job then runs later.
    ///
    /// - Parameters:
    ///   - isOptional: Whether the job is omitted if many jobs are waiting.
    ///   - job: The job.
    /// - Returns: The result.
    @discardableResult
    nonisolated(nonsending) func result<Result: Sendable>(
        isOptional: Bool = false, of job: @escaping @Sendable () -> Result
    ) async -> Result? {
        if isStuck {
            add(isOptional: isOptional) { _ = job() }
            return nil
        }
        let promise = Promise<Result>()
        guard add(isOptional: isOptional, { promise.fulfill(job()) }) else { return nil }
        return await promise.value(within: Self.patience)
    }

    /// Waits for a job, at most for the given time, and returns its result.
    @discardableResult
    func wait<Result: Sendable>(_ limit: Duration? = nil, for job: @escaping @Sendable () -> Result) -> Result? {
        let result = Mutex<Result?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        add {
            let value = job()
            result.withLock { $0 = value }
            isDone.signal()
        }
        _ = isDone.wait(timeout: limit.map { .now() + $0.seconds } ?? .distantFuture)
        return result.withLock { $0 }
    }
}
