/// The options for matching patterns and paths.
public struct RouterOptions: Sendable {
    /// The treatment of a slash at the end of a path.
    public enum TrailingSlash: Sendable, Hashable {
        /// One slash at the end of a path or pattern is ignored.
        case ignored
        /// `/notes` and `/notes/` are different paths.
        case strict
    }

    /// Whether matching distinguishes lowercase and uppercase ASCII letters; other letters are always distinguished.
    public var isCaseSensitive: Bool
    /// The treatment of a slash at the end of a path; ignored by default.
    public var trailingSlash: TrailingSlash
    /// Whether empty segments are ignored, so that `//notes///5` equals `/notes/5`.
    public var collapsesSlashes: Bool
    /// The meaning of `+` in a query.
    public var queryEncoding: RouteQuery.Encoding
    /// Parameter types in addition to the built-in types; for duplicate names, the last type wins.
    ///
    /// They are tried in this order, before the built-in types.
    public var types: [RouteParameterType]
    /// The limits for paths and tables.
    package var limits: RouteLimits
    /// Whether a route silently replaces an earlier route that matches the same paths.
    ///
    /// Otherwise such a route is an error, unless it is registered with `replacing: true`.
    public var replacesConflicts: Bool

    /// The behavior of iStructure: letters match in any case, and a later route replaces an earlier one.
    ///
    /// Other behavior of iStructure isn't restored: matches that start in the middle of a path, parameters that are
    /// empty or contain slashes, queries inside parameters, and an arbitrary order of routes.
    public static let seed = RouterOptions(isCaseSensitive: false, replacesConflicts: true)

    /// Creates options.
    public init(
        isCaseSensitive: Bool = true, trailingSlash: TrailingSlash = .ignored, collapsesSlashes: Bool = false,
        queryEncoding: RouteQuery.Encoding = .percent, types: [RouteParameterType] = [],
        replacesConflicts: Bool = false
    ) {
        (self.isCaseSensitive, self.trailingSlash) = (isCaseSensitive, trailingSlash)
        (self.collapsesSlashes, self.queryEncoding) = (collapsesSlashes, queryEncoding)
        (self.types, self.replacesConflicts, limits) = (types, replacesConflicts, RouteLimits())
    }

    var tree: RouteTreeOptions {
        RouteTreeOptions(
            foldsCase: !isCaseSensitive, ignoresTrailingSlash: trailingSlash == .ignored,
            collapsesSlashes: collapsesSlashes)
    }
}
