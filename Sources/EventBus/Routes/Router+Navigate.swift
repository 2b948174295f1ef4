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
            if trail.contains(where: { $0.utf8.elementsEqual(next.utf8) }) {
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
            return try match(url)
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
