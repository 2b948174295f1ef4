/// A sink and how it has been doing.
final class SinkSlot: @unchecked Sendable {  // `failures` and `quarantinedUntil` are used under `lock`
    let sink: any LogSink
    let threshold: LogLevel
    let lock = ForkSafeLock()
    private var failures = 0
    private var quarantinedUntil: Int64 = 0

    private let clock: @Sendable () -> Int64

    init(_ sink: any LogSink, clock: @escaping @Sendable () -> Int64 = { SystemCalls.monotonicClock() }) {
        (self.sink, threshold, self.clock) = (sink, sink.threshold, clock)
    }

    static let failuresBeforeQuarantine = 3
    static let quarantineNanoseconds: Int64 = 1_000_000_000

    /// Hands the line to the sink, outside of any lock.
    func deliver(_ record: borrowing LogRecord, counters: Guarded<LogCounters>) {
        guard record.level <= threshold else { return }
        let isQuarantined = lock.withLock {
            quarantinedUntil != 0 && clock() < quarantinedUntil
        }
        if !isQuarantined, sink.receive(record) {
            lock.withLock { (failures, quarantinedUntil) = (0, 0) }
            return
        }
        let begins = lock.withLock {
            guard !isQuarantined else { return false }
            failures += 1
            guard failures >= Self.failuresBeforeQuarantine else { return false }
            quarantinedUntil = clock() + Self.quarantineNanoseconds
            return true
        }
        counters.withLock {
            $0.failedInSinks += 1
            if begins { $0.quarantines += 1 }
        }
    }
}
