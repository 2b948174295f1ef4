/// Where lines go that need nothing but their beginning, their message and a line end.
///
/// A kind for each store, and not the protocol, because a call through that counts a reference for every line.
enum PlainStore {
    /// No line is plain under the present settings.
    case none
    case appending(Unmanaged<AppendingStore>)
    case mapped(Unmanaged<MappedStore>)
}

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

    var plainStore: PlainStore {
        guard !isUnusual, format.isPlain else { return .none }
        switch store {
        case let store as AppendingStore where store.synchronizesAt == nil: return .appending(.passUnretained(store))
        case let store as MappedStore: return .mapped(.passUnretained(store))
        default: return .none
        }
    }

    init(
        generation: UInt64, store: (any LineStore)?, format: CompiledFormat, sinks: [SinkSlot],
        maximumLineBytes: Int, extraFields: LogFields, limiter: RateLimiter? = nil
    ) {
        (self.generation, self.store, self.format, self.sinks) = (generation, store, format, sinks)
        // A line of a gigabyte is no line any more, and sums with the limit must not overflow.
        self.maximumLineBytes = min(max(1024, maximumLineBytes), 1 << 30)
        (self.extraFields, self.limiter) = (extraFields, limiter)
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
