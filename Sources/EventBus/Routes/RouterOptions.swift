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

/// The limits for paths, beside those for patterns; a URL over its limit in bytes is rejected in constant time.
package enum RouteLimits {
    /// The maximum length of a percent-encoded path in bytes.
    package static let pathBytes = 8192
    /// The maximum length of scheme, host, query and fragment together in bytes.
    package static let otherBytes = 16_384
    /// The maximum number of literals and parameters that one match tries.
    ///
    /// Each is tried at most once, so only a table with many overlapping patterns can reach the limit.
    package static let steps = 65_536
}
