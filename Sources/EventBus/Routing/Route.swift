/// A registered route: a pattern, what happens there, and where in the source that was said.
final class Route: Sendable {
    enum Action: Sendable {
        case run(@Sendable (Navigation) async throws -> Void)
        case redirect(@Sendable (Navigation) throws(EventBusError) -> String)
    }

    let pattern: RoutePattern
    let action: Action
    let place: EventPlace?

    init(pattern: RoutePattern, action: Action, place: EventPlace?) {
        (self.pattern, self.action, self.place) = (pattern, action, place)
    }
}

/// The handle behind the watch of a route or a guard: cancelling removes it from its router.
final class RouteHost: WatchHost, @unchecked Sendable {
    // Unchecked: both are immutable weak references.
    private(set) weak var router: Router?
    private weak var entry: AnyObject?

    private init(_ router: Router, _ entry: AnyObject, watched: String) {
        (self.router, self.entry) = (router, entry)
        super.init(watched: watched, bus: nil)
    }

    static func watch(_ entry: any AnyObject & Sendable, _ pattern: String, of router: Router) -> Watch {
        Watch(host: RouteHost(router, entry, watched: pattern), id: 0)
    }

    override func cancel(_ id: UInt64) -> Bool {
        guard let router else { return false }
        return switch entry {
        case let route as Route: router.remove(route)
        case let routeGuard as RouteGuard: router.remove(routeGuard)
        default: false
        }
    }

    override func isLive(_ id: UInt64) -> Bool {
        guard let router else { return false }
        return switch entry {
        case let route as Route: router.holds(route)
        case let routeGuard as RouteGuard: router.holds(routeGuard)
        default: false
        }
    }
}
