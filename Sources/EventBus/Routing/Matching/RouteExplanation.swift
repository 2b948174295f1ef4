/// Explains the match of a URL: the winning route, the other matching routes, and the closest other routes.
public struct RouteExplanation: Sendable, CustomStringConvertible {
    /// A route and its result.
    package struct Candidate: Sendable {
        /// The pattern of the route.
        package let pattern: String
        /// Whether the pattern matches the URL, even if another route wins.
        package let isMatch: Bool
        /// The reason why the route won, lost or didn't match.
        package let reason: String
    }

    /// The URL.
    package let url: String
    /// The match; nil if there is none.
    public let match: RouteMatch?
    /// The error of the match; nil if there is a match.
    package let error: EventBusError?
    /// The matching routes, the winner first, then the routes that fail last in the path.
    package let candidates: [Candidate]
    /// The number of routes that fail earlier than the listed ones.
    package let othersCount: Int
    /// The prefixes of the guards that a navigation would ask, in order.
    package internal(set) var guards: [String] = []

    /// The explanation, with one line for each candidate.
    public var description: String {
        var lines = ["\(url)"]
        if let match {
            lines[0] += " -> \(match.pattern)" + (match.parameters.isEmpty ? "" : "  \(match.parameters)")
        } else if let error {
            lines[0] += " -> \(error.code)" + (error.offset.map { " at byte \($0)" } ?? "")
        }
        for candidate in candidates {
            lines.append("  \(candidate.isMatch ? "+" : "-") \(candidate.pattern): \(candidate.reason)")
        }
        if othersCount > 0 { lines.append("  and \(othersCount) more that fail earlier") }
        if !guards.isEmpty { lines.append("  guards: \(guards.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }
}

extension RouteTable {
    /// Explains the match of a URL: the winning route, the other matching routes, and the closest other routes.
    ///
    /// ```swift
    /// let table = try RouteTable(["/notes/new", "/notes/:id(int)", "/notes/:name"])
    /// print(table.explain("/notes/new"))
    /// // /notes/new -> /notes/new
    /// //   + /notes/new: wins
    /// //   + /notes/:name: loses at segment 2, where a literal goes before a plain parameter
    /// //   - /notes/:id(int): segment 2, "new", does not fit :id(int)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - maxCandidates: The maximum number of listed routes that don't match.
    /// - Returns: The explanation.
    /// - Complexity: O(*n*) in the number of routes.
    public func explain(_ url: String, maxCandidates: Int = 5) -> RouteExplanation {
        var finding = RouteTree.Finding()
        let failure = tree.search(url, &finding)
        let match = tree.target(of: finding).map {
            RouteMatch(url: url, target: $0, finding, queryEncoding: options.queryEncoding)
        }
        if let failure, case .notFound = failure {
        } else if let failure {
            return RouteExplanation(url: url, match: nil, error: failure.error(url), candidates: [], othersCount: 0)
        }
        var hits: [(target: RouteTarget, ranks: [RouteRank])] = []
        var misses: [(depth: Int, candidate: RouteExplanation.Candidate)] = []
        for target in tree.liveTargets {
            if let miss = miss(url, target) {
                misses.append((miss.depth, .init(pattern: target.pattern.source, isMatch: false, reason: miss.reason)))
            } else {
                let variant = target.pattern.variants[target.variant]
                hits.append((target, variant.ranks(tree.types, foldsCase: tree.options.foldsCase)))
            }
        }
        hits.sort { a, b in
            a.target === match?.target
                || b.target !== match?.target && a.ranks.lexicographicallyPrecedes(b.ranks)
        }
        let winner = hits.first?.ranks ?? []
        var candidates = hits.enumerated().map { index, hit in
            RouteExplanation.Candidate(
                pattern: hit.target.pattern.source, isMatch: true,
                reason: index == 0 ? "wins" : Self.loss(hit.ranks, to: winner))
        }
        // Equal routes are listed in the order of registration.
        let nearest = misses.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        candidates += nearest.prefix(max(0, maxCandidates)).map(\.element.candidate)
        return RouteExplanation(
            url: url, match: match, error: failure?.error(url), candidates: candidates,
            othersCount: max(0, misses.count - max(0, maxCandidates)))
    }

    private static func loss(_ ranks: [RouteRank], to winner: [RouteRank]) -> String {
        guard let index = zip(ranks, winner).enumerated().first(where: { $1.1 < $1.0 })?.offset else {
            return "loses by its scheme and host"
        }
        let (mine, theirs) = (ranks[index].kind, winner[index].kind)
        return mine == theirs
            ? "loses at segment \(index + 1), where more text or a narrower type goes first"
            : "loses at segment \(index + 1), where \(theirs.text) goes before \(mine.text)"
    }

    /// Returns the reason why a route doesn't match, and the number of matching segments; nil if it matches.
    ///
    /// The matcher itself determines the result, with a tree that contains only this route.
    private func miss(_ url: String, _ target: RouteTarget) -> (depth: Int, reason: String)? {
        var variant = target.pattern.variants[target.variant]
        var alone = RouteTree(options)
        guard let place = alone.place(of: variant, target.pattern.authority, adding: true) else { return nil }
        alone.set(target, at: place)
        var finding = RouteTree.Finding()
        guard alone.search(url, &finding) != nil else { return nil }
        let hasAuthority = finding.parts.hasAuthority
        guard let wanted = target.pattern.authority else {
            if hasAuthority { return (-1, "is for paths without scheme and host") }
            return mismatch(url, &variant, finding.reached)
        }
        guard hasAuthority, finding.reached >= 2 else { return (-1, "is for URLs of \(wanted.text)") }
        return mismatch(url, &variant, finding.reached - 2)
    }

    private func mismatch(_ url: String, _ variant: inout RouteVariant, _ index: Int) -> (depth: Int, reason: String) {
        variant.trim(tree.options)
        guard index < variant.segments.count else { return (index, "the path goes on after segment \(index)") }
        let (kind, label) = (variant.segments[index].kind, variant.label(index))
        let segments = segments(of: url)
        guard index < segments.count else {
            return (index, "the path ends before segment \(index + 1), \(label)")
        }
        let found = "segment \(index + 1), \"\(RouteMatch.decoded(url, segments[index]))\","
        switch kind {
        case .literal: return (index, "\(found) is not \(label.isEmpty ? "empty" : label)")
        case .parameter: return (index, "\(found) does not fit \(label)")
        case .catchAll: return (index, "nothing is left for \(label)")
        }
    }

    /// Returns the ranges of the segments of a URL.
    private func segments(of url: String) -> [Range<Int>] {
        let bytes = Array(url.utf8)
        return withUnsafeTemporaryAllocation(of: RouteStep.self, capacity: tree.limits.segments + 3) { row in
            bytes.withUnsafeBufferPointer { bytes in
                var steps = row.mutableSpan
                var parts = RouteURL()
                do {
                    try parts.split(bytes.span, options: tree.options, limits: tree.limits, into: &steps)
                } catch { return [] }
                return row[(parts.hasAuthority ? 2 : 0)..<parts.stepCount].map {
                    Int($0.start)..<Int($0.start + $0.length)
                }
            }
        }
    }
}
