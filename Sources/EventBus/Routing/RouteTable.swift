/// An immutable snapshot of the routes of a router.
///
/// A table is immutable and can be used from any thread.
/// Get one from ``Router/current``, or make one of bare patterns to use the matching without a bus:
///
/// ```swift
/// let table = try RouteTable(["/notes/new", "/notes/:id(int)"])
/// let match = try table.match("/notes/5?edit=1")
/// print(match.pattern, match.parameters["id"] ?? "")  // /notes/:id(int) 5
/// ```
public struct RouteTable: Sendable {
    // A table is one reference, so that handing one out costs one count.
    private(set) var tree: RouteTree

    /// The options that the routes were registered under.
    public var options: RouterOptions { tree.routerOptions }

    /// Creates a table without routes.
    public init(options: RouterOptions = RouterOptions()) { tree = RouteTree(options) }

    /// Creates a table of patterns.
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern, or with the code `routeConflict`.
    /// - Complexity: O(*n*) in the bytes of all patterns.
    public init(_ patterns: [String], options: RouterOptions = RouterOptions()) throws(EventBusError) {
        self.init(options: options)
        for source in patterns {
            let pattern = try RoutePattern(source, types: options.types, limits: options.limits)
            _ = try insert(pattern, route: nil, replacing: options.replacesConflicts)
        }
    }

    /// The number of patterns the table holds, an optional group's choices counted one by one.
    public var count: Int { tree.liveCount }

    // MARK: Changing, by the router only

    /// Adds a pattern and returns the routes that it took places from; on an error, the table keeps its routes.
    mutating func insert(
        _ pattern: RoutePattern, route: Route?, replacing: Bool
    ) throws(EventBusError) -> [Route] {
        makeUnique()
        // Every place is checked before the first one changes: nodes that stay empty match nothing.
        var places: [(place: RouteTree.Place, target: RouteTarget)] = []
        var replaced: [Route] = []
        for (index, variant) in pattern.variants.enumerated() {
            guard let place = tree.place(of: variant, pattern.authority, adding: true) else { continue }
            let target = RouteTarget(pattern, variant: index, route: route)
            if let own = places.first(where: { $0.place == place })?.target {
                // Two choices of groups may match the same paths if they also give the parameters the same names.
                if own.names == target.names { continue }
                throw EventBusError(
                    .patternAmbiguousGroups, subject: pattern.source,
                    expected: "groups whose choices match different paths",
                    found: "\(own.names) and \(target.names) for the same path")
            }
            if let existing = tree.target(at: place) {
                guard replacing else {
                    throw EventBusError(
                        .routeConflict, subject: pattern.source, expected: "paths that no other route matches",
                        found: existing.pattern.source, location: route?.location,
                        otherLocation: existing.route?.location)
                }
                if let route = existing.route { replaced.append(route) }
            }
            places.append((place, target))
        }
        for (place, target) in places { tree.set(target, at: place) }
        return replaced
    }

    /// Removes what is left of a pattern's places.
    mutating func remove(_ route: Route) -> Bool {
        makeUnique()
        var removed = false
        for variant in route.pattern.variants {
            guard let place = tree.place(of: variant, route.pattern.authority, adding: false),
                tree.target(at: place)?.route === route
            else { continue }
            tree.set(nil, at: place)
            removed = true
        }
        // The nodes of removed routes stay until they outweigh the living, so removal costs O(1) in the long run.
        if tree.removedCount > 64, tree.removedCount > tree.liveCount { rebuild() }
        return removed
    }

    /// Whether some place of the tree still leads to a route.
    mutating func holds(_ route: Route) -> Bool {
        makeUnique()
        return route.pattern.variants.contains { variant in
            let place = tree.place(of: variant, route.pattern.authority, adding: false)
            return place.flatMap(tree.target)?.route === route
        }
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&tree) { tree = RouteTree(copying: tree) }
    }

    private mutating func rebuild() {
        let new = RouteTree(options)
        for target in tree.liveTargets {
            let variant = target.pattern.variants[target.variant]
            guard let place = new.place(of: variant, target.pattern.authority, adding: true) else { continue }
            new.set(target, at: place)
        }
        tree = new
    }
}
