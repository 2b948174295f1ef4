/// What a guard says about a navigation.
public enum NavigationVerdict: Sendable {
    /// The navigation goes on, to the next guard or to its route.
    case allow
    /// The navigation goes to another URL instead, with the same options.
    case redirect(String)
    /// The navigation fails, with this reason if there is one.
    case deny(reason: (any Error)? = nil)
}

/// A check that runs before the routes under a prefix.
final class RouteGuard: Sendable {
    let pattern: RoutePattern
    let check: @Sendable (Navigation) async throws -> NavigationVerdict
    /// Matches the prefix itself and whatever follows it.
    private let table: RouteTable

    init(
        _ prefix: String, options: RouterOptions,
        check: @escaping @Sendable (Navigation) async throws -> NavigationVerdict
    ) throws(EventBusError) {
        // A trailing slash must never be a way around a guard.
        var options = options
        options.trailingSlash = .ignored
        let pattern = try RoutePattern(prefix, types: options.types, limits: options.limits)
        var table = RouteTable(options: options)
        _ = try table.insert(pattern, route: nil, replacing: true)
        if let below = pattern.anythingBelow { _ = try table.insert(below, route: nil, replacing: true) }
        (self.pattern, self.check, self.table) = (pattern, check, table)
    }

    /// How far out the guard stands: the fewer segments, the earlier it is asked.
    var depth: Int { pattern.variants.map(\.segments.count).min() ?? 0 }

    /// Whether a match lies under the prefix; a prefix without a host covers the paths of all hosts.
    func covers(_ match: RouteMatch) -> Bool {
        table.contains(pattern.authority == nil ? match.path : match.url)
    }
}

extension RoutePattern {
    /// The pattern with a catch-all after each variant that has none, for matching prefixes; nil if all have one.
    fileprivate var anythingBelow: RoutePattern? {
        let open = variants.filter { $0.segments.last?.kind != .catchAll }
        guard !open.isEmpty else { return nil }
        return RoutePattern(
            copying: self,
            variants: open.map { variant in
                var variant = variant
                // A slash at the end of the prefix is no segment to wait for.
                if let last = variant.segments.last, last.kind == .literal, last.prefix.isEmpty {
                    variant.segments.removeLast()
                }
                let end = variant.text.count
                variant.segments.append(RouteSegment(kind: .catchAll, prefix: end..<end, suffix: end..<end))
                variant.names.append("*")
                return variant
            })
    }
}
