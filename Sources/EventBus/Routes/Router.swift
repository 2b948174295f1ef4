internal import AshlarCore

/// Finds the route that matches a URL, asks its guards, runs its action and triggers an event.
///
/// A route is a topic whose payload is a ``Navigation``: in addition to the route's action, watchers of ``topic(of:)``
/// receive every navigation to that pattern. A router is thread-safe and holds no lock while it runs your code.
///
/// ```swift
/// let router = Router(bus: EventBus())
/// try router.route("/notes/:id(int)") { navigation in
///     print(try navigation.parameters.value("id", as: Int.self), navigation.options(as: String.self) ?? "")
/// }
/// try await router.navigate(to: "/notes/5", options: "from the list")  // 5 from the list
/// ```
public final class Router: Sendable {
    /// The router of ``EventBus/shared``.
    public static let shared = Router(bus: .shared)
    /// The topic of completed navigations, `router:navigated`.
    public static let navigated = Topic<Navigation>("router:navigated")
    /// The topic of errors of URLs without a route, `router:notFound`; their `subject` is the URL, after redirects.
    public static let notFound = Topic<EventBusError>("router:notFound")

    /// The bus of the router's events.
    public let bus: EventBus
    /// The options for matching patterns and paths.
    let options: RouterOptions
    let state: Mutex<State>

    struct State: Sendable {
        var table: RouteTable
        /// The guards of prefixes, the outermost first.
        var guards: [RouteGuard] = []
        /// The number of the newest navigation, and its task.
        var newest: UInt64 = 0
        var pending: Task<Navigation, any Error>?
    }

    /// Creates a router without routes.
    public init(bus: EventBus, options: RouterOptions = RouterOptions()) {
        self.bus = bus
        self.options = options
        state = Mutex(State(table: RouteTable(options)))
    }

    // MARK: Registering

    /// Registers an action for the URLs that a pattern matches.
    ///
    /// The route remains until its watch is cancelled or ``unroute(_:)`` removes it. Releasing the watch doesn't end
    /// it.
    ///
    /// - Parameters:
    ///   - pattern: The pattern; see ``RoutePattern``.
    ///   - replacing: Whether to replace a route that matches the same paths; otherwise such a route is a conflict.
    ///   - fileID: The file for conflicts.
    ///   - line: The line for conflicts.
    ///   - action: Runs at each navigation after the guards, in the task of the navigation. If it throws, the
    ///     navigation throws its error. A navigation inside the action is part of this one.
    /// - Returns: The handle that ends the route.
    /// - Throws: ``EventBusError`` for a malformed pattern, with the offset, or with the code `routeConflict` and the
    ///   conflicting pattern.
    @discardableResult
    public func route(
        _ pattern: String, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        @_inheritActorContext action: @escaping @isolated(any) @Sendable (Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        let parsed = try RoutePattern(pattern, types: options.types)
        return try register(parsed, .run(action), replacing: replacing, EventLocation(fileID, line))
    }

    /// Registers an action for an owner, which the action receives; the route is added to the owner's bag.
    ///
    /// The router holds the owner weakly. The other parameters are those of the route without an owner.
    @discardableResult
    public func route<Owner: WatchOwner>(
        _ pattern: String, owner: Owner, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        @_inheritActorContext action: @escaping @isolated(any) @Sendable (Owner, Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        try route(pattern, replacing: replacing, fileID: fileID, line: line) { [weak owner] navigation in
            guard let owner else {
                throw EventBusError(.routeNotFound, subject: navigation.url, expected: "the route's owner to be alive")
            }
            try await action(owner, navigation)
        }.store(in: owner.watches)
    }

    /// Registers a place, which the closure creates from a navigation and the navigator shows.
    ///
    /// The other parameters are those of the route with an action.
    @discardableResult
    public func route<Place: Sendable>(
        _ pattern: String, to navigator: some Navigator<Place>, replacing: Bool = false, fileID: StaticString = #fileID,
        line: UInt32 = #line,
        @_inheritActorContext place: @escaping @isolated(any) @Sendable (Navigation) async throws -> Place
    ) throws(EventBusError) -> Watch {
        try route(pattern, replacing: replacing, fileID: fileID, line: line) { navigation in
            try await navigator.show(place(navigation), for: navigation)
        }
    }

    /// Redirects the URLs that a pattern matches to another pattern with the same values, query and fragment.
    ///
    /// ```swift
    /// let router = Router(bus: EventBus())
    /// try router.route("/notes/:id") { print($0) }
    /// try router.redirect("/memo/:id", to: "/notes/:id")
    /// try await router.navigate(to: "/memo/5")  // /memo/5 -> /notes/5
    /// ```
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern, a conflict, or with the code `parameterMissing` if the
    ///   target has a parameter that `pattern` lacks.
    @discardableResult
    public func redirect(
        _ pattern: String, to target: String, replacing: Bool = false, fileID: StaticString = #fileID,
        line: UInt32 = #line
    ) throws(EventBusError) -> Watch {
        let parsed = try RoutePattern(pattern, types: options.types)
        let names = parsed.parameterNames
        let target = try RoutePattern(target, types: options.types)
        if let missing = target.parameterNames.first(where: { !names.contains($0) }) {
            throw EventBusError(
                .parameterMissing, subject: target.source, expected: missing,
                found: "\(names.isEmpty ? "no values" : names.joined(separator: ", ")) in \(pattern)")
        }
        let options = options
        let redirect: @Sendable (Navigation) throws(EventBusError) -> String = { navigation throws(EventBusError) in
            let parameters = zip(navigation.parameters.names, navigation.parameters.values)
                .filter { target.parameterNames.contains($0.0) }
            return try target.path(
                segments: Dictionary(parameters.map { ($0, $1.segments) }) { $1 }, query: navigation.query,
                fragment: navigation.match.fragment, options: options)
        }
        return try register(parsed, .redirect(redirect), replacing: replacing, EventLocation(fileID, line))
    }

    private func register(
        _ pattern: RoutePattern, _ action: Route.Action, replacing: Bool, _ location: EventLocation
    ) throws(EventBusError) -> Watch {
        let route = Route(pattern, action, at: location, router: self)
        let isReplacing = replacing || options.replacesConflicts
        // A replaced route is released here, outside the lock.
        let ended = try state.withLock { state throws(EventBusError) -> Route? in
            try state.table.check(route, replacing: isReplacing)
            return state.table.insert(route)
        }
        ended?.end()
        return Watch(host: route)
    }

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
    ///     navigation.query["token"] != nil ? .allow : .redirect("/login")
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
        _ prefix: String,
        @_inheritActorContext check: @escaping @isolated(any) @Sendable (Navigation) async throws -> GuardDecision
    ) throws(EventBusError) -> Watch {
        let routeGuard = try RouteGuard(prefix, router: self, check: check)
        let depth = routeGuard.depth
        state.withLock { state in
            let index = state.guards.firstIndex { $0.depth > depth } ?? state.guards.endIndex
            state.guards.insert(routeGuard, at: index)
        }
        return Watch(host: routeGuard)
    }

    // MARK: Removing

    /// Removes the route that was registered with exactly this pattern, regardless of its owner.
    ///
    /// - Returns: Whether there was such a route.
    @discardableResult
    public func unroute(_ pattern: String) -> Bool {
        guard let route = current.route(with: pattern) else { return false }
        return remove(route)
    }

    /// Removes the routes and guards of an owner from this router.
    ///
    /// - Returns: The number of removed routes and guards.
    @discardableResult
    public func unroute(owner: some WatchOwner) -> Int {
        owner.watches.cancel { $0.belongs(to: self) }
    }

    func remove(_ route: Route) -> Bool {
        guard state.withLock({ $0.table.remove(route) }) else { return false }
        route.end()
        return true
    }

    func remove(_ routeGuard: RouteGuard) -> Bool {
        state.withLock { state in
            guard let index = state.guards.firstIndex(where: { $0 === routeGuard }) else { return false }
            state.guards.remove(at: index)
            return true
        }
    }

    func holds(_ routeGuard: RouteGuard) -> Bool { state.withLock { $0.guards.contains { $0 === routeGuard } } }

    // MARK: Reading

    /// A snapshot of the routes.
    public var current: RouteTable { state.withLock { $0.table } }

    /// The registered patterns, sorted by text.
    ///
    /// - Complexity: O(*n* log *n*) in the number of routes.
    public var patterns: [String] { current.patterns.sorted() }

    /// Returns the route that matches a URL; see ``RouteTable/match(_:)``.
    public func match(_ url: String) throws(EventBusError) -> RouteMatch { try current.match(url) }

    /// Returns whether a route matches a URL.
    public func contains(_ url: String) -> Bool { current.contains(url) }

    /// Returns the topic of a route, on which every navigation to the pattern is triggered after the route's action.
    public func topic(of pattern: String) -> Topic<Navigation> { Topic(unchecked: pattern) }

    /// Returns the path of a registered pattern for values, which the router matches to that pattern.
    ///
    /// - Throws: ``EventBusError`` like ``RoutePattern/path(_:query:fragment:options:)``; `routeNotFound` if the
    ///   pattern isn't registered; `routeShadowed` if another route would match the path, as `/notes/new` does for
    ///   `/notes/:id` with the value `new`.
    public func path(
        _ pattern: String, _ parameters: [String: String] = [:], query: RouteQuery = RouteQuery(),
        fragment: String? = nil
    ) throws(EventBusError) -> String {
        let table = current
        guard let route = table.route(with: pattern) else {
            throw EventBusError(.routeNotFound, subject: pattern, expected: "a registered pattern")
        }
        let path = try route.pattern.path(parameters, query: query, fragment: fragment, options: options)
        let winner = try table.match(path)
        guard winner.route === route else {
            throw EventBusError(
                .routeShadowed, subject: pattern, expected: "\(path) to lead back to the pattern", found: winner.pattern
            )
        }
        return path
    }
}

extension EventBusError.Code {
    /// Another route would match the built path; the description contains it.
    public static let routeShadowed = Self("routeShadowed")
}
