internal import AshlarCore

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
    /// The tree of the routes of paths, and that of URLs, whose first segment is the scheme with the host.
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
    func root(of url: RouteURL) -> RouteNode { trees[url.authority == nil ? 0 : 1] }

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

/// A node of the tree of routes: the segments that can follow, and the route that ends here.
///
/// A tree is a value: a change copies only the nodes on its path, and only if a snapshot shares them.
struct RouteNode: Sendable {
    /// A parameter or a catch-all, and the node after it.
    struct Parameter: Sendable {
        let segment: RouteSegment
        let rank: RouteRank
        var node = RouteNode()
    }

    private var literals: [String: RouteNode] = [:]
    /// The parameters, and last the catch-all, in the order in which they are tried.
    private(set) var parameters: [Parameter] = []
    private(set) var route: Route?

    /// Returns the node after a segment that is a literal.
    func next(after url: RouteURL, at index: Int) -> RouteNode? {
        // An empty dictionary would hash the segment.
        literals.isEmpty ? nil : literals[url.key(at: index)]
    }

    var isEmpty: Bool { route == nil && literals.isEmpty && parameters.isEmpty }

    /// Returns the route at a path of a pattern.
    func route(at path: ArraySlice<RouteSegment>, _ types: [RouteParameterType]) -> Route? {
        guard let segment = path.first else { return route }
        if case .literal(let text) = segment {
            return literals[text]?.route(at: path.dropFirst(), types)
        }
        let rank = RouteRank(segment, types)
        return parameters.first { $0.rank == rank }?.node.route(at: path.dropFirst(), types)
    }

    /// Sets the route at a path of a pattern; nil removes it and the nodes that are then empty.
    mutating func set(_ route: Route?, at path: ArraySlice<RouteSegment>, _ types: [RouteParameterType]) {
        guard let segment = path.first else {
            self.route = route
            return
        }
        if case .literal(let text) = segment {
            literals[text, default: RouteNode()].set(route, at: path.dropFirst(), types)
            if route == nil, literals[text]?.isEmpty == true { literals[text] = nil }
            return
        }
        let rank = RouteRank(segment, types)
        let index = parameters.firstIndex { $0.rank >= rank } ?? parameters.endIndex
        if index == parameters.endIndex || parameters[index].rank != rank {
            parameters.insert(Parameter(segment: segment, rank: rank), at: index)
        }
        parameters[index].node.set(route, at: path.dropFirst(), types)
        if route == nil, parameters[index].node.isEmpty { parameters.remove(at: index) }
    }

    /// All routes in this node and below it, in the order in which they are tried.
    ///
    /// - Complexity: O(*n* log *n*) in the number of nodes.
    var routes: [Route] {
        let literals = literals.sorted { $0.key < $1.key }
        return [route].compactMap(\.self) + literals.flatMap(\.value.routes) + parameters.flatMap(\.node.routes)
    }
}

/// A search for the route of a URL, by precedence at each segment from the left, with full backtracking.
///
/// A node represents one sequence of choices, so each is visited at most once.
struct RouteSearch {
    let url: RouteURL
    /// The values captured on the path to the current node.
    private var values: [RouteValue] = []
    private var steps = 0

    init(_ url: RouteURL) { self.url = url }

    /// Returns the route below a node for the segments from a position to the end; nil if there is none.
    mutating func find(from node: RouteNode, at index: Int = 0) throws(EventBusError) -> Route? {
        guard index < url.segments.count else { return node.route }
        if let next = node.next(after: url, at: index) {
            try countStep()
            if let route = try find(from: next, at: index + 1) { return route }
        }
        // By index, because a copy of an element counts all its references.
        for choice in node.parameters.indices {
            try countStep()
            let count = values.count
            switch node.parameters[choice].segment {
            case .literal: continue
            case .catchAll:
                let segments = Array(url.segments[index...])
                // A single slash isn't a value.
                if segments == [""] { continue }
                values.append(RouteValue(text: segments.joined(separator: "/"), parts: segments))
                return node.parameters[choice].node.route
            case .parameter(let parameter):
                guard let value = RouteValue(url.segments[index], of: parameter) else { continue }
                values.append(value)
            }
            if let route = try find(from: node.parameters[choice].node, at: index + 1) { return route }
            values.removeSubrange(count...)
        }
        return nil
    }

    /// Returns the match with a route that was found.
    func match(with route: Route) -> RouteMatch { RouteMatch(url, route, values) }

    private mutating func countStep() throws(EventBusError) {
        steps += 1
        guard steps <= RouteLimits.steps else {
            throw EventBusError(
                .matchTooCostly, subject: url.text, expected: "at most \(RouteLimits.steps) places of the tree to visit"
            )
        }
    }
}

/// The precedence of a segment among the segments of a node: the tree tries the smaller rank first.
///
/// Segments that match the same texts have equal ranks.
struct RouteRank: Comparable, Sendable {
    /// The kinds of segments, in the order in which they are tried.
    enum Kind: Int, Sendable {
        case literal
        case typed
        case plain
        case catchAll
    }

    let kind: Kind
    /// The order within a kind: the text of a literal; an earlier type, then its name.
    private var order: [Int] = []

    init(_ segment: RouteSegment, _ types: [RouteParameterType]) {
        switch segment {
        case .literal(let text):
            kind = .literal
            order = text.utf8.map { Int($0) }
        case .catchAll: kind = .catchAll
        case .parameter(let parameter):
            guard let type = parameter.type else {
                kind = .plain
                return
            }
            kind = .typed
            // Of types with the same name, the last one is in use.
            let all = types + RouteParameterType.restricting
            let index = types.lastIndex { $0.name == type.name } ?? all.firstIndex { $0.name == type.name }
            order = [index ?? all.count] + type.name.utf8.map { Int($0) }
        }
    }

    static func < (a: Self, b: Self) -> Bool {
        a.kind == b.kind ? a.order.lexicographicallyPrecedes(b.order) : a.kind.rawValue < b.kind.rawValue
    }
}

extension EventBusError.Code {
    /// A pattern that matches exactly the paths of a registered pattern, which is in `found`.
    public static let routeConflict = Self("routeConflict")
    /// No route matches the path.
    public static let routeNotFound = Self("routeNotFound")
    /// A match would try more literals and parameters than the limit.
    package static let matchTooCostly = Self("matchTooCostly")
}
