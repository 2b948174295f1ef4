/// Members that share the events of a topic or pattern: each event goes to one member that isn't busy.
///
/// ```swift
/// let bus = EventBus()
/// let jobs = Topic<Int>("job:new")
/// let group = EventGroup(jobs, on: bus)
/// for worker in 1...2 {
///     group.join { print("worker", worker, "handles", $0.payload) }
/// }
/// for number in 1...4 { bus.trigger(jobs, number) }  // each number is printed once
/// ```
///
/// The events wait in one buffer while all members are busy, and while there is no member. A full buffer behaves as that
/// of a stream: it drops an event, which ``dropped`` and the result of the trigger count, or makes `send` wait. When the
/// group is released, the members handle the waiting events and end.
public final class EventGroup<Payload: Sendable>: Sendable {
    private let subscription: StreamSubscription<Payload>
    private weak let bus: EventBus?

    /// Creates a group without members.
    public init(
        _ topic: Topic<Payload>, on bus: EventBus, buffer: EventBuffer = .unbounded, fileID: StaticString = #fileID,
        line: UInt32 = #line
    ) {
        let options = WatchOptions(pattern: topic.core.pattern, source: nil, at: TriggerPlace(fileID, line))
        subscription = bus.subscribe(topic, options, buffer)
        self.bus = bus
    }

    /// Creates a group for the events of the topics that a pattern matches.
    public convenience init(
        _ pattern: TopicPattern, on bus: EventBus, buffer: EventBuffer = .unbounded, fileID: StaticString = #fileID,
        line: UInt32 = #line
    ) where Payload == any Sendable {
        self.init(Topic(pattern), on: bus, buffer: buffer, fileID: fileID, line: line)
    }

    /// The number of events that were dropped because the buffer was full.
    public var dropped: Int { subscription.mailbox.dropped }

    /// Adds a member, whose handler runs for one event at a time.
    ///
    /// The errors of the handler are passed to the failure hook of the bus.
    ///
    /// - Returns: The task of the member. After its cancellation it takes no more events; a call of the handler that has
    ///   begun runs to its end, for which `value` waits.
    @discardableResult
    public func join(
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> Task<Void, Never> {
        let location = TriggerPlace(fileID, line).location
        return Task.detached { [mailbox = subscription.mailbox, weak bus] in
            while !Task.isCancelled, let event = await mailbox.next() {
                let queued = QueuedSignal<Payload>.of(event)
                let signal = queued.signal
                // A task of its own, so that the end of the member doesn't cancel the call.
                let call = Task.detached {
                    try await MetadataBox.handle(signal.box, isolation: nil) { try await handler(signal) }
                }
                var failure: (any Error)?
                if case .failure(let error) = await call.result {
                    failure = error
                    bus?.report(
                        EventFailure(error: error, name: signal.name, sequence: signal.sequence, watcher: location))
                }
                queued.didHandle(failure)
            }
        }
    }
}
