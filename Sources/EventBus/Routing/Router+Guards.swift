internal import AshlarCore

extension Router {
    /// Registers a check before every navigation to a prefix and to everything under it.
    ///
    /// Guards are asked one after the other, those with fewer segments in their prefix first, then in the order of their
    /// registration. A prefix is compared by whole segments: `/admin` covers `/admin` and `/admin/users`, never
    /// `/administrator`. Without a host it covers the paths of all hosts. A redirect starts again with all guards.
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
    ///   - prefix: A pattern; `/` guards everything.
    ///   - check: Runs in the navigation's own task. An error that it throws is the navigation's.
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
