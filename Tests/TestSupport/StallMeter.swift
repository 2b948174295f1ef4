/// The longest time for which no task of this process could run, as far as a task that wakes every few milliseconds sees it.
///
/// Tests that compare several real clocks repeat themselves after a stall (``repeatingOnce(if:isolation:fileID:line:_:)``).
public final class StallMeter: Sendable {
    private let most = Locked(Duration.zero)
    private let task: Task<Void, Never>

    /// Begins to measure, until the meter is released.
    public init() {
        task = Task.detached { [most] in
            var last = ContinuousClock.now
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
                let now = ContinuousClock.now
                let stall = last.duration(to: now)
                most.withLock { $0 = max($0, stall) }
                last = now
            }
        }
    }

    deinit { task.cancel() }

    /// The longest time so far.
    public var longest: Duration { most.withLock { $0 } }
}
