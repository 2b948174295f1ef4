internal import AshlarCore

extension Router {
    /// Registers a check before every navigation to a prefix and to all paths below it.
    ///
    /// Guards are asked one at a time, those with fewer segments in their prefix first, then in the order of their
    /// registration. A prefix is compared by whole segments: `/admin` covers `/admin` and `/admin/users`, but not
    /// `/administrator`. A prefix without a host covers the paths of all hosts. After a redirect, all guards are asked
    /// again.
    ///
    /// ```swift
    /// let router = Router(bus: EventBus())
    /// try router.route("/login") { _ in print("who are you?") }
    /// try router.route("/admin/:page") { print($0.parameters["page"] ?? "") }
    /// try router.guardRoutes("/admin") { navigation in
    ///     navigation.query.contains("token") ? .allow : .redirect("/login")
    /// }
    /// try await router.navigate(to: "/admin/users")  // who are you?
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: A pattern; `/` guards all paths.
    ///   - check: Runs in the task of the navigation. If it throws, the navigation throws its error.
    /// - Returns: The handle that ends the guard.
    /// - Throws: ``EventBusError`` for a malformed pattern.
    @discardableResult
    public func guardRoutes(
        _ prefix: String, check: @escaping @Sendable (Navigation) async throws -> GuardDecision
    ) throws(EventBusError) -> Watch {
        let routeGuard = try RouteGuard(prefix, router: self, check: check)
        let depth = routeGuard.depth
        state.withLock { state in
            let place = state.guards.firstIndex { $0.depth > depth } ?? state.guards.endIndex
            state.guards.insert(routeGuard, at: place)
        }
        return Watch(host: routeGuard, id: 0)
    }

    func remove(_ routeGuard: RouteGuard) -> Bool {
        state.withLock { state in
            guard let place = state.guards.firstIndex(where: { $0 === routeGuard }) else { return false }
            state.guards.remove(at: place)
            return true
        }
    }

    func holds(_ routeGuard: RouteGuard) -> Bool {
        state.withLock { $0.guards.contains { $0 === routeGuard } }
    }
}
