/// Code that handles every event of selected topics between the trigger and the watchers.
///
/// An interceptor passes the event on, drops it, or passes it on later. It may change the event. Code before the call of
/// `next` sees the event, code after it sees the result:
///
/// ```swift
/// struct Clamp: EventInterceptor {
///     func intercept(_ event: InterceptedEvent, next: @escaping EventPassage) -> DeliveryResult {
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
    /// Handles one event, inside the trigger and on its thread.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - next: Passes an event to the next interceptor, and finally to the watchers. It may be called later and on any
    ///     thread; the event is then delivered like a trigger at that place. Each call delivers an event.
    /// - Returns: The result of the trigger: that of `next`, ``DeliveryResult/droppedEvent`` or ``DeliveryResult/postponed``.
    func intercept(_ event: InterceptedEvent, next: @escaping EventPassage) -> DeliveryResult
}

/// Passes an event to the next interceptor or to the watchers.
public typealias EventPassage = @Sendable (InterceptedEvent) -> DeliveryResult

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
