internal import AshlarCore
import Synchronization

/// The beginning or the end of the interest in a topic or a pattern on a bus.
public struct EventInterest: Hashable, Sendable {
    /// The kinds of interest.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// There are watches or streams; those of events from one object don't count.
        case events
        /// There are watches or streams that name the topic, so its events are handled here; patterns only observe.
        case handlers
        /// There is a responder.
        case requests
    }

    /// The watched name or pattern.
    public let pattern: TopicPattern
    /// The kind of the interest.
    public let kind: Kind
    /// Whether the first watch has begun; otherwise the last one has ended.
    public let isPresent: Bool
}

extension EventBus {
    /// Calls a closure when a topic or a pattern gains its first watch or loses its last one.
    ///
    /// The closure is first called for everything that is watched now. The calls for one name are in their order; two
    /// changes in quick succession may be left out together. A call is made inside the change, or on a thread that
    /// reports another change. A watch whose actor has been released ends at the next event of its topic.
    ///
    /// A bridge to other processes subscribes to what is watched here, and ends subscriptions that nobody needs:
    ///
    /// ```swift
    /// let bus = EventBus()
    /// let watch = bus.watchInterest { print($0.pattern, $0.isPresent) }
    /// let note = bus.watch("note:*") { _ in }  // note:* true
    /// note.cancel()  // note:* false
    /// watch.cancel()
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of topics and patterns for the first calls.
    public func watchInterest(_ observer: @escaping @Sendable (EventInterest) -> Void) -> Watch {
        let entry = InterestObserver(self, observer)
        interest.add(entry)
        for name in Set(allWatchers.map(\.watched)) { entry.check(name) }
        return Watch(host: entry)
    }

    /// Returns the kinds of interest in a name or pattern.
    fileprivate func interest(in pattern: TopicPattern) -> Set<EventInterest.Kind> {
        state.withLock { $0.interest(in: pattern) }
    }
}

/// The observers of the interest on a bus.
final class InterestObservers: Sendable {
    private let observers = Mutex<[InterestObserver]>([])
    private let isUsed = Atomic(false)

    func add(_ observer: InterestObserver) {
        observers.withLock { $0.append(observer) }
        isUsed.store(true, ordering: .sequentiallyConsistent)
    }

    func remove(_ observer: InterestObserver) { observers.withLock { $0.removeAll { $0 === observer } } }

    /// Reports a change of the interest in a name or pattern, outside all locks.
    func check(_ watched: String) {
        guard isUsed.load(ordering: .sequentiallyConsistent) else { return }
        for observer in observers.withLock({ $0 }) { observer.check(watched) }
    }
}

/// An observer of the interest on a bus, which is also its watch.
final class InterestObserver: WatchHost {
    private struct Key: Hashable {
        let watched: String
        let kind: EventInterest.Kind
    }

    private weak let bus: EventBus?
    private let runner = SerialRunner()
    private let observer: Mutex<(@Sendable (EventInterest) -> Void)?>
    /// The interest that was reported.
    private let reported = Mutex<Set<Key>>([])

    init(_ bus: EventBus, _ observer: @escaping @Sendable (EventInterest) -> Void) {
        self.bus = bus
        self.observer = Mutex(observer)
    }

    /// Compares the interest with the last report, so that changes at the same time are reported correctly in any order.
    func check(_ watched: String) {
        // The patterns of routes aren't patterns of topics; their events don't leave the process.
        guard let pattern = try? TopicPattern(parsing: watched) else { return }
        runner.run { [self] in
            guard let bus, let observer = observer.withLock({ $0 }) else { return }
            let present = bus.interest(in: pattern)
            for kind in EventInterest.Kind.allCases {
                let key = Key(watched: watched, kind: kind)
                let isPresent = present.contains(kind)
                let hasChanged = reported.withLock { reported in
                    isPresent ? reported.insert(key).inserted : reported.remove(key) != nil
                }
                if hasChanged { observer(EventInterest(pattern: pattern, kind: kind, isPresent: isPresent)) }
            }
        }
    }

    var watched: String { "**" }

    func cancel() -> Bool {
        let old = observer.withLock { $0.take() }
        bus?.interest.remove(self)
        return old != nil
    }

    var isLive: Bool { bus != nil && observer.withLock { $0 != nil } }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }
}
