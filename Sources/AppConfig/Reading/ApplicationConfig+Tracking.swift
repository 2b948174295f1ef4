extension ApplicationConfig {
    /// Returns a copy that records reads; copies of it share the record.
    ///
    /// `report` is called on the reading thread for every read by key, without a lock. It receives keys, never values.
    /// `diagnostic` is called when a default replaces a malformed value, once for each key and type.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func trackingAccess(
        report: (@Sendable (ConfigAccess) -> Void)? = nil, diagnostic: (@Sendable (ConfigDiagnostic) -> Void)? = nil
    ) -> ApplicationConfig {
        trackingAccess(report: report, diagnostic: diagnostic, keeping: nil)
    }

    /// Returns a copy that records reads, with the values that were read from an older configuration marked as read.
    func trackingAccess(
        report: (@Sendable (ConfigAccess) -> Void)?, diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?,
        keeping old: ApplicationConfig?
    ) -> ApplicationConfig {
        let tracker = ConfigAccessTracker(nodes: snapshot.tree.nodes.count, report: report, diagnostic: diagnostic)
        if let old, let known = old.snapshot.tracker {
            let tree = old.snapshot.tree
            let isRead = known.readNodes
            for node in tree.nodes.indices where isRead[node] {
                if let same = snapshot.find(tree.path(of: node).components) { tracker.note(same) }
            }
        }
        var config = self
        config.snapshot = ConfigSnapshot(snapshot, context: snapshot.context, tracker: tracker)
        return config
    }

    /// The paths of the values that haven't been read since ``trackingAccess(report:diagnostic:)``; `nil` without
    /// tracking.
    ///
    /// Reading a dictionary or an array also reads its descendants. Sections of bundle identifiers aren't included.
    public func unusedKeys() -> [ConfigPath]? {
        guard let tracker = snapshot.tracker else { return nil }
        let tree = snapshot.tree
        let isRead = tracker.readNodes
        if isRead[0] { return [] }
        var unused: [ConfigPath] = []
        var node = 1
        while node < tree.nodes.count {
            let end = Int(tree.nodes[node].end)
            let isDictionary = tree.kind(of: node) == .dictionary && tree.count(of: node) > 0
            let isSection = isDictionary && snapshot.context.isSection(node, of: tree)
            if isRead[node] || isSection {
                node = end
            } else if isDictionary {
                node += 1
            } else {
                if !tree.descendants(of: node).contains(where: { isRead[$0] }) { unused.append(tree.path(of: node)) }
                node = end
            }
        }
        // Values removed at run time can't be read.
        return (overlay == nil ? unused : unused.filter { locate($0) != nil }).sorted()
    }
}

extension ApplicationConfig {
    /// The closure that receives the evaluations of flags.
    package var flagReport: (@Sendable (any Sendable) -> Void)? { snapshot.context.flagReport }

    /// Returns a copy that reports the evaluations of flags.
    package func reportingFlags(to report: @escaping @Sendable (any Sendable) -> Void) -> ApplicationConfig {
        var context = snapshot.context
        context.flagReport = report
        var config = self
        config.snapshot = ConfigSnapshot(snapshot, context: context, tracker: snapshot.tracker)
        return config
    }
}
