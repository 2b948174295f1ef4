/// The options for matching patterns and paths.
public struct RouterOptions: Sendable {
    /// Whether matching distinguishes lowercase and uppercase ASCII letters; other letters are always distinguished.
    public var isCaseSensitive: Bool
    /// Whether one slash at the end of a path or pattern is ignored, so that `/notes/` equals `/notes`; true by default.
    public var ignoresTrailingSlash: Bool
    /// Whether empty segments are ignored, so that `//notes///5` equals `/notes/5`.
    public var collapsesSlashes: Bool
    /// Whether `+` in a query is a space, as in HTML forms, and not a plus sign, as in the rest of a URL.
    public var plusIsSpace: Bool
    /// Parameter types in addition to the built-in types; for duplicate names, the last type wins.
    ///
    /// They are tried in this order, before the built-in types.
    public var types: [RouteParameterType]
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
        isCaseSensitive: Bool = true, ignoresTrailingSlash: Bool = true, collapsesSlashes: Bool = false,
        plusIsSpace: Bool = false, types: [RouteParameterType] = [], replacesConflicts: Bool = false
    ) {
        self.isCaseSensitive = isCaseSensitive
        self.ignoresTrailingSlash = ignoresTrailingSlash
        self.collapsesSlashes = collapsesSlashes
        self.plusIsSpace = plusIsSpace
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
