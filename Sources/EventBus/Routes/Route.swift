internal import AshlarCore

/// A registered route: a pattern, its action, and the source location of the registration; it is its own watch.
final class Route: WatchHost {
    enum Action: Sendable {
        case run(@Sendable (Navigation) async throws -> Void)
        case redirect(@Sendable (Navigation) throws(EventBusError) -> String)
    }

    let pattern: RoutePattern
    /// The location of the registration; nil in a table created from patterns.
    let location: EventLocation?
    private weak let router: Router?
    private let current: Mutex<Action?>

    init(_ pattern: RoutePattern, _ action: Action? = nil, at location: EventLocation? = nil, router: Router? = nil) {
        self.pattern = pattern
        self.location = location
        self.router = router
        current = Mutex(action)
    }

    /// The action; nil after the route was removed.
    var action: Action? { current.withLock { $0 } }

    /// Releases the action and its captured values.
    func end() { _ = current.withLock { $0.take() } }

    var watched: String { pattern.source }

    func cancel() -> Bool { router?.remove(self) ?? false }

    var isLive: Bool { router != nil && action != nil }

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

/// A check of all navigations under a prefix; it is its own watch.
final class RouteGuard: WatchHost {
    let check: @Sendable (Navigation) async throws -> GuardDecision
    /// The text of the prefix.
    let watched: String
    private weak let router: Router?
    private let hasAuthority: Bool
    /// The segments of the prefix, after its scheme and host.
    private let prefix: ArraySlice<RouteSegment>

    init(
        _ prefix: String, router: Router, check: @escaping @Sendable (Navigation) async throws -> GuardDecision
    ) throws(EventBusError) {
        var options = router.options
        // A slash at the end must not bypass a guard, so the prefix covers the paths with and without it.
        options.ignoresTrailingSlash = true
        let pattern = try RoutePattern(prefix, types: options.types)
        self.check = check
        watched = prefix
        self.router = router
        hasAuthority = pattern.authority != nil
        self.prefix = pattern.matchedPath(options)
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

    func cancel() -> Bool { router?.remove(self) ?? false }

    var isLive: Bool { router?.holds(self) ?? false }

    func belongs(to owner: AnyObject) -> Bool { router === owner }
}
