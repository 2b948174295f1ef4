/// An immutable snapshot of the routes of a router.
///
/// A table is thread-safe. Get it from ``Router/current``, or create one from patterns to match URLs without a bus:
///
/// ```swift
/// let table = try RouteTable(["/notes/new", "/notes/:id(int)"])
/// let match = try table.match("/notes/5?edit=1")
/// print(match.pattern, match.parameters["id"] ?? "")  // /notes/:id(int) 5
/// ```
public struct RouteTable: Sendable {
    /// The options with which the routes were registered.
    let options: RouterOptions
    /// The tree of the routes of paths, and that of URLs, whose first two segments are the scheme and the host.
    private var trees = [RouteNode(), RouteNode()]
    /// The number of routes in the table.
    package private(set) var count = 0

    init(_ options: RouterOptions) { self.options = options }

    /// Creates a table of patterns.
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern, or with the code `routeConflict`.
    /// - Complexity: O(*n*) in the bytes of all patterns.
    public init(_ patterns: [String], options: RouterOptions = RouterOptions()) throws(EventBusError) {
        self.init(options)
        for source in patterns {
            let route = Route(try RoutePattern(source, types: options.types))
            try check(route, replacing: options.replacesConflicts)
            insert(route)
        }
    }

    // MARK: Matching

    /// Returns the route that matches a URL, and the captured values.
    ///
    /// The URL starts with `/`, or with a scheme and `://`. Its path is split at the slashes and then each segment is
    /// decoded, so `%2F` is part of a value. The query and the fragment don't affect the match. Segments are matched
    /// from left to right. At each segment, the choices are a literal, a typed parameter, an untyped parameter and a
    /// catch-all, in this order. If the rest of the path doesn't match, the next choice is tried.
    ///
    /// - Throws: ``EventBusError`` with the code `routeNotFound`, `pathNotAbsolute`, `pathTooLong`,
    ///   `pathTooManySegments`, `invalidAuthority`, `invalidPercentEncoding`, `invalidUTF8` or `matchTooCostly`.
    /// - Complexity: O(*n*) in the length of the path and the visited nodes of the tree, each at most once. A URL over
    ///   its limit is rejected in O(1).
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        var search = RouteSearch(try RouteURL.parse(url, options))
        guard let route = try search.find(from: root(of: search.url)) else {
            throw EventBusError(.routeNotFound, subject: url, expected: "a path that a route matches")
        }
        return search.match(with: route)
    }

    /// Returns whether a route matches a URL.
    public func contains(_ url: String) -> Bool {
        guard let parts = try? RouteURL.parse(url, options) else { return false }
        var search = RouteSearch(parts)
        return (try? search.find(from: root(of: parts))) != nil
    }

    /// The patterns in the order in which they are tried.
    package var patterns: [String] { routes.map(\.pattern.source) }

    /// Returns the root of the tree for a URL.
    func root(of url: RouteURL) -> RouteNode { trees[url.hasAuthority ? 1 : 0] }

    // MARK: Routes

    /// The routes in the order in which they are tried, those of paths first.
    var routes: [Route] { trees.flatMap(\.routes) }

    private func route(at pattern: RoutePattern) -> Route? {
        trees[pattern.authority == nil ? 0 : 1].route(at: pattern.matchedPath(options), options.types)
    }

    private mutating func set(_ route: Route?, at pattern: RoutePattern) {
        trees[pattern.authority == nil ? 0 : 1].set(route, at: pattern.matchedPath(options), options.types)
    }

    /// Checks whether a route can be inserted.
    ///
    /// - Throws: ``EventBusError`` with the code `routeConflict` if another route matches the same paths and isn't to be
    ///   replaced.
    func check(_ route: Route, replacing: Bool) throws(EventBusError) {
        if !replacing, let existing = self.route(at: route.pattern) {
            throw EventBusError(
                .routeConflict, subject: route.pattern.source, expected: "paths that no other route matches",
                found: existing.pattern.source, location: route.location, otherLocation: existing.location)
        }
    }

    /// Inserts a route, which may replace another one, and returns the replaced route.
    @discardableResult
    mutating func insert(_ route: Route) -> Route? {
        let replaced = self.route(at: route.pattern)
        if replaced == nil { count += 1 }
        set(route, at: route.pattern)
        return replaced
    }

    /// Removes a route; returns whether it was in the table.
    mutating func remove(_ route: Route) -> Bool {
        guard self.route(at: route.pattern) === route else { return false }
        set(nil, at: route.pattern)
        count -= 1
        return true
    }

    /// Returns the route with exactly this pattern.
    func route(with source: String) -> Route? {
        // Only a valid pattern can be registered.
        guard let pattern = try? RoutePattern(source, types: options.types), let route = route(at: pattern) else {
            return nil
        }
        return route.pattern.source.hasSameBytes(as: source) ? route : nil
    }
}

extension EventBusError.Code {
    /// A pattern that matches exactly the paths of a registered pattern, which is in `found`.
    public static let routeConflict = Self("routeConflict")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")
}
