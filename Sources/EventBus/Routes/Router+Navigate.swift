internal import AshlarCore
import Synchronization

extension Router {
    /// The maximum number of redirects of a navigation, and of nested navigations.
    private static let maximumRedirects = 16

    /// Navigates to a URL: finds its route, asks the guards, runs the action, and triggers the events.
    ///
    /// The newest navigation wins: a navigation that is still running is cancelled and throws a `CancellationError`, at
    /// the latest when its current guard or action returns. A navigation by the code of an action or guard, also in a
    /// child task or in a `Task` that it creates, is part of that navigation until the action or guard returns, and
    /// cancels nothing. Cancelling the calling task cancels the navigation.
    ///
    /// - Parameters:
    ///   - url: A path such as `/notes/5?edit=1`, or a URL with scheme and host.
    ///   - options: A value for the guards, the action and the watchers.
    /// - Returns: The completed navigation, after redirects.
    /// - Throws: ``EventBusError`` like ``RouteTable/match(_:)``, after triggering ``Router/notFound``; or with the
    ///   code `navigationDenied`, `redirectLoop` or `tooManyRedirects`, or `routeNotFound` if the route was removed while
    ///   its guards ran; the error of a guard or the action; or `CancellationError`.
    @discardableResult
    public func navigate(to url: String, options: (any Sendable)? = nil) async throws -> Navigation {
        if let scope = NavigationScope.current, scope.router === self, scope.isCurrent {
            guard scope.trail.count <= Self.maximumRedirects else {
                throw EventBusError(.tooManyRedirects, subject: url, trail: scope.trail)
            }
            return try await run(url, options, number: scope.number, outer: scope.trail)
        }
        let (number, task, older) = state.withLock { state in
            state.newest += 1
            let number = state.newest
            let task = Task { try await self.run(url, options, number: number, outer: []) }
            defer { state.pending = task }
            return (number, task, state.pending)
        }
        older?.cancel()
        defer {
            _ = state.withLock { state in state.newest == number ? state.pending.take() : nil }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func run(
        _ requested: String, _ options: (any Sendable)?, number: UInt64, outer: [String]
    ) async throws -> Navigation {
        do {
            return try await follow(requested, options, number: number, outer: outer)
        } catch {
            // A superseded navigation reports this, regardless of its error.
            try checkNewest(number)
            throw error
        }
    }

    private func follow(
        _ requested: String, _ options: (any Sendable)?, number: UInt64, outer: [String]
    ) async throws -> Navigation {
        var (url, trail) = (requested, [String]())
        while true {
            try checkNewest(number)
            let navigation = Navigation(match: try find(url, trail), options: options, trail: trail)
            let scope = NavigationScope(router: self, number: number, trail: outer + trail + [url])
            let next: String? = try await NavigationScope.$current.withValue(scope) {
                defer { scope.end() }
                if let redirect = try await askGuards(of: navigation, number) { return redirect }
                return try await runAction(of: navigation)
            }
            guard let next else {
                try checkNewest(number)
                bus.trigger(topic(of: navigation.match.pattern), navigation)
                bus.trigger(Router.navigated, navigation)
                return navigation
            }
            trail.append(url)
            if trail.contains(next) {
                throw EventBusError(.redirectLoop, subject: requested, trail: trail + [next])
            }
            guard trail.count <= Self.maximumRedirects else {
                throw EventBusError(
                    .tooManyRedirects, subject: requested, expected: "at most \(Self.maximumRedirects)",
                    trail: trail + [next])
            }
            url = next
        }
    }

    /// Returns the match of a URL; if there is none, triggers an event and throws.
    private func find(_ url: String, _ trail: [String]) throws(EventBusError) -> RouteMatch {
        do {
            return try state.withLock { $0.table }.match(url)
        } catch {
            var error = error
            error.trail = trail
            bus.trigger(Router.notFound, error)
            throw error
        }
    }

    /// Asks the guards of a navigation; returns the URL of a redirect, or nil if all guards allow it.
    private func askGuards(of navigation: Navigation, _ number: UInt64) async throws -> String? {
        for routeGuard in guards(of: navigation.match) {
            let decision = try await routeGuard.check(navigation)
            try checkNewest(number)
            switch decision {
            case .allow: continue
            case .redirect(let url): return url
            case .deny(let reason):
                throw EventBusError(
                    .navigationDenied, subject: navigation.url, found: "a guard of \(routeGuard.watched)",
                    trail: navigation.trail, underlying: reason)
            }
        }
        return nil
    }

    /// The guards of a match, in the order in which they are asked.
    private func guards(of match: RouteMatch) -> [RouteGuard] {
        state.withLock { $0.guards }.filter { $0.covers(match) }
    }

    /// Runs the action of a navigation's route; returns the URL of a redirect, or nil if the navigation is complete.
    private func runAction(of navigation: Navigation) async throws -> String? {
        switch navigation.match.route.action {
        case .redirect(let redirect): return try redirect(navigation)
        case .run(let action):
            try await action(navigation)
            return nil
        case nil:
            throw EventBusError(
                .routeNotFound, subject: navigation.url, expected: "a route that exists after the guards",
                found: "\(navigation.match.pattern), which was removed during the navigation",
                trail: navigation.trail)
        }
    }

    private func checkNewest(_ number: UInt64) throws {
        try Task.checkCancellation()
        guard state.withLock({ $0.newest }) == number else { throw CancellationError() }
    }
}

/// A navigation that runs the code of a guard or an action.
///
/// Tasks that this code creates inherit the value. Child tasks end before it, and other tasks can outlive it.
private final class NavigationScope: Sendable {
    let router: Router
    let number: UInt64
    let trail: [String]
    private let hasEnded = Atomic(false)

    @TaskLocal static var current: NavigationScope?

    init(router: Router, number: UInt64, trail: [String]) {
        self.router = router
        self.number = number
        self.trail = trail
    }

    /// Whether the code still runs.
    var isCurrent: Bool { !hasEnded.load(ordering: .acquiring) }

    func end() { hasEnded.store(true, ordering: .releasing) }
}

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
    var depth: Int { prefix.count - (hasAuthority ? 1 : 0) }

    /// Returns whether a match is under the prefix; a prefix without a host covers the paths of all hosts.
    func covers(_ match: RouteMatch) -> Bool {
        let url = match.parts
        guard url.authority != nil || !hasAuthority else { return false }
        let segments = url.segments.dropFirst(url.authority == nil || hasAuthority ? 0 : 1)
        guard prefix.count <= segments.count else { return false }
        return zip(prefix, segments).allSatisfy { wanted, segment in
            switch wanted {
            case .literal(let text): text == url.key(of: segment)
            case .parameter(let parameter): RouteValue(segment, of: parameter) != nil
            case .catchAll: !segment.isEmpty || segments.count > prefix.count
            }
        }
    }

    func cancel() -> Bool { router?.remove(self) ?? false }

    var isLive: Bool { router?.holds(self) ?? false }

    func belongs(to owner: AnyObject) -> Bool { router === owner }
}
