internal import AshlarCore

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
    package let sourceID: ObjectIdentifier?
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
