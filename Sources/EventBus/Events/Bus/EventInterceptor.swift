internal import AshlarCore

/// Code that handles every event of selected topics between the trigger and the watchers.
///
/// An interceptor passes the event on or drops it. It may change the event. Code before the call of `next` sees the event,
/// code after it sees the result:
///
/// ```swift
/// struct Clamp: EventInterceptor {
///     func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult {
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
    typealias Next = (InterceptedEvent) -> DeliveryResult

    /// Handles one event, inside the trigger and on its thread.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - next: Passes an event to the next interceptor, and finally to the watchers. Each call delivers an event.
    /// - Returns: The result of the trigger: that of `next`, ``DeliveryResult/droppedEvent`` or ``DeliveryResult/postponed``.
    func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult
}

/// An event before its delivery.
public struct InterceptedEvent: Sendable {
    /// The name of the topic.
    public let name: String
    /// The topic; nil for an event with a bare name, whose payload can have any type.
    let core: TopicCore?
    /// The payload; a new one must have the payload type of the topic.
    public var payload: any Sendable
    var call: TriggerCall
    /// The origin of the event.
    public var metadata: EventMetadata? {
        get { call.metadata?.metadata }
        set { call.metadata = newValue.map { MetadataBox($0) } }
    }
    /// The source line of the trigger, such as `App/Login.swift:12`.
    public var location: String { call.location.description }
    /// Whether another process receives the event, so that it isn't undelivered without a watcher here; false at first.
    public var isExported: Bool {
        get { call.isExported }
        set { call.isExported = newValue }
    }

    /// Returns whether the event comes from an object, such as the bridge that received it from another process.
    public func isFrom(_ object: AnyObject) -> Bool { call.source === object }

    /// Whether the sender of the event waits for its result.
    package var isAwaited: Bool { call.sending != nil }

    /// Makes the sender wait for work; returns a result to which that of the work is added.
    package func awaiting(_ work: @escaping @Sendable () async -> DeliveryResult) -> DeliveryResult {
        call.sending?.add(work)
        return DeliveryResult()
    }

    /// The request, if the event is one of a ``RequestTopic``.
    public var request: EventRequest? { (payload as? any AnyPendingRequest)?.request }
}

extension EventBus {
    /// Registers an interceptor for the events of a topic, or of the topics that a pattern matches.
    ///
    /// Interceptors handle an event in the order of their registration; each sees the results of the later ones. Topics
    /// without an interceptor have no extra cost. Dropping the returned handle doesn't end the interception.
    ///
    /// The interceptor doesn't see events from `excluding`, which isn't retained. A bridge excludes itself, because it
    /// doesn't send back what it has received.
    ///
    /// - Returns: The handle that ends the interception.
    public func intercept<Payload>(
        _ topic: Topic<Payload>, excluding source: AnyObject? = nil, with interceptor: some EventInterceptor
    ) -> Watch {
        let entry = InterceptorEntry(
            topic.name, pattern: topic.core.pattern, excluding: source, interceptor, bus: self)
        state.withLock { $0.add(entry) }
        return Watch(host: entry)
    }
}

/// A registered interceptor, which is also its watch.
final class InterceptorEntry: WatchHost {
    let watched: String
    /// The pattern, unless the interceptor is for the topic `watched`.
    private let pattern: TopicPattern?
    private let excluded: WeakObject
    private weak let bus: EventBus?
    private let state: Mutex<(any EventInterceptor)?>

    init(
        _ watched: String, pattern: TopicPattern?, excluding source: AnyObject?, _ interceptor: any EventInterceptor,
        bus: EventBus
    ) {
        self.watched = watched
        self.pattern = pattern
        excluded = WeakObject(source)
        self.bus = bus
        state = Mutex(interceptor)
    }

    /// The interceptor; nil after cancellation.
    var interceptor: (any EventInterceptor)? { state.withLock { $0 } }

    /// Returns whether the interceptor doesn't see events from an object.
    func excludes(_ source: AnyObject?) -> Bool { source != nil && excluded.object === source }

    func concerns(_ name: String) -> Bool { pattern?.matches(name) ?? (watched == name) }

    func cancel() -> Bool {
        // The interceptor is released at the end, outside the lock.
        let old = state.withLock { $0.take() }
        guard old != nil else { return false }
        bus?.state.withLock { $0.remove(self) }
        return true
    }

    var isLive: Bool { bus != nil && interceptor != nil }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }
}
