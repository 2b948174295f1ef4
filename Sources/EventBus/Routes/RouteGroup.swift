internal import AshlarCore

/// Routes under a common prefix with shared guards, registered together by ``Router/group(_:replacing:routes:)``.
public struct RouteGroup {
    private let prefix: String
    private var guards: [RouteGuard]
    private let types: [RouteParameterType]
    private(set) var routes: [Route] = []
    /// The error of the first malformed pattern.
    private(set) var error: EventBusError?

    init(_ prefix: String, _ types: [RouteParameterType], guards: [RouteGuard] = []) {
        self.prefix = prefix
        self.types = types
        self.guards = guards
    }

    /// Returns the prefix followed by a pattern; `/` is the prefix itself.
    private func join(_ pattern: String) -> String {
        // A slash at the end of the prefix is the one at the start of the pattern.
        let isDouble = prefix.utf8.last == .slash && pattern.utf8.first == .slash
        let prefix = isDouble ? String(prefix.dropLast()) : prefix
        return pattern == "/" && !prefix.isEmpty ? prefix : prefix + pattern
    }

    /// Adds a check of the routes that are added after it, in this group and in its inner groups.
    ///
    /// The guards of a group run after those of ``Router/guardRoutes(_:check:)``, and the guards of outer groups before
    /// those of inner ones. They don't apply to other routes, even with the same prefix.
    public mutating func guardRoutes(
        @_inheritActorContext check: @escaping @isolated(any) @Sendable (Navigation) async throws -> GuardDecision
    ) {
        guards.append(RouteGuard(prefix: prefix, check: check))
    }

    /// Adds a route whose pattern is the prefix followed by this pattern; `/` is the prefix itself.
    public mutating func route(
        _ pattern: String, fileID: StaticString = #fileID, line: UInt32 = #line,
        @_inheritActorContext action: @escaping @isolated(any) @Sendable (Navigation) async throws -> Void
    ) {
        let location = EventLocation(fileID, line)
        do {
            let pattern = try RoutePattern(join(pattern), types: types)
            routes.append(Route(pattern, .run(action), at: location, guards: guards))
        } catch {
            self.error = self.error ?? error
        }
    }

    /// Adds a route that shows a destination.
    public mutating func route<Place: Sendable>(
        _ pattern: String, to navigator: some Navigator<Place>, fileID: StaticString = #fileID, line: UInt32 = #line,
        @_inheritActorContext place: @escaping @isolated(any) @Sendable (Navigation) async throws -> Place
    ) {
        route(pattern, fileID: fileID, line: line) { navigation in
            try await navigator.show(place(navigation), for: navigation)
        }
    }

    /// Adds the routes of a group inside this one, which has the guards added before.
    public mutating func group(_ prefix: String, routes: (inout RouteGroup) -> Void) {
        var inner = RouteGroup(join(prefix), types, guards: guards)
        routes(&inner)
        self.routes += inner.routes
        error = error ?? inner.error
    }
}

extension Router {
    /// Registers the routes of a group; if one fails, none is registered.
    ///
    /// ```swift
    /// let router = Router(bus: EventBus())
    /// let admin = try router.group("/admin") { admin in
    ///     admin.guardRoutes { $0.query["token"] != nil ? .allow : .deny() }
    ///     admin.route("/") { _ in print("overview") }
    ///     admin.group("/users") { users in
    ///         users.route("/:id(int)") { print("user", $0.parameters["id"] ?? "") }
    ///     }
    /// }
    /// try await router.navigate(to: "/admin/users/5?token=x")  // user 5
    /// admin.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the patterns, such as `/admin` or `https://example.com`; it may be empty.
    ///   - replacing: Whether to replace routes that match the same paths, which are otherwise conflicts.
    ///   - routes: Adds the routes.
    /// - Returns: The handle that ends all routes of the group.
    /// - Throws: ``EventBusError`` for a malformed pattern or a conflict, also between two routes of the group.
    /// - Complexity: O(*n*) in the number of routes of the router and of the group.
    @discardableResult
    public func group(
        _ prefix: String = "", replacing: Bool = false, routes: (inout RouteGroup) -> Void
    ) throws(EventBusError) -> Watch {
        var group = RouteGroup(prefix, options.types)
        routes(&group)
        if let error = group.error { throw error }
        return try register(group.routes, replacing: replacing, watched: prefix)
    }
}
