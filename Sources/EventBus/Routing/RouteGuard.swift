/// The decision of a guard about a navigation.
public enum GuardDecision: Sendable {
    /// The navigation continues with the next guard or its route.
    case allow
    /// The navigation continues with another URL and the same options.
    case redirect(String)
    /// The navigation fails, with a reason if there is one.
    case deny(reason: (any Error)? = nil)
}

/// A check that runs before the routes under a prefix; a guard is its own watch.
final class RouteGuard: WatchHost {
    let pattern: RoutePattern
    weak let router: Router?
    let check: @Sendable (Navigation) async throws -> GuardDecision
    /// Matches the prefix itself and all paths below it.
    private let table: RouteTable

    init(
        _ prefix: String, router: Router,
        check: @escaping @Sendable (Navigation) async throws -> GuardDecision
    ) throws(EventBusError) {
        // A slash at the end must not bypass a guard, so slashes are segments here, and the prefix covers them.
        var options = router.options
        options.trailingSlash = .strict
        let pattern = try RoutePattern(prefix, types: options.types, limits: options.limits)
        options.limits.segments += 1
        var tree = RouteTree(options)
        _ = try tree.insert(pattern.andBelow, replacing: true)
        (self.pattern, self.router, self.check, table) = (pattern, router, check, RouteTable(tree))
    }

    var watched: String { pattern.source }

    func belongs(to owner: AnyObject) -> Bool { router === owner }

    func cancel(_ id: UInt64) -> Bool { router?.remove(self) ?? false }

    func isLive(_ id: UInt64) -> Bool { router?.holds(self) ?? false }

    /// The number of segments of the prefix; guards with fewer segments run first.
    var depth: Int { pattern.variants.map(\.segments.count).min() ?? 0 }

    /// Returns whether a match is under the prefix; a prefix without a host covers the paths of all hosts.
    func covers(_ match: RouteMatch) -> Bool {
        table.contains(pattern.authority == nil ? match.path : match.url)
    }
}

extension RoutePattern {
    /// The patterns for a prefix: itself, itself with a slash at the end, and all paths below it.
    fileprivate var andBelow: RoutePattern {
        var result: [RouteVariant] = []
        for var variant in variants {
            if variant.segments.last?.kind == .catchAll {
                result.append(variant)
                continue
            }
            let end = variant.text.count
            let slash = RouteSegment(start: end)
            if variant.segments.last?.isEmpty == true { variant.segments.removeLast() }
            result.append(variant)
            variant.segments.append(slash)
            result.append(variant)
            variant.segments[variant.segments.count - 1].kind = .catchAll
            variant.names.append("*")
            result.append(variant)
        }
        return RoutePattern(copying: self, variants: result)
    }
}
