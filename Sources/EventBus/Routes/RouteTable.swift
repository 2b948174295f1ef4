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
    /// The number of patterns in the table, with one for each choice of an optional group.
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
    /// from left to right. At each segment, the choices are a literal, a typed parameter with text, a parameter with
    /// text, a typed parameter, an untyped parameter and a catch-all, in this order. If the rest of the path doesn't
    /// match, the next choice is tried.
    ///
    /// - Throws: ``EventBusError`` with the code `routeNotFound`, `pathNotAbsolute`, `pathTooLong`,
    ///   `pathTooManySegments`, `invalidAuthority`, `invalidPercentEncoding`, `invalidUTF8` or `matchTooCostly`.
    /// - Complexity: O(*n*) in the length of the path and the visited nodes of the tree, each at most once. A URL over
    ///   its limit is rejected in O(1).
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        var search = RouteSearch(try RouteURL.parse(url, options))
        guard let target = try search.find(from: root(of: search.url)) else {
            throw EventBusError(.routeNotFound, subject: url, expected: "a path that a route matches")
        }
        return search.match(with: target)
    }

    /// Returns whether a route matches a URL.
    public func contains(_ url: String) -> Bool {
        guard let parts = try? RouteURL.parse(url, options) else { return false }
        var search = RouteSearch(parts)
        return (try? search.find(from: root(of: parts))) != nil
    }

    /// The patterns in the order in which they are tried; one with optional groups is listed once.
    package var patterns: [String] {
        var known: Set<String> = []
        return targets.map(\.pattern.source).filter { known.insert($0).inserted }
    }

    var paths: RouteNode { trees[0] }
    var urls: RouteNode { trees[1] }

    /// Returns the root of the tree for a URL.
    func root(of url: RouteURL) -> RouteNode { url.hasAuthority ? urls : paths }

    // MARK: Routes

    /// The targets in the order in which they are tried, those of paths first.
    var targets: [RouteTarget] { paths.targets + urls.targets }

    /// Returns the path of a variant in its tree.
    func path(of variant: RouteVariant, in pattern: RoutePattern) -> ArraySlice<RouteSegment> {
        ((pattern.authority.map { [$0.scheme, $0.host] } ?? []) + variant.path(options))[...]
    }

    private func paths(of pattern: RoutePattern) -> [ArraySlice<RouteSegment>] {
        pattern.variants.map { path(of: $0, in: pattern) }
    }

    private func target(at path: ArraySlice<RouteSegment>, in pattern: RoutePattern) -> RouteTarget? {
        trees[pattern.authority == nil ? 0 : 1].target(at: path, options.types)
    }

    private mutating func set(_ target: RouteTarget?, at path: ArraySlice<RouteSegment>, in pattern: RoutePattern) {
        trees[pattern.authority == nil ? 0 : 1].set(target, at: path, options.types)
    }

    /// Checks whether a route can be inserted.
    ///
    /// - Throws: ``EventBusError`` with the code `routeConflict` if another route matches the same paths and isn't to be
    ///   replaced; or `patternAmbiguousGroups` if two choices of groups match the same paths with other names.
    func check(_ route: Route, replacing: Bool) throws(EventBusError) {
        let pattern = route.pattern
        var own = RouteNode()
        for (variant, path) in zip(pattern.variants, paths(of: pattern)) {
            let names = variant.names
            if let known = own.target(at: path, options.types)?.variant.names, known != names {
                throw EventBusError(
                    .init("patternAmbiguousGroups"), subject: pattern.source,
                    expected: "groups whose choices match different paths",
                    found: "\(known) and \(names) for the same path")
            }
            if pattern.variants.count > 1 {
                own.set(RouteTarget(route: route, variant: variant), at: path, options.types)
            }
            if !replacing, let existing = target(at: path, in: pattern) {
                throw EventBusError(
                    .routeConflict, subject: pattern.source, expected: "paths that no other route matches",
                    found: existing.pattern.source, location: route.location, otherLocation: existing.route.location)
            }
        }
    }

    /// Inserts a route, which may replace others, and returns the routes that are no longer in the table.
    @discardableResult
    mutating func insert(_ route: Route) -> [Route] {
        var replaced: [Route] = []
        // The first of several variants for the same paths remains.
        for (variant, path) in zip(route.pattern.variants, paths(of: route.pattern)).reversed() {
            let existing = target(at: path, in: route.pattern)?.route
            if let existing, existing !== route { replaced.append(existing) }
            if existing == nil { count += 1 }
            set(RouteTarget(route: route, variant: variant), at: path, in: route.pattern)
        }
        return replaced.filter { !contains($0) }
    }

    /// Removes a route; returns whether it was in the table.
    mutating func remove(_ route: Route) -> Bool {
        let before = count
        for path in paths(of: route.pattern) where target(at: path, in: route.pattern)?.route === route {
            set(nil, at: path, in: route.pattern)
            count -= 1
        }
        return count < before
    }

    private func contains(_ route: Route) -> Bool {
        paths(of: route.pattern).contains { target(at: $0, in: route.pattern)?.route === route }
    }

    /// Returns the route with exactly this pattern.
    func route(with source: String) -> Route? {
        // Only a valid pattern can be registered.
        guard let pattern = try? RoutePattern(source, types: options.types) else { return nil }
        let routes = paths(of: pattern).compactMap { target(at: $0, in: pattern)?.route }
        return routes.first { $0.pattern.source.hasSameBytes(as: source) }
    }
}

extension EventBusError.Code {
    /// A pattern that matches exactly the paths of a registered pattern, which is in `found`.
    public static let routeConflict = Self("routeConflict")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")
}
