internal import AshlarCore

/// A registered route: a pattern, its action, and the source location of the registration.
final class Route: Sendable {
    enum Action: Sendable {
        case run(@Sendable (Navigation) async throws -> Void)
        case redirect(@Sendable (Navigation) throws(EventBusError) -> String)
    }

    let pattern: RoutePattern
    /// The guards of the groups that the route belongs to, the outermost first.
    let guards: [RouteGuard]
    /// The location of the registration; nil in a table created from patterns.
    let location: EventLocation?
    private let current: Mutex<Action?>

    init(
        _ pattern: RoutePattern, _ action: Action? = nil, at location: EventLocation? = nil, guards: [RouteGuard] = []
    ) {
        self.pattern = pattern
        self.guards = guards
        self.location = location
        current = Mutex(action)
    }

    /// The action; nil after the route was removed.
    var action: Action? { current.withLock { $0 } }

    /// Releases the action and its captured values.
    func end() { _ = current.withLock { $0.take() } }
}

/// Routes that were registered together, as one watch.
final class RouteSet: WatchHost {
    private let routes: [Route]
    private weak let router: Router?
    let watched: String

    init(_ routes: [Route], watched: String, router: Router) {
        self.routes = routes
        self.router = router
        self.watched = watched
    }

    func cancel() -> Bool { router?.remove(routes) ?? false }

    var isLive: Bool { router != nil && routes.contains { $0.action != nil } }

    func belongs(to owner: AnyObject) -> Bool { router === owner }
}

/// The decision of a guard about a navigation.
public enum GuardDecision: Sendable {
    /// The navigation continues with the next guard or its route.
    case allow
    /// The navigation continues with another URL and the same options.
    case redirect(String)
    /// The navigation fails, with a reason if there is one.
    case deny(reason: (any Error)? = nil)
}

/// A check that runs before an action.
struct RouteGuard: Sendable {
    /// The prefix of the guarded routes.
    let prefix: String
    let check: @Sendable (Navigation) async throws -> GuardDecision
}

/// A guard of all routes under a prefix; it is its own watch.
final class PrefixGuard: WatchHost {
    let base: RouteGuard
    private weak let router: Router?
    private let hasAuthority: Bool
    /// The segments of the prefix, after its scheme and host.
    private let prefix: ArraySlice<RouteSegment>

    init(_ base: RouteGuard, router: Router) throws(EventBusError) {
        var options = router.options
        // A slash at the end must not bypass a guard, so the prefix covers the paths with and without it.
        options.ignoresTrailingSlash = true
        let pattern = try RoutePattern(base.prefix, types: options.types)
        self.base = base
        self.router = router
        hasAuthority = pattern.authority != nil
        prefix = pattern.matchedPath(options)
    }

    /// The number of segments of the prefix; guards with fewer segments run first.
    var depth: Int { prefix.count - (hasAuthority ? 2 : 0) }

    /// Returns whether a match is under the prefix; a prefix without a host covers the paths of all hosts.
    func covers(_ match: RouteMatch) -> Bool {
        guard match.parts.hasAuthority || !hasAuthority else { return false }
        let url = match.parts
        let positions = hasAuthority ? url.segments.indices : url.path
        guard prefix.count <= positions.count else { return false }
        return zip(prefix, positions).allSatisfy { wanted, index in
            switch wanted {
            case .literal(let text): RouteKey(text) == url.key(at: index)
            case .parameter(let parameter): parameter.match(url, at: index) != nil
            case .catchAll: !url.isEmpty(at: index) || positions.count > prefix.count
            }
        }
    }

    var watched: String { base.prefix }

    func cancel() -> Bool { router?.remove(self) ?? false }

    var isLive: Bool { router?.holds(self) ?? false }

    func belongs(to owner: AnyObject) -> Bool { router === owner }
}
