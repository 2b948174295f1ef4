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
        // The targets are in the order of precedence, so the first one that matches is the winner.
        var winner: RouteTarget?
        var misses: [(depth: Int, line: String)] = []
        for target in targets {
            if let miss = miss(parts, target) {
                misses.append((miss.depth, "  - \(target.pattern): \(miss.reason)"))
            } else {
                lines.append("  + \(target.pattern): " + (winner.map { loss(of: target, to: $0) } ?? "wins"))
                winner = winner ?? target
            }
        }
        let nearest = misses.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        lines += nearest.prefix(maxMisses).map(\.element.line)
        if misses.count > maxMisses { lines.append("  and \(misses.count - maxMisses) more that fail earlier") }
        return lines.joined(separator: "\n")
    }

    /// Returns the place at which a matching route loses to the winner.
    private func loss(of target: RouteTarget, to winner: RouteTarget) -> String {
        let segments = Array(zip(path(of: target), path(of: winner)))
        let authorityCount = target.pattern.authority == nil ? 0 : 2
        let index = segments.firstIndex { RouteRank($0, options.types) != RouteRank($1, options.types) }
        guard let index, index >= authorityCount else { return "loses by its scheme and host" }
        return "loses at segment \(index - authorityCount + 1), where \(segments[index].1.label) goes first"
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
