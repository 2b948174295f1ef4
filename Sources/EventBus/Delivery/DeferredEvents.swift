internal import AshlarCore

/// A queue of events that are triggered later and may replace each other until then.
///
/// This is the bus's form of Foundation's `NotificationQueue`. Events are triggered in the order in which they were
/// queued, those of `soon` before those of `whenIdle`. An event that coalesces replaces similar events in the queue
/// and is appended to it, so a burst becomes one event with the last payload.
///
/// ```swift
/// let bus = EventBus()
/// let edited = Topic<String>("note:edited")
/// let deferred = DeferredEvents(bus)
/// for text in ["a", "ab", "abc"] { deferred.trigger(edited, text, coalescing: .name) }
/// deferred.flush()  // triggers once, with "abc"; otherwise the main actor does when it is idle
/// ```
public final class DeferredEvents: Sendable {
    /// When an event is triggered.
    public enum Moment: Hashable, Sendable {
        /// Inside of the call, after taking out of the queue what it coalesces with.
        case now
        /// As soon as the caller's work is done.
        case soon
        /// When there is nothing else to do.
        case whenIdle
    }

    /// Which queued events an event replaces.
    public enum Coalescing: Hashable, Sendable {
        /// None.
        case none
        /// Those with its name.
        case name
        /// Those with its name and its source.
        case nameAndSource
    }

    /// Runs an action at a later moment, `soon` or `whenIdle`.
    public typealias Schedule = @Sendable (Moment, _ action: @escaping @Sendable () -> Void) -> Void

    private let bus: EventBus
    private let schedule: Schedule
    private let state = Mutex(State())

    private struct State {
        var queues: [Moment: [Entry]] = [:]
        var scheduled: Set<Moment> = []
    }

    private struct Entry: Sendable {
        let name: String
        let source: EventSource
        let trigger: @Sendable (EventSource) -> Void
    }

    /// Creates a queue in front of a bus.
    ///
    /// - Parameters:
    ///   - bus: The bus that the events are triggered on.
    ///   - schedule: Has an action run later. By default the main actor runs it: `soon` after what it was given
    ///     before, `whenIdle` with the lowest priority.
    public init(_ bus: EventBus, schedule: @escaping Schedule = DeferredEvents.onMain) {
        (self.bus, self.schedule) = (bus, schedule)
    }

    /// Runs an action on the main actor.
    public static let onMain: Schedule = { moment, action in
        Task.detached(priority: moment == .whenIdle ? .background : nil) { @MainActor in action() }
    }

    /// Queues an event.
    ///
    /// Payload and source are retained until the event is triggered.
    public func trigger<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: AnyObject? = nil, _ moment: Moment = .whenIdle,
        coalescing: Coalescing = .none, fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) {
        let entry = Entry(name: topic.name, source: EventSource(source)) { [bus] source in
            bus.trigger(topic, payload, from: source.object, isolation: nil, fileID: fileID, line: line, column: column)
        }
        let replaced = remove(like: entry, coalescing)
        _ = consume replaced
        guard moment != .now else { return entry.trigger(entry.source) }
        let mustSchedule = state.withLock { state in
            state.queues[moment, default: []].append(entry)
            return state.scheduled.insert(moment).inserted
        }
        if mustSchedule { schedule(moment) { self.run(moment) } }
    }

    /// Takes queued events out, without triggering them.
    ///
    /// - Returns: The number of events removed.
    @discardableResult
    public func cancel(_ name: String, from source: AnyObject? = nil, coalescing: Coalescing = .name) -> Int {
        remove(like: Entry(name: name, source: EventSource(source)) { _ in }, coalescing).count
    }

    /// The names of the queued events, in the order in which they will be triggered.
    public var names: [String] {
        state.withLock { state in
            [Moment.soon, .whenIdle].flatMap { state.queues[$0] ?? [] }.map(\.name)
        }
    }

    /// Triggers what is queued, now and on this thread.
    public func flush() {
        run(.soon)
        run(.whenIdle)
    }

    private func remove(like entry: Entry, _ coalescing: Coalescing) -> [Entry] {
        guard coalescing != .none else { return [] }
        return state.withLock { state in
            var removed: [Entry] = []
            for (moment, queue) in state.queues {
                let (kept, gone) = queue.split { old in
                    ByteText(old.name) == ByteText(entry.name)
                        && (coalescing == .name || old.source.object === entry.source.object)
                }
                state.queues[moment] = kept
                removed += gone
            }
            return removed
        }
    }

    /// Triggers what is queued for a moment; what its handlers queue waits for the next.
    private func run(_ moment: Moment) {
        if moment == .whenIdle { run(.soon) }
        let due = state.withLock { state in
            state.scheduled.remove(moment)
            return state.queues.removeValue(forKey: moment) ?? []
        }
        for entry in due { entry.trigger(entry.source) }
    }
}

extension Array {
    /// Returns the elements that don't satisfy a condition, and those that do, each in order.
    fileprivate func split(_ isChosen: (Element) -> Bool) -> ([Element], [Element]) {
        var (rest, chosen): ([Element], [Element]) = ([], [])
        for element in self {
            if isChosen(element) { chosen.append(element) } else { rest.append(element) }
        }
        return (rest, chosen)
    }
}
