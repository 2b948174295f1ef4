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
    /// The topic of URLs without a route, `router:notFound`.
    public static let notFound = Topic<UnmatchedRoute>("router:notFound")
    /// The maximum number of redirects of a navigation, and of nested navigations.
    package static let maximumRedirects = 16

    /// The bus of the router's events.
    public let bus: EventBus
    /// The options for matching patterns and paths.
    let options: RouterOptions
    let state: Mutex<State>
    /// The tree of `state` for matching without the lock; empty before the first match.
    private let cell = SnapshotCell<RouteSnapshot>()

    struct State: Sendable {
        var tree: RouteTree
        /// The guards, the outermost first.
        var guards: [RouteGuard] = []
        /// The number of the newest navigation, and its task.
        var newest: UInt64 = 0
        var pending: Task<Navigation, any Error>?

        /// Adds a route; returns the routes that it replaces completely.
        mutating func insert(_ route: Route, replacing: Bool) throws(EventBusError) -> [Route] {
            let replaced = try tree.insert(route.pattern, route: route, replacing: replacing)
            return replaced.filter { !tree.holds($0) }.compactMap { $0 as? Route }
        }
    }

    /// Creates a router without routes.
    public init(bus: EventBus, options: RouterOptions = RouterOptions()) {
        (self.bus, self.options) = (bus, options)
        state = Mutex(State(tree: RouteTree(options)))
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
    ///   - column: The column for conflicts.
    ///   - action: Runs at each navigation after the guards, in the task of the navigation. If it throws, the
    ///     navigation throws its error. A navigation inside the action is part of this one.
    /// - Returns: The handle that ends the route.
    /// - Throws: ``EventBusError`` for a malformed pattern, with the offset, or with the code `routeConflict` and the
    ///   conflicting pattern.
    @discardableResult
    public func route(
        _ pattern: String, replacing: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column,
        action: @escaping @Sendable (Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        try add(pattern, .run(action), replacing: replacing, fileID, line, column)
    }

    /// Registers an action for an owner, which the action receives; the route is added to the owner's bag.
    ///
    /// The router holds the owner weakly. The other parameters are those of the route without an owner.
    @discardableResult
    public func route<Owner: WatchOwner>(
        _ pattern: String, owner: Owner, replacing: Bool = false, fileID: StaticString = #fileID,
        line: UInt32 = #line, column: UInt32 = #column,
        action: @escaping @Sendable (Owner, Navigation) async throws -> Void
    ) throws(EventBusError) -> Watch {
        let run: @Sendable (Navigation) async throws -> Void = { [weak owner] navigation in
            guard let owner else {
                throw EventBusError(.routeNotFound, subject: navigation.url, expected: "the route's owner to be alive")
            }
            try await action(owner, navigation)
        }
        return try add(pattern, .run(run), replacing: replacing, fileID, line, column).store(in: owner.watches)
    }

    /// Registers a place, which the closure creates from a navigation and the navigator shows.
    ///
    /// The other parameters are those of the route with an action.
    @discardableResult
    public func route<Place: Sendable>(
        _ pattern: String, to navigator: some Navigator<Place>, replacing: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column,
        place: @escaping @Sendable (Navigation) async throws -> Place
    ) throws(EventBusError) -> Watch {
        let run: @Sendable (Navigation) async throws -> Void = { navigation in
            try await navigator.show(place(navigation), for: navigation)
        }
        return try add(pattern, .run(run), replacing: replacing, fileID, line, column)
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
        line: UInt32 = #line, column: UInt32 = #column
    ) throws(EventBusError) -> Watch {
        let names = try RoutePattern(pattern, types: options.types, limits: options.limits).parameterNames
        let target = try RoutePattern(target, types: options.types, limits: options.limits)
        let needed = target.variants.last?.names ?? []
        if let missing = needed.first(where: { !names.contains(bytesOf: $0) }) {
            throw EventBusError(
                .parameterMissing, subject: target.source, expected: missing,
                found: names.isEmpty ? "no values in \(pattern)" : "\(names.joined(separator: ", ")) in \(pattern)")
        }
        let options = options
        let redirect: @Sendable (Navigation) throws(EventBusError) -> String = { navigation throws(EventBusError) in
            let values = navigation.parameters.dictionary.filter { target.parameterNames.contains(bytesOf: $0.key) }
            return try target.path(
                values, query: navigation.query, fragment: navigation.match.fragment, options: options)
        }
        return try add(pattern, .redirect(redirect), replacing: replacing, fileID, line, column)
    }

    private func add(
        _ source: String, _ action: Route.Action, replacing: Bool, _ fileID: StaticString, _ line: UInt32,
        _ column: UInt32
    ) throws(EventBusError) -> Watch {
        let pattern = try RoutePattern(source, types: options.types, limits: options.limits)
        let route = Route(pattern, action, router: self, EventLocation(fileID, line, column))
        // Replaced routes are released here, outside the lock.
        let ended = try state.withLock { state throws(EventBusError) -> [Route] in
            dropSnapshot()
            return try state.insert(route, replacing: replacing || options.replacesConflicts)
        }
        for old in ended { old.end() }
        return route.watch
    }

    /// Adds all routes, or none if there is an error.
    func add(_ routes: [Route], replacing: Bool) throws(EventBusError) {
        let ended = try state.withLock { state throws(EventBusError) -> [Route] in
            // The copy shares its memory with the tree until the first change.
            var new = state
            var ended: [Route] = []
            for route in routes {
                ended += try new.insert(route, replacing: replacing || options.replacesConflicts)
            }
            dropSnapshot()
            state = new
            return ended
        }
        for old in ended { old.end() }
    }

    // MARK: Removing

    /// Removes the route that was registered with exactly this pattern, regardless of its owner.
    ///
    /// - Returns: Whether there was such a route.
    @discardableResult
    public func unroute(_ pattern: String) -> Bool {
        find(pattern).route.map { remove($0) } ?? false
    }

    /// Returns the route that was registered with exactly this pattern, and the tree that contains it.
    private func find(_ source: String) -> (route: Route?, tree: RouteTree) {
        // Only a valid pattern can be registered.
        let pattern = try? RoutePattern(source, types: options.types, limits: options.limits)
        return state.withLock { state in
            (pattern.flatMap { state.tree.route(with: $0) } as? Route, state.tree)
        }
    }

    /// Removes the routes and guards of an owner from this router.
    ///
    /// - Returns: The number of removed routes and guards.
    @discardableResult
    public func unroute(owner: some WatchOwner) -> Int {
        owner.watches.cancel { $0.host.belongs(to: self) }
    }

    func remove(_ route: Route) -> Bool {
        let wasThere = state.withLock { state in
            dropSnapshot()
            return state.tree.remove(route)
        }
        if wasThere { route.end() }
        return wasThere
    }

    // MARK: Reading

    /// A snapshot of the routes.
    public var current: RouteTable { RouteTable(state.withLock { $0.tree }) }

    /// The registered patterns, sorted by text.
    ///
    /// - Complexity: O(*n* log *n*) in the number of routes.
    public var patterns: [String] {
        let routes = state.withLock { $0.tree }.liveTargets.compactMap(\.route)
        return Dictionary(routes.map { (ObjectIdentifier($0), $0.pattern.source) }) { $1 }.values.sorted()
    }

    /// Returns the route that matches a URL; see ``RouteTable/match(_:)``.
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        let snapshot = pinTable()
        defer { cell.unpin() }
        return try snapshot.takeUnretainedValue().table.match(url)
    }

    /// Returns the route that matches a URL; nil if no route matches or the URL is malformed.
    ///
    /// Without a match, the method is as fast as ``contains(_:)``, because it creates no error.
    public func firstMatch(for url: String) -> RouteMatch? {
        let snapshot = pinTable()
        defer { cell.unpin() }
        return snapshot._withUnsafeGuaranteedRef { $0.table.firstMatch(for: url) }
    }

    /// Returns whether a route matches a URL.
    public func contains(_ url: String) -> Bool {
        let snapshot = pinTable()
        defer { cell.unpin() }
        return snapshot._withUnsafeGuaranteedRef { $0.table.contains(url) }
    }

    /// Returns the current table, pinned for a reader, at half the cost of the lock and a reference count.
    @inline(__always)
    private func pinTable() -> Unmanaged<RouteSnapshot> { cell.pin() ?? rebuild() }

    @inline(never)
    private func rebuild() -> Unmanaged<RouteSnapshot> {
        state.withLock { state in
            // Another thread may have built the snapshot first.
            cell.pin() ?? cell.install(RouteSnapshot(RouteTable(state.tree)))
        }
    }

    /// Retires the snapshot of the table before the table changes under the same lock.
    ///
    /// Your objects aren't released here: the tree itself remains in the state.
    private func dropSnapshot() {
        cell.retire()
        cell.releaseRetired()
    }

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
        let (route, tree) = find(pattern)
        guard let route else {
            throw EventBusError(.routeNotFound, subject: pattern, expected: "a registered pattern")
        }
        let path = try route.pattern.path(parameters, query: query, fragment: fragment, options: options)
        let winner = try RouteTable(tree).match(path)
        guard winner.target.route === route else {
            throw EventBusError(
                .routeShadowed, subject: pattern, expected: "\(path) to lead back to the pattern", found: winner.pattern
            )
        }
        return path
    }
}

/// A table for matching without the router's lock.
private final class RouteSnapshot: Sendable {
    let table: RouteTable

    init(_ table: RouteTable) { self.table = table }
}
