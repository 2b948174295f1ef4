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
    /// The tree in one reference, so that copying a table needs only one retain.
    private final class Storage: Sendable {
        let tree: RouteTree
        init(_ tree: RouteTree) { self.tree = tree }
    }

    private let storage: Storage

    init(_ tree: RouteTree) { storage = Storage(tree) }

    /// Creates a table of patterns.
    ///
    /// - Throws: ``EventBusError`` for a malformed pattern, or with the code `routeConflict`.
    /// - Complexity: O(*n*) in the bytes of all patterns.
    public init(_ patterns: [String], options: RouterOptions = RouterOptions()) throws(EventBusError) {
        var tree = RouteTree(options)
        for source in patterns {
            let pattern = try RoutePattern(source, types: options.types, limits: options.limits)
            _ = try tree.insert(pattern, replacing: options.replacesConflicts)
        }
        self.init(tree)
    }

    var tree: RouteTree { storage.tree }

    /// The options with which the routes were registered.
    var options: RouterOptions { storage.tree.routerOptions }

    /// The number of patterns in the table, with one for each choice of an optional group.
    public var count: Int { storage.tree.liveCount }

    /// Returns the route that matches a URL, and the captured values.
    ///
    /// The URL starts with `/`, or with a scheme and `://`. Its path is split at the slashes and then each segment is
    /// decoded, so `%2F` is part of a value. The query and the fragment don't affect the match. Segments are matched
    /// from left to right. At each segment, the choices are a literal, a typed parameter with text, a parameter with
    /// text, a typed parameter, an untyped parameter and a catch-all, in this order. If the rest of the path doesn't
    /// match, the next choice is tried.
    ///
    /// - Throws: ``EventBusError`` with the code `routeNotFound`, `pathNotAbsolute`, `pathTooLong`,
    ///   `pathTooManySegments`, `invalidPercentEncoding`, `invalidUTF8` or `matchTooCostly`.
    /// - Complexity: O(*n*) in the length of the path and the visited nodes of the tree, each at most once. A URL over
    ///   its limit is rejected in O(1). A path without escapes is matched without an allocation.
    @inline(never)
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        var finding = RouteTree.Finding()
        if let failure = tree.search(url, &finding) { throw failure.error(url) }
        guard let target = tree.target(of: finding) else { throw RouteTree.SearchFailure.notFound.error(url) }
        return RouteMatch(url: url, target: target, finding, queryEncoding: options.queryEncoding)
    }

    /// Returns the route that matches a URL; nil if no route matches or the URL is malformed.
    ///
    /// Without a match, the method is as fast as ``contains(_:)``, because it creates no error.
    public func firstMatch(for url: String) -> RouteMatch? {
        var finding = RouteTree.Finding()
        guard tree.search(url, &finding) == nil, let target = tree.target(of: finding) else { return nil }
        return RouteMatch(url: url, target: target, finding, queryEncoding: options.queryEncoding)
    }

    /// Returns whether a route matches a URL.
    public func contains(_ url: String) -> Bool {
        var finding = RouteTree.Finding()
        return storage.tree.search(url, &finding) == nil
    }
}
