internal import AshlarCore

/// A queue of events that are triggered later and can replace each other until then.
///
/// It corresponds to Foundation's `NotificationQueue`. Events are triggered in the order in which they were queued,
/// those of `soon` before those of `whenIdle`. An event that coalesces replaces similar events in the queue and is
/// appended, so a burst becomes one event with the last payload.
///
/// ```swift
/// let bus = EventBus()
/// let edited = Topic<String>("note:edited")
/// let deferred = DeferredEvents(bus)
/// for text in ["a", "ab", "abc"] { deferred.trigger(edited, text, coalescing: .name) }
//
/// ```
public final class DeferredEvents: Sendable {
    /// When an event is triggered.
    public enum Moment: Hashable, Sendable {
        /// Inside the call, after removing the queued events with which it coalesces.
        case now
        /// After the caller's current work.
        case soon
        /// When there is no other work.
        case whenIdle
    }

    /// The queued events that an event replaces.
    public enum Coalescing: Hashable, Sendable {
        /// No events.
        case none
        /// Events with the same name.
        case name
        /// Events with the same name and the same source.
        case nameAndSource
    }

    /// A closure that runs an action later, `soon` or `whenIdle`.
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

    /// Creates a queue for a bus.
    ///
    /// - Parameters:
    ///   - bus: The bus on which the events are triggered.
    ///   - schedule: Runs an action later. By default the main actor runs it: `soon` in order with its other work,
    ///     `whenIdle` with the lowest priority.
    public init(_ bus: EventBus, schedule: Schedule? = nil) {
        self.bus = bus
        self.schedule = schedule ?? Self.onMain
    }

    private static let onMain: Schedule = { moment, action in
        Task.detached(priority: moment == .whenIdle ? .background : nil) { @MainActor in action() }
    }

    /// Queues an event.
    ///
    /// The payload and the source are retained until the event is triggered.
    public func trigger<Payload>(
        _ topic: Topic<Payload>, _ payload: Payload, from source: AnyObject? = nil, _ moment: Moment = .whenIdle,
        coalescing: Coalescing = .none, fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
    ) {
        let entry = Entry(name: topic.name, source: EventSource(source)) { [bus, box = MetadataBox.ofTrigger] source in
            _ = MetadataBox.trigger(box) {
                bus.trigger(
                    topic, payload, from: source.object, isolation: nil, fileID: fileID, line: line, column: column)
            }
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

    /// Removes queued events without triggering them.
    ///
    /// - Returns: The number of removed events.
    @discardableResult
    public func cancel(_ name: String, from source: AnyObject? = nil, coalescing: Coalescing = .name) -> Int {
        remove(like: Entry(name: name, source: EventSource(source)) { _ in }, coalescing).count
    }

    /// The names of the queued events, in the order in which they will be triggered.
    package var names: [String] {
        state.withLock { state in
            [Moment.soon, .whenIdle].flatMap { state.queues[$0] ?? [] }.map(\.name)
        }
    }

    /// Triggers the queued events now, on this thread.
    public func flush() { run(.whenIdle) }

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

    /// Triggers the queued events up to a moment; events that the handlers queue wait for the next call.
    private func run(_ moment: Moment) {
        let due = state.withLock { state in
            (moment == .whenIdle ? [.soon, .whenIdle] : [moment]).flatMap { moment in
                state.scheduled.remove(moment)
                return state.queues.removeValue(forKey: moment) ?? []
            }
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
