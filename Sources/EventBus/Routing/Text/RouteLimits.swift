/// The limits of a router for paths, queries and tables.
///
/// A path over its limit is rejected by one comparison.
package struct RouteLimits: Sendable, Hashable {
    /// The maximum length of a percent-encoded path in bytes; 8,192 by default.
    package var pathBytes: Int
    /// The maximum length of scheme, host, query and fragment together in bytes; 16,384 by default.
    package var otherBytes: Int
    /// The maximum number of segments of a path or pattern; 128 by default.
    package var segments: Int
    /// The maximum number of parameters of a pattern; 32 by default.
    package var parameters: Int
    /// The maximum number of nodes that one match visits; 65,536 by default.
    ///
    /// Each node is visited at most once, so only a table with many overlapping patterns can reach the limit.
    package var steps: Int

    /// Creates limits.
    ///
    /// - Precondition: All limits are positive, and the sum of the byte limits is less than 4 GiB.
    package init(
        pathBytes: Int = 8192, otherBytes: Int = 16_384, segments: Int = 128, parameters: Int = 32, steps: Int = 65_536
    ) {
        precondition(
            pathBytes > 0 && otherBytes >= 0 && segments > 0 && parameters > 0 && steps > 0,
            "Route limits must be positive")
        precondition(
            pathBytes < Int(Int32.max) && otherBytes < Int(Int32.max), "Route limits are counted in 32 bits")
        (self.pathBytes, self.otherBytes, self.segments) = (pathBytes, otherBytes, segments)
        (self.parameters, self.steps) = (parameters, steps)
    }
}

/// The options that affect the tree and the splitting of paths.
struct RouteTreeOptions: Sendable, Equatable {
    var foldsCase = false
    var ignoresTrailingSlash = true
    var collapsesSlashes = false
}
