/// A sink and its failures.
final class SinkSlot: Sendable {
    private struct Health {
        var failures = 0
        var quarantinedUntil: Int64 = 0
    }

    let sink: any LogSink
    let threshold: LogLevel
    private let health = Guarded(Health())
    private let clock: @Sendable () -> Int64

    init(_ sink: any LogSink, clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() }) {
        (self.sink, threshold, self.clock) = (sink, sink.threshold, clock)
    }

    static let failuresBeforeQuarantine = 3
    static let quarantineNanoseconds: Int64 = 1_000_000_000

    /// Passes the line to the sink, without a lock.
    func deliver(_ record: borrowing LogRecord, counters: Guarded<LogCounters>) {
        guard record.level <= threshold else { return }
        let isQuarantined = health.withLock { $0.quarantinedUntil != 0 && clock() < $0.quarantinedUntil }
        if !isQuarantined, sink.receive(record) {
            health.withLock { $0 = Health() }
            return
        }
        let begins = health.withLock {
            guard !isQuarantined else { return false }
            $0.failures += 1
            guard $0.failures >= Self.failuresBeforeQuarantine else { return false }
            $0.quarantinedUntil = clock() + Self.quarantineNanoseconds
            return true
        }
        counters.withLock {
            $0.failedInSinks += 1
            if begins { $0.quarantines += 1 }
        }
    }
}

extension SinkSlot: ForkAware {
    var forkLocks: [any ForkLock] { [health.lock] + ((sink as? any ForkAware)?.forkLocks ?? []) }
    func becomeForkedChild() { (sink as? any ForkAware)?.becomeForkedChild() }
}
