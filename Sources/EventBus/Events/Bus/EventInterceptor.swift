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
    /// The source line of the trigger, such as `App/Login.swift:12`.
    public var location: String { call.location.description }
    /// Whether another process receives the event, so that it isn't undelivered without a watcher here; false at first.
    public var isExported = false
    var call: TriggerCall

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

/// An interceptor whose code is asynchronous, and that handles one event at a time, in the order of the triggers.
///
/// A trigger returns at once with the result ``DeliveryResult/postponed``. A `send` waits until there is room in the buffer
/// and the interceptor has returned, and its result is that of the interceptor. After the end of the interception, the
/// waiting events are still handled.
///
/// The events from an excluded source pass without waiting. A bridge excludes itself: otherwise two bridges that wait for
/// each other's deliveries could wait forever.
///
/// ```swift
/// let bus = EventBus()
/// let volume = Topic<Int>("volume")
/// let export = AsyncInterceptor(.suspend(8)) { event, next in
///     try? await Task.sleep(for: .milliseconds(1))  // write to a connection
///     return await next(event).adding(delivered: 1)
/// }
/// let watch = bus.intercept(volume, with: export)
/// print(await bus.send(volume, 5).delivered)  // 1
/// watch.cancel()
/// ```
public final class AsyncInterceptor: EventInterceptor {
    private typealias Body =
        @Sendable (InterceptedEvent, @Sendable (InterceptedEvent) async -> DeliveryResult) async -> DeliveryResult

    private let mailbox: Mailbox<Item>
    private let body: Body

    /// Creates an interceptor whose events wait in a buffer.
    ///
    /// - Parameters:
    ///   - buffer: The buffer.
    ///   - body: Handles one event. Its `next` passes an event to the next interceptor or to the watchers, and waits for
    ///     watchers with suspending buffers.
    public init(
        _ buffer: EventBuffer,
        _ body:
            @escaping @Sendable (
                InterceptedEvent, _ next: @Sendable (InterceptedEvent) async -> DeliveryResult
            ) async -> DeliveryResult
    ) {
        mailbox = Mailbox(buffer)
        self.body = body
    }

    deinit { mailbox.finish(throwingAway: false) }

    /// An event that waits; a dropped one ends the wait of its sender.
    private final class Item: Sendable {
        let event: InterceptedEvent
        let next: EventInterceptor.Next
        let result = PendingResult<DeliveryResult>()

        init(_ event: InterceptedEvent, _ next: @escaping EventInterceptor.Next) {
            self.event = event
            self.next = next
        }

        deinit { result.finish(.success(.droppedEvent)) }
    }

    /// Queues an event.
    public func intercept(_ event: InterceptedEvent, next: @escaping EventInterceptor.Next) -> DeliveryResult {
        let item = Item(event, next)
        let put = mailbox.put(item, canWait: event.call.sending != nil)
        if put.mustDrain {
            Task.detached(priority: Task.currentPriority) { [mailbox, body] in await Self.drain(mailbox, body) }
        }
        if let sending = event.call.sending {
            sending.add { [mailbox, result = item.result] in
                if let room = put.room, await mailbox.waitForRoom(room).dropped > 0 { return .droppedEvent }
                // The interceptor handles the event even if the sender is cancelled.
                return (try? await result.wait()) ?? .postponed
            }
            return DeliveryResult()
        }
        switch put.outcome {
        case .dropped, .skipped: return .droppedEvent
        case .displaced: return .postponed.adding(dropped: 1)
        case .queued, .delivered: return .postponed
        }
    }

    private static func drain(_ mailbox: Mailbox<Item>, _ body: Body) async {
        while let item = mailbox.takeOrRest() {
            let result = await body(item.event) { event in
                var event = event
                let sending = PendingSends(awaitsHandlers: event.call.sending?.awaitsHandlers ?? false)
                event.call.sending = sending
                return await sending.complete(item.next(event))
            }
            item.result.finish(.success(result))
        }
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
