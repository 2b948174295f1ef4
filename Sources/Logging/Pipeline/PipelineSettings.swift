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
    let limiter: RateLimiter?

    var hasExtras: Bool { limiter != nil || !extraFields.isEmpty }
    /// Whether a line needs more than being written to the store.
    let isUnusual: Bool

    init(
        generation: UInt64, store: (any LineStore)?, format: CompiledFormat, sinks: [SinkSlot],
        maximumLineBytes: Int, extraFields: LogFields, limiter: RateLimiter? = nil
    ) {
        (self.generation, self.store, self.format, self.sinks) = (generation, store, format, sinks)
        (self.maximumLineBytes, self.extraFields, self.limiter) = (maximumLineBytes, extraFields, limiter)
        needsTime = store == nil || format.needsTime || !sinks.isEmpty
        isUnusual = store == nil || !sinks.isEmpty || limiter != nil || !extraFields.isEmpty
    }

    /// The same with more fields for every line.
    func adding(_ fields: LogFields, generation: UInt64) -> PipelineSettings {
        var extra = extraFields
        extra.append(contentsOf: fields)
        return PipelineSettings(
            generation: generation, store: store, format: format, sinks: sinks, maximumLineBytes: maximumLineBytes,
            extraFields: extra, limiter: limiter)
    }

    /// The same with another format.
    func with(format: CompiledFormat, generation: UInt64) -> PipelineSettings {
        PipelineSettings(
            generation: generation, store: store, format: format, sinks: sinks, maximumLineBytes: maximumLineBytes,
            extraFields: extraFields, limiter: limiter)
    }
}
