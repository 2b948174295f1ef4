internal import AshlarCore

/// A registered route: a pattern, its action, and the source location of the registration.
///
/// A route is its own watch: cancelling the watch removes the route from its router.
final class Route: WatchHost, RouteEntry {
    enum Action: Sendable {
        case run(@Sendable (Navigation) async throws -> Void)
        case redirect(@Sendable (Navigation) throws(EventBusError) -> String)
    }

    let pattern: RoutePattern
    /// The guards of the groups that the route belongs to, the outermost first.
    let guards: [RouteGroup.Guard]
    private let current: Mutex<Action?>
    let location: EventLocation
    weak let router: Router?

    init(
        _ pattern: RoutePattern, _ action: Action, guards: [RouteGroup.Guard] = [], router: Router,
        _ location: EventLocation
    ) {
        (self.pattern, self.guards, self.router, self.location) = (pattern, guards, router, location)
        current = Mutex(action)
    }

    var watch: Watch { Watch(host: self, id: 0) }

    /// The action of the route; nil after the route was removed.
    var action: Action? { current.withLock { $0 } }

    /// Releases the action and its captured values.
    func end() {
        let action = current.withLock { $0.take() }
        _ = consume action
    }

    var watched: String { pattern.source }

    func belongs(to owner: AnyObject) -> Bool { router === owner }

    func cancel(_ id: UInt64) -> Bool { router?.remove(self) ?? false }

    func isLive(_ id: UInt64) -> Bool { router != nil && action != nil }
}
