/// The options for matching patterns and paths.
public struct RouterOptions: Sendable {
    /// The meaning of a slash at the end of a path.
    public enum TrailingSlash: Sendable, Hashable {
        /// One slash at the end of a path or pattern makes no difference.
        case ignored
        /// `/notes` and `/notes/` are different paths.
        case strict
    }

    /// Whether literal text distinguishes lowercase and uppercase ASCII letters; other letters are always distinguished.
    public var isCaseSensitive: Bool
    /// The meaning of a slash at the end of a path; ignored by default.
    public var trailingSlash: TrailingSlash
    /// Whether empty segments are ignored, so that `//notes///5` is `/notes/5`.
    public var collapsesSlashes: Bool
    /// What `+` represents in a query.
    public var queryEncoding: RouteQuery.Encoding
    /// Parameter types in addition to the built-in ones; where two have the same name the last one wins.
    ///
    /// At the same place in a path they are tried in this order, before the built-in ones.
    public var types: [RouteParameterType]
    /// The limits for paths and tables.
    package var limits: RouteLimits
    /// Whether a route that matches the same paths as an earlier one silently replaces it.
    ///
    /// Otherwise that is an error, unless the registration says `replacing: true`.
    public var replacesConflicts: Bool

    /// The behaviour of iStructure: letters match in any case, and a later route replaces an earlier one.
    ///
    /// Accidents of the original aren't restored: matches that begin in the middle of a path, parameters that are empty or
    /// contain slashes, queries inside parameters, and an arbitrary order of routes.
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
