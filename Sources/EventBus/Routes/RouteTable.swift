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
        return route.pattern.source == source ? route : nil
    }
}

extension EventBusError.Code {
    /// A pattern that matches exactly the paths of a registered pattern, which is in `found`.
    public static let routeConflict = Self("routeConflict")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")
}

/// The options for matching patterns and paths.
public struct RouterOptions: Sendable {
    package var isCaseSensitive: Bool
    package var ignoresTrailingSlash: Bool
    package var types: [RouteParameterType]
    package var replacesConflicts: Bool

    /// The behavior of iStructure: letters match in any case, and a later route replaces an earlier one.
    ///
    /// Other behavior of iStructure isn't restored: matches that start in the middle of a path, parameters that are
    /// empty or contain slashes, queries inside parameters, and an arbitrary order of routes.
    public static let seed = RouterOptions(isCaseSensitive: false, replacesConflicts: true)

    /// Creates options.
    ///
    /// - Parameters:
    ///   - isCaseSensitive: Whether matching distinguishes lowercase and uppercase ASCII letters; other letters are always
    ///     distinguished.
    ///   - ignoresTrailingSlash: Whether one slash at the end of a path or pattern is ignored, so that `/notes/` equals
    ///     `/notes`.
    ///   - types: Parameter types, which are tried in this order, before the built-in types; for duplicate names, the last
    ///     type wins.
    ///   - replacesConflicts: Whether a route silently replaces an earlier route that matches the same paths. Otherwise such
    ///     a route is an error, unless it is registered with `replacing: true`.
    public init(
        isCaseSensitive: Bool = true, ignoresTrailingSlash: Bool = true, types: [RouteParameterType] = [],
        replacesConflicts: Bool = false
    ) {
        self.isCaseSensitive = isCaseSensitive
        self.ignoresTrailingSlash = ignoresTrailingSlash
        self.types = types
        self.replacesConflicts = replacesConflicts
    }
}

/// The limits for paths and patterns; a URL over its limit in bytes is rejected in constant time.
package enum RouteLimits {
    /// The maximum length of a percent-encoded path in bytes.
    package static let pathBytes = 8192
    /// The maximum length of scheme, host, query and fragment together in bytes.
    package static let otherBytes = 16_384
    /// The maximum number of segments of a path or pattern.
    package static let segments = 128
    /// The maximum length of a pattern, in bytes of UTF-8.
    package static let patternBytes = 8192
    /// The maximum number of parameters of a pattern.
    package static let parameters = 32
    /// The maximum number of literals and parameters that one match tries.
    ///
    /// Each is tried at most once, so only a table with many overlapping patterns can reach the limit.
    package static let steps = 65_536
}
