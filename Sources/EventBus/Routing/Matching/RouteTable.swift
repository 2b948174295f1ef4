/// An immutable snapshot of the routes of a router.
///
/// A table can be used from any thread. Get one from ``Router/current``, or create one of patterns to match URLs without
/// a bus:
///
/// ```swift
/// let table = try RouteTable(["/notes/new", "/notes/:id(int)"])
/// let match = try table.match("/notes/5?edit=1")
/// print(match.pattern, match.parameters["id"] ?? "")  // /notes/:id(int) 5
/// ```
public struct RouteTable: Sendable {
    /// The tree in one reference, so that copying a table costs one count.
    private final class Storage: Sendable {
        let tree: RouteTree
        init(_ tree: RouteTree) { self.tree = tree }
    }

    private let storage: Storage

    init(_ tree: RouteTree) { storage = Storage(tree) }

    /// Creates a table without routes.
    public init(options: RouterOptions = RouterOptions()) { self.init(RouteTree(options)) }

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

    /// The options that the routes were registered under.
    public var options: RouterOptions { storage.tree.routerOptions }

    /// The number of patterns in the table; each choice of an optional group counts as one.
    public var count: Int { storage.tree.liveCount }

    /// Returns the route that matches a URL, with the captured values.
    ///
    /// The URL is a path beginning with `/`, or has a scheme and `://` before it. It is split on its raw slashes and
    /// each segment is decoded after, so `%2F` stays inside a value. Query and fragment take no part. At each segment,
    /// from the left, a literal goes before a typed parameter with text around it, then come one with text, a typed
    /// one, a plain one and a catch-all; if what follows fails, the next choice is tried.
    ///
    /// - Throws: ``EventBusError`` with the code `routeNotFound`, `pathNotAbsolute`, `pathTooLong`,
    ///   `pathTooManySegments`, `invalidPercentEncoding`, `invalidUTF8` or `matchTooCostly`.
    /// - Complexity: O(*n*) in the length of the path plus the places visited in the tree, each once at most. A URL
    ///   over its limit costs O(1). A path without escapes is matched without allocating.
    @inline(never)
    public func match(_ url: String) throws(EventBusError) -> RouteMatch {
        var finding = RouteTree.Finding()
        if let failure = storage.tree.search(url, &finding) { throw failure.error(url) }
        guard let match = storage.tree.match(url, finding) else { throw RouteTree.SearchFailure.notFound.error(url) }
        return match
    }

    /// Returns the route that matches a URL; nil if none does or the URL is malformed.
    ///
    /// A miss costs no more than ``contains(_:)``, since no error is created.
    public func firstMatch(for url: String) -> RouteMatch? {
        var finding = RouteTree.Finding()
        return storage.tree.search(url, &finding) == nil ? storage.tree.match(url, finding) : nil
    }

    /// Returns whether some route matches a URL.
    public func contains(_ url: String) -> Bool {
        var finding = RouteTree.Finding()
        return storage.tree.search(url, &finding) == nil
    }
}
