/// How a router reads patterns and paths.
public struct RouterOptions: Sendable {
    /// What a slash at the end of a path means.
    public enum TrailingSlash: Sendable, Hashable {
        /// One slash at the end of a path or pattern makes no difference.
        case ignored
        /// `/notes` and `/notes/` are different paths.
        case strict
    }

    /// Whether literal text distinguishes small and capital letters; only ASCII letters are ever made equal.
    public var isCaseSensitive: Bool
    /// What a slash at the end of a path means; ignored by default.
    public var trailingSlash: TrailingSlash
    /// Whether empty segments are passed over, so that `//notes///5` is `/notes/5`.
    public var collapsesSlashes: Bool
    /// What `+` stands for in a query.
    public var queryEncoding: RouteQuery.Encoding
    /// Parameter types beside the built-in ones; where two have the same name the last counts.
    ///
    /// At the same place in a path they are tried in this order, before the built-in ones.
    public var types: [RouteParameterType]
    /// How much of a path and of the table is looked at.
    package var limits: RouteLimits
    /// Whether a route that matches the same paths as an earlier one silently takes its place.
    ///
    /// Otherwise that is an error, unless the registration says `replacing: true`.
    public var replacesConflicts: Bool

    /// The reading of the original, iStructure: letters in any case, and a later route replaces an earlier one.
    ///
    /// What the original did by accident is not brought back: matches that begin in the middle of a path, parameters
    /// that are empty or hold slashes, queries inside parameters, and an order of routes that nobody chose.
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
