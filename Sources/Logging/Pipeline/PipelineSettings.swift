/// All that a line meets on its way, as one value that does not change: a change makes a new one.
final class PipelineSettings: Sendable {
    let generation: UInt64
    let store: (any LineStore)?
    let format: CompiledFormat
    let sinks: [SinkSlot]
    let maximumLineBytes: Int
    /// Whether anything looks at the time of a line; reading the clock is a good part of a line's cost.
    let needsTime: Bool
    /// Fields that every line gets: in a forked child its process, after the end of the run that it is late.
    let extraFields: LogFields

    init(
        generation: UInt64, store: (any LineStore)?, format: CompiledFormat, sinks: [SinkSlot],
        maximumLineBytes: Int, extraFields: LogFields
    ) {
        (self.generation, self.store, self.format, self.sinks) = (generation, store, format, sinks)
        (self.maximumLineBytes, self.extraFields) = (maximumLineBytes, extraFields)
        needsTime = store == nil || format.needsTime || !sinks.isEmpty
    }
}

/// A sink and how it has been doing.
final class SinkSlot: @unchecked Sendable {  // `failures` and `quarantinedUntil` are used under `lock`
    let sink: any LogSink
    let threshold: LogLevel
    private let lock = ForkSafeLock()
    private var failures = 0
    private var quarantinedUntil: Int64 = 0

    init(_ sink: any LogSink) { (self.sink, threshold) = (sink, sink.threshold) }

    static let failuresBeforeQuarantine = 3
    static let quarantineNanoseconds: Int64 = 1_000_000_000

    /// Hands the line to the sink, outside of any lock.
    func deliver(_ record: borrowing LogRecord, counters: Guarded<LogCounters>) {
        guard record.level <= threshold else { return }
        let isQuarantined = lock.withLock {
            quarantinedUntil != 0 && SystemCalls.monotonicClock() < quarantinedUntil
        }
        if !isQuarantined, sink.receive(record) {
            lock.withLock { (failures, quarantinedUntil) = (0, 0) }
            return
        }
        let begins = lock.withLock {
            guard !isQuarantined else { return false }
            failures += 1
            guard failures >= Self.failuresBeforeQuarantine else { return false }
            quarantinedUntil = SystemCalls.monotonicClock() + Self.quarantineNanoseconds
            return true
        }
        counters.withLock {
            $0.failedInSinks += 1
            if begins { $0.quarantines += 1 }
        }
    }
}
