#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// An interceptor that adds metadata to events: the time, the source, a correlation ID and a position in a trace.
///
/// Existing metadata isn't replaced, but the event becomes the next step of its trace. An event without a trace starts
/// one. The default correlation ID is the identifier of the trace.
///
/// ```swift
/// let bus = EventBus()
/// let watches = [
///     bus.intercept("**", with: EventStamp(source: "checkout")),
///     bus.watch("order:*") { print($0.metadata?.traceParent?.description ?? "") },
/// ]
/// bus.trigger("order:placed", 5)
/// for watch in watches { watch.cancel() }
/// ```
public struct EventStamp: EventInterceptor {
    private let source: String?
    private let now: @Sendable () -> Duration

    /// Creates a stamp.
    ///
    /// - Parameters:
    ///   - source: The part of the system that triggers the events.
    ///   - now: Returns the time since 1970-01-01 00:00 UTC; by default that of the system's clock.
    public init(source: String? = nil, now: (@Sendable () -> Duration)? = nil) {
        (self.source, self.now) = (source, now ?? Self.systemTime)
    }

    private static let systemTime: @Sendable () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Completes the metadata of an event and passes it on.
    public func intercept(_ event: InterceptedEvent, next: @escaping EventPassage) -> DeliveryResult {
        var (event, metadata) = (event, event.metadata ?? EventMetadata())
        metadata.time = metadata.time ?? now()
        metadata.source = metadata.source ?? source
        metadata.traceParent = metadata.traceParent?.child() ?? TraceParent()
        metadata.correlationID = metadata.correlationID ?? metadata.traceParent?.traceID
        event.metadata = metadata
        return next(event)
    }
}
