/// The limits of a router for paths, queries and tables.
///
/// A path over its limit costs one comparison, whatever its length.
package struct RouteLimits: Sendable, Hashable {
    /// The most bytes of a path, counted in its encoded form; 8,192 by default.
    package var pathBytes: Int
    /// The most bytes of scheme, host, query and fragment together; 16,384 by default.
    package var otherBytes: Int
    /// The most segments of a path or pattern; 128 by default.
    package var segments: Int
    /// The most parameters of a pattern; 32 by default.
    package var parameters: Int
    /// The most places of the tree that one match may visit; 65,536 by default.
    ///
    /// Each place is visited once at most, so only a table with many overlapping patterns can come near.
    package var steps: Int

    /// Creates limits.
    ///
    /// - Precondition: All limits are positive and their sum of bytes is under 4 GiB.
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

/// The options that shape a tree and the splitting of paths for it.
struct RouteTreeOptions: Sendable, Equatable {
    var foldsCase = false
    var ignoresTrailingSlash = true
    var collapsesSlashes = false
}
