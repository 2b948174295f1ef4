/// The immutable settings of all lines; a change creates new ones.
final class PipelineSettings: Sendable {
    let generation: UInt64
    let store: (any LineStore)?
    let format: CompiledFormat
    let sinks: [SinkSlot]
    let maximumLineBytes: Int
    /// The fields of every line: the process ID in a forked child, a mark after the end of the run.
    let extraFields: LogFields
    let noise: Noise

    /// The filters of lines and the source of further fields.
    struct Noise: Sendable {
        var limiter: RateLimiter?
        var repeats: RepeatFilter?
        var recorder: LineRecorder?
        var provider: (@Sendable () -> LogFields)?

        var isEmpty: Bool { limiter == nil && repeats == nil && recorder == nil && provider == nil }

        var forkLocks: [any ForkLock] { [limiter?.forkLock, repeats?.forkLock, recorder?.forkLock].compactMap(\.self) }
    }

    /// Whether a line's time is used; reading the clock is a large part of a line's cost.
    let needsTime: Bool
    /// Whether a line isn't only written to the store.
    let isUnusual: Bool

    init(
        generation: UInt64, store: (any LineStore)?, format: CompiledFormat, sinks: [SinkSlot],
        maximumLineBytes: Int, extraFields: LogFields = [:], noise: Noise = Noise()
    ) {
        (self.generation, self.store, self.format, self.sinks) = (generation, store, format, sinks)
        // The upper bound prevents overflow in sums with the limit.
        self.maximumLineBytes = min(max(1024, maximumLineBytes), 1 << 30)
        (self.extraFields, self.noise) = (extraFields, noise)
        needsTime = store == nil || format.needsTime || !sinks.isEmpty
        isUnusual = store == nil || !sinks.isEmpty || !extraFields.isEmpty || !noise.isEmpty
    }

    /// Formats the line and stores it; returns whether a part of it was truncated.
    ///
    /// The line's own function holds these settings, so that reading them counts no references.
    ///
    /// - Precondition: There is a store.
    @inline(never)
    func write(_ record: borrowing LogRecord, on thread: ThreadContext) -> Bool {
        let line = thread.line
        line.reset()
        let isCut = format.write(record, to: line, limit: maximumLineBytes)
        line.append(byte: 10)
        store?.append(line.text, level: record.level)
        line.shrink()
        return isCut
    }

    /// Returns the same settings with some of them replaced.
    func with(
        format: CompiledFormat? = nil, adding fields: LogFields = [:], generation: UInt64
    ) -> PipelineSettings {
        PipelineSettings(
            generation: generation, store: store, format: format ?? self.format, sinks: sinks,
            maximumLineBytes: maximumLineBytes, extraFields: extraFields.followed(by: fields), noise: noise)
    }
}
