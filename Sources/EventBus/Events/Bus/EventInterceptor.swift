internal import AshlarCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Code that handles every event of selected topics between the trigger and the watchers.
///
/// An interceptor passes the event on, drops it, or passes it on later. It may change the event. Code before the call of
/// `next` sees the event, code after it sees the result:
///
/// ```swift
/// struct Clamp: EventInterceptor {
///     func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
///         guard let volume = event.payload as? Int else { return .droppedEvent }
///         var event = event
///         event.payload = min(volume, 100)
///         return next(event)
///     }
/// }
/// let bus = EventBus()
/// let volume = Topic<Int>("volume")
/// let watches = [bus.intercept(volume, with: Clamp()), bus.watch(volume) { print($0.payload) }]
/// bus.trigger(volume, 130)  // 100
/// for watch in watches { watch.cancel() }
/// ```
public protocol EventInterceptor: Sendable {
    /// Passes an event to the next interceptor or to the watchers.
    typealias Next = @Sendable (InterceptedEvent) -> DeliveryResult

    /// Handles one event, inside the trigger and on its thread.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - next: Passes an event to the next interceptor, and finally to the watchers. It may be called later and on any
    ///     thread; the event is then delivered like a trigger at that place. Each call delivers an event.
    /// - Returns: The result of the trigger: that of `next`, ``DeliveryResult/droppedEvent`` or ``DeliveryResult/postponed``.
    func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult
}

/// An event before its delivery.
public struct InterceptedEvent: Sendable {
    /// The name of the topic.
    public let name: String
    /// The payload; a new one must have the payload type of the topic.
    public var payload: any Sendable
    /// The origin of the event.
    public var metadata: EventMetadata?
    /// The source line of the trigger.
    public let location: EventLocation
    /// The identity of the object that the event comes from, if one was given.
    public let sourceID: ObjectIdentifier?
}

extension EventBus {
    /// Registers an interceptor for the events of a topic, or of the topics that a pattern matches.
    ///
    /// Interceptors handle an event in the order of their registration; each sees the results of the later ones. Topics
    /// without an interceptor have no extra cost. Dropping the returned handle doesn't end the interception.
    ///
    /// - Returns: The handle that ends the interception.
    public func intercept(_ selector: some EventSelector, with interceptor: some EventInterceptor) -> Watch {
        let selection = selector.selection
        let entry = InterceptorEntry(selection.text, pattern: selection.pattern, interceptor, bus: self)
        interceptors.withLock { $0.append(entry) }
        didChangePatterns()
        return Watch(host: entry, id: 0)
    }
}

/// A registered interceptor, which is also its watch.
final class InterceptorEntry: WatchHost {
    let watched: String
    /// The pattern, unless the interceptor is for the topic `watched`.
    private let pattern: TopicPattern?
    private weak let bus: EventBus?
    private let state: Mutex<(any EventInterceptor)?>

    init(_ watched: String, pattern: TopicPattern?, _ interceptor: any EventInterceptor, bus: EventBus) {
        self.watched = watched
        self.pattern = pattern
        self.bus = bus
        state = Mutex(interceptor)
    }

    /// The interceptor; nil after cancellation.
    var interceptor: (any EventInterceptor)? { state.withLock { $0 } }

    func concerns(_ name: String) -> Bool { pattern?.matches(name) ?? watched.hasSameBytes(as: name) }

    func cancel(_ id: UInt64) -> Bool {
        // The interceptor is released at the end, outside the lock.
        let old = state.withLock { $0.take() }
        guard old != nil else { return false }
        bus?.interceptors.withLock { $0.removeAll { $0 === self } }
        bus?.didChangePatterns()
        return true
    }

    func isLive(_ id: UInt64) -> Bool { bus != nil && interceptor != nil }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }
}

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
        self.source = source
        self.now = now ?? Self.systemTime
    }

    private static let systemTime: @Sendable () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Completes the metadata of an event and passes it on.
    public func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
        var event = event
        var metadata = event.metadata ?? EventMetadata()
        metadata.time = metadata.time ?? now()
        metadata.source = metadata.source ?? source
        metadata.traceParent = metadata.traceParent?.child() ?? TraceParent()
        metadata.correlationID = metadata.correlationID ?? metadata.traceParent?.traceID
        event.metadata = metadata
        return next(event)
    }
}
