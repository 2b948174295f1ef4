internal import AshlarCore

/// The interceptors of a bus, in the order of registration.
final class InterceptorList: Sendable {
    private let entries = Mutex<[InterceptorEntry]>([])

    func add(_ entry: InterceptorEntry) { entries.withLock { $0.append(entry) } }

    func remove(_ entry: InterceptorEntry) { entries.withLock { $0.removeAll { $0 === entry } } }

    /// Returns the interceptors of a topic.
    func entries(for name: String) -> [InterceptorEntry] { entries.withLock { $0.filter { $0.concerns(name) } } }
}

/// A registered interceptor, which is also its watch.
final class InterceptorEntry: WatchHost {
    let watched: String
    /// The pattern, unless the interceptor is for the topic `watched`.
    private let pattern: TopicPattern?
    private weak let bus: EventBus?
    private let state: Mutex<(any EventInterceptor)?>

    init(_ watched: String, _ pattern: TopicPattern?, _ interceptor: any EventInterceptor, _ bus: EventBus) {
        (self.watched, self.pattern, self.bus) = (watched, pattern, bus)
        state = Mutex(interceptor)
    }

    /// The interceptor; nil after cancellation.
    var interceptor: (any EventInterceptor)? { state.withLock { $0 } }

    func concerns(_ name: String) -> Bool { pattern?.matches(name) ?? watched.hasSameBytes(as: name) }

    func cancel(_ id: UInt64) -> Bool {
        let old = state.withLock { state in
            defer { state = nil }
            return state
        }
        guard old != nil else { return false }
        bus?.interceptors.remove(self)
        bus?.outdateSlots()
        return true
    }

    func isLive(_ id: UInt64) -> Bool { bus != nil && interceptor != nil }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }
}
