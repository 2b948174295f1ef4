extension RouteTable {
    /// Explains the match of a URL: the winning route, the other matching routes, and the closest other routes.
    ///
    /// ```swift
    /// let table = try RouteTable(["/notes/new", "/notes/:id(int)", "/notes/:name"])
    /// print(table.explain("/notes/new"))
    /// // /notes/new -> /notes/new
    /// //   + /notes/new: wins
    /// //   + /notes/:name: loses at segment 2, where new goes first
    /// //   - /notes/:id(int): segment 2, "new", is not :id(int)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - maxMisses: The maximum number of listed routes that don't match, those that fail last in the path first.
    /// - Returns: A line for the URL and its route or error, and a line for each listed route.
    /// - Complexity: O(*n* log *n*) in the number of routes.
    public func explain(_ url: String, maxMisses: Int = 5) -> String {
        var lines: [String] = []
        do {
            let match = try match(url)
            let values = match.parameters.values.isEmpty ? "" : "  \(match.parameters)"
            lines.append("\(url) -> \(match.pattern)\(values)")
        } catch {
            lines.append("\(url) -> \(error.code)" + (error.offset.map { " at byte \($0)" } ?? ""))
            if error.code != .routeNotFound { return lines[0] }
        }
        guard let parts = try? RouteURL.parse(url, options) else { return lines[0] }
        // The routes are in the order of precedence, so the first one that matches is the winner.
        var winner: Route?
        var misses: [(depth: Int, line: String)] = []
        for route in routes {
            if let miss = miss(parts, route) {
                misses.append((miss.depth, "  - \(route.pattern): \(miss.reason)"))
            } else {
                lines.append("  + \(route.pattern): " + (winner.map { loss(of: route, to: $0) } ?? "wins"))
                winner = winner ?? route
            }
        }
        let nearest = misses.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        lines += nearest.prefix(maxMisses).map(\.element.line)
        if misses.count > maxMisses { lines.append("  and \(misses.count - maxMisses) more that fail earlier") }
        return lines.joined(separator: "\n")
    }

    /// Returns the place at which a matching route loses to the winner.
    private func loss(of route: Route, to winner: Route) -> String {
        let segments = Array(zip(route.pattern.matchedPath(options), winner.pattern.matchedPath(options)))
        let index = segments.firstIndex { RouteRank($0, options.types) != RouteRank($1, options.types) } ?? 0
        let number = index + 1 - (route.pattern.authority == nil ? 0 : 2)
        return "loses at segment \(number), where \(segments[index].1.label) goes first"
    }

    /// Returns the reason why a route doesn't match, and the number of matching segments; nil if it matches.
    ///
    /// The matcher itself determines the result, with a tree that contains only this route.
    private func miss(_ url: RouteURL, _ route: Route) -> (depth: Int, reason: String)? {
        let (path, authority) = (route.pattern.matchedPath(options), route.pattern.authority)
        if authority == nil, url.hasAuthority { return (-1, "is for paths without scheme and host") }
        var alone = RouteNode()
        alone.set(route, at: path, options.types)
        var search = RouteSearch(url)
        if url.hasAuthority == (authority != nil), (try? search.find(from: alone)) != nil { return nil }
        let depth = search.reached - (authority == nil ? 0 : 2)
        if let authority, depth < 0 { return (-1, "is for URLs of \(authority.text)") }
        guard search.reached < path.count else { return (depth, "the path goes on after segment \(depth)") }
        let wanted = path[search.reached]
        guard search.reached < url.matchedCount else {
            return (depth, "the path ends before segment \(depth + 1), \(wanted.label)")
        }
        let expected = wanted.isEmpty ? "empty" : wanted.label
        return (depth, "segment \(depth + 1), \"\(url.text(at: search.reached))\", is not \(expected)")
    }
}
