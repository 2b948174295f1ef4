internal import AshlarCore

/// The events of a topic or pattern as an asynchronous sequence.
///
/// A stream watches from its creation, not from the first `next()`. The first iterator receives the events since then.
/// Each further iterator watches from its creation. Every iterator receives every event. An iterator stops watching
/// when it is released, or when its task is cancelled.
public struct EventStream<Payload: Sendable>: AsyncSequence, Sendable {
    private let subscribe: @Sendable () -> StreamSubscription<Payload>
    private let first: FirstSubscription<Payload>

    init(subscribe: @escaping @Sendable () -> StreamSubscription<Payload>) {
        self.subscribe = subscribe
        first = FirstSubscription(subscribe())
    }

    /// Creates an iterator that receives every later event; the first iterator also receives earlier events.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: first.take() ?? subscribe()) }

    /// The number of events that the first iterator has missed because there was no room, even before it is created.
    public var dropped: Int { first.mailbox.dropped }

    /// The number of events that wait for the first iterator, including those of suspended senders.
    package var waiting: Int { first.mailbox.waiting }

    /// One reader of the stream.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: StreamSubscription<Payload>

        /// Waits for the next event; returns nil when the bus is released or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Signal<Payload>? {
            await subscription.next(isolation: actor)
        }
    }
}

/// Retains the subscription of a stream until the first iterator takes it.
private final class FirstSubscription<Payload: Sendable>: Sendable {
    let mailbox: Mailbox<QueuedSignal<Payload>>
    private let subscription: Mutex<StreamSubscription<Payload>?>

    init(_ subscription: StreamSubscription<Payload>) {
        mailbox = subscription.mailbox
        self.subscription = Mutex(subscription)
    }

    func take() -> StreamSubscription<Payload>? { subscription.withLock { $0.take() } }
}

/// A watch that fills a mailbox, and ends with this object.
final class StreamSubscription<Payload: Sendable>: Sendable {
    let mailbox: Mailbox<QueuedSignal<Payload>>
    private let watch: Watch?
    private let isObserver: Bool

    init(_ mailbox: Mailbox<QueuedSignal<Payload>>, _ watch: Watch?, isObserver: Bool) {
        self.mailbox = mailbox
        self.watch = watch
        self.isObserver = isObserver
    }

    deinit {
        watch?.cancel()
        mailbox.finish(throwingAway: false)
        // The stream retains the mailbox for its counts, but nobody will read the events.
        for event in mailbox.unread { event.drop() }
    }

    /// Creates the subscription to a bus that has been released.
    static func ended(_ buffer: EventBuffer) -> StreamSubscription {
        let mailbox = Mailbox<QueuedSignal<Payload>>(buffer)
        mailbox.finish(throwingAway: true)
        return StreamSubscription(mailbox, nil, isObserver: true)
    }

    func next(isolation: isolated (any Actor)?) async -> Signal<Payload>? {
        guard !Task.isCancelled, let event = await mailbox.next(isolation: isolation) else {
            watch?.cancel()
            return nil
        }
        event.didHandle(isObserver: isObserver, nil)
        return event.signal
    }
}

extension EventBus {
    /// Returns the later events of a topic, or of the topics that a pattern matches, as an asynchronous sequence.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// let numbers = Topic<Int>("number")
    /// let stream = bus.events(numbers, buffer: .newest(16))
    /// bus.trigger(numbers, 42)
    /// for await signal in stream {
    ///     print(signal.payload, stream.dropped)
    ///     break
    /// }
    /// ```
    public func events<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, buffer: EventBuffer = .newest(64),
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> EventStream<Payload> {
        let options = WatchOptions(pattern: topic.core.pattern, source: source, at: TriggerPlace(fileID, line))
        return EventStream { [weak self] in self?.subscribe(topic, options, buffer) ?? .ended(buffer) }
    }

    /// Watches with a mailbox until the returned object is released.
    func subscribe<Payload>(
        _ topic: Topic<Payload>, _ options: WatchOptions, _ buffer: EventBuffer
    ) -> StreamSubscription<Payload> {
        let queue = EventQueue<Payload>(buffer)
        return StreamSubscription(
            queue.mailbox, register(topic, options, .queued(queue)), isObserver: options.isObserver)
    }
}
