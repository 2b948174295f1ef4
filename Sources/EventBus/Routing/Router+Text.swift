internal import AshlarCore

extension Router {
    /// Returns the routes as a tree in the order in which they are tried; see ``RouteTable/routesTable()``.
    public func routesTable() -> String { current.routesTable() }

    /// Explains the match of a URL and the guards that would be asked; see ``RouteTable/explain(_:maxCandidates:)``.
    ///
    /// The guards aren't asked, so redirects aren't followed.
    public func explain(_ url: String, maxCandidates: Int = 5) -> RouteExplanation {
        let (table, guards) = state.withLock { (RouteTable($0.tree), $0.guards) }
        var explanation = table.explain(url, maxCandidates: maxCandidates)
        if let match = explanation.match {
            explanation.guards = guards.filter { $0.covers(match) }.map(\.pattern.source)
            explanation.guards += (match.target.route as? Route)?.guards.map(\.prefix) ?? []
        }
        return explanation
    }
}
