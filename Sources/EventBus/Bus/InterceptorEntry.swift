internal import AshlarCore

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
        // The interceptor is released at the end, outside the lock.
        let old = state.withLock { $0.take() }
        guard old != nil else { return false }
        bus?.interceptors.withLock { $0.removeAll { $0 === self } }
        bus?.outdateSlots()
        return true
    }

    func isLive(_ id: UInt64) -> Bool { bus != nil && interceptor != nil }

    func belongs(to owner: AnyObject) -> Bool { bus === owner }
}
