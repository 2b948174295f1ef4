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

    /// The explained URL, as passed.
    let url: String
    /// The match; nil if there is none.
    public internal(set) var match: RouteMatch?
    /// The error of the match; nil if there is a match.
    package internal(set) var error: EventBusError?
    /// The matching routes, the winner first, then the routes that fail last in the path.
    package internal(set) var candidates: [Candidate] = []
    /// The number of routes that fail earlier than the listed ones.
    var othersCount = 0
    /// The prefixes of the guards that a navigation would ask, in order.
    package internal(set) var guards: [String] = []

    init(_ url: String) { self.url = url }

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
    /// - Complexity: O(*n* log *n*) in the number of routes.
    public func explain(_ url: String, maxCandidates: Int = 5) -> RouteExplanation {
        var explanation = RouteExplanation(url)
        do {
            explanation.match = try match(url)
        } catch {
            explanation.error = error
            if error.code != .routeNotFound { return explanation }
        }
        guard let parts = try? RouteURL.parse(url, options) else { return explanation }
        // The targets are in the order of precedence, so the first hit is the winner.
        var hits: [RouteTarget] = []
        var misses: [(depth: Int, candidate: RouteExplanation.Candidate)] = []
        for target in targets {
            let pattern = target.pattern.source
            if let miss = miss(parts, target) {
                misses.append((miss.depth, .init(pattern: pattern, isMatch: false, reason: miss.reason)))
            } else {
                hits.append(target)
                let reason = hits.count == 1 ? "wins" : loss(of: target, to: hits[0])
                explanation.candidates.append(.init(pattern: pattern, isMatch: true, reason: reason))
            }
        }
        let nearest = misses.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        explanation.candidates += nearest.prefix(max(0, maxCandidates)).map(\.element.candidate)
        explanation.othersCount = max(0, misses.count - max(0, maxCandidates))
        return explanation
    }

    /// Returns the reason why a matching route isn't the winner.
    private func loss(of target: RouteTarget, to winner: RouteTarget) -> String {
        let ranks = zip(path(of: target), path(of: winner)).map {
            (mine: RouteRank($0, options.types), winning: RouteRank($1, options.types))
        }
        let authorityCount = target.pattern.authority == nil ? 0 : 2
        guard let index = ranks.firstIndex(where: { $0.mine != $0.winning }), index >= authorityCount else {
            return "loses by its scheme and host"
        }
        let (mine, winning) = (ranks[index].mine.kind, ranks[index].winning.kind)
        return "loses at segment \(index - authorityCount + 1), where "
            + (mine == winning
                ? "more text or a narrower type goes first" : "\(winning.text) goes before \(mine.text)")
    }

    /// Returns the reason why a route doesn't match, and the number of matching segments; nil if it matches.
    ///
    /// The matcher itself determines the result, with a tree that contains only this route.
    private func miss(_ url: RouteURL, _ target: RouteTarget) -> (depth: Int, reason: String)? {
        let (path, authority) = (path(of: target), target.pattern.authority)
        if authority == nil, url.hasAuthority { return (-1, "is for paths without scheme and host") }
        var alone = RouteNode()
        alone.set(target, at: path, options.types)
        var search = RouteSearch(url)
        let isMatch = url.hasAuthority == (authority != nil) && (try? search.find(from: alone)) != nil
        if isMatch { return nil }
        let depth = search.reached - (authority == nil ? 0 : 2)
        if let authority, depth < 0 { return (-1, "is for URLs of \(authority.text)") }
        guard search.reached < path.count else { return (depth, "the path goes on after segment \(depth)") }
        let wanted = path[search.reached]
        guard search.reached < url.matchedCount else {
            return (depth, "the path ends before segment \(depth + 1), \(wanted.label)")
        }
        let found = "segment \(depth + 1), \"\(url.text(at: search.reached))\","
        switch wanted {
        case .literal(let text): return (depth, "\(found) is not \(text.isEmpty ? "empty" : text)")
        case .parameter: return (depth, "\(found) does not fit \(wanted.label)")
        case .catchAll: return (depth, "nothing is left for \(wanted.label)")
        }
    }

    private func path(of target: RouteTarget) -> ArraySlice<RouteSegment> {
        path(of: target.variant, in: target.pattern)
    }

    // MARK: The tree as text

    /// Returns the routes as a tree, in the order in which they are tried.
    ///
    /// Each line is a segment. At the end of a route, its pattern and the source location of its registration follow.
    ///
    /// ```swift
    /// let table = try RouteTable(["/notes{/:id(int)}", "/notes/new", "/*rest"])
    /// print(table.routesTable())
    /// // /
    /// // ├── notes            /notes{/:id(int)}
    /// // │   ├── new          /notes/new
    /// // │   └── :id(int)     /notes{/:id(int)}
    /// // └── *rest            /*rest
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of segments of all routes.
    public func routesTable() -> String {
        var lines = paths.isEmpty ? [] : [(text: "/", target: paths.target)] + self.lines(below: paths, depth: 0)
        for (_, scheme) in urls.children {
            for (_, host) in scheme.children {
                lines.append(("\(label(of: scheme, depth: 0))://\(label(of: host, depth: 1))", host.target))
                lines += self.lines(below: host, depth: 2)
            }
        }
        let width = (lines.map(\.text.count).max() ?? 0) + 4
        return lines.map { text, target in
            guard let route = target?.route else { return text }
            return text + String(repeating: " ", count: width - text.count) + route.pattern.source
                + (route.location.map { "  \($0)" } ?? "")
        }.joined(separator: "\n")
    }

    /// Returns the lines of the nodes below a node, which is reached by the first `depth` segments of its routes.
    private func lines(below node: RouteNode, depth: Int) -> [(text: String, target: RouteTarget?)] {
        let children = node.children
        return children.indices.flatMap { index in
            let (child, isLast) = (children[index].node, index == children.count - 1)
            let line = ((isLast ? "└── " : "├── ") + label(of: child, depth: depth), child.target)
            return [line]
                + lines(below: child, depth: depth + 1).map { ((isLast ? "    " : "│   ") + $0.text, $0.target) }
        }
    }

    /// Returns the text of a node's segment, with all the names that routes give to its value.
    private func label(of node: RouteNode, depth: Int) -> String {
        var labels: [String] = []
        for target in node.targets {
            let label = path(of: target)[depth].label
            if !labels.contains(bytesOf: label) { labels.append(label) }
        }
        return labels.joined(separator: "|")
    }
}
