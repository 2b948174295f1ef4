internal import AshlarCore

/// One read of a configuration.
public struct ConfigAccess: Sendable, Hashable {
    /// The key as it was asked for.
    public let key: String
    /// Whether there is such a value.
    public let isFound: Bool
}

/// Records which values of a snapshot have been read, and reports reads.
final class ConfigAccessTracker: Sendable {
    private let isRead: Mutex<[Bool]>
    let report: (@Sendable (ConfigAccess) -> Void)?
    let remark: (@Sendable (ConfigDiagnostic) -> Void)?

    init(
        nodes: Int, report: (@Sendable (ConfigAccess) -> Void)?, remark: (@Sendable (ConfigDiagnostic) -> Void)?
    ) {
        isRead = Mutex([Bool](repeating: false, count: nodes))
        self.report = report
        self.remark = remark
    }

    func note(_ node: Int) { isRead.withLock { $0[node] = true } }

    /// For each node, whether it has been read.
    var readNodes: [Bool] { isRead.withLock { $0 } }
}

extension ConfigSnapshot {
    /// Notes that a value was read, if somebody wants to know.
    @inline(__always)
    func note(_ node: Int) {
        if let tracker { tracker.note(node) }
    }

    @inline(__always)
    func note(_ node: Int?, _ key: @autoclosure () -> String) {
        guard let tracker else { return }
        if let node { tracker.note(node) }
        tracker.report?(ConfigAccess(key: key(), isFound: node != nil))
    }
}

extension ApplicationConfig {
    /// The configuration with a memory of what is read from it, which its copies share.
    ///
    /// Costs nothing where it is not used. `report` runs on the reading thread at each read by key, without any lock;
    /// it is given keys, never values. `remark` is told when a default takes the place of a malformed value, once for
    /// each key and type; ``diagnostics`` keeps the same remarks.
    ///
    /// - Complexity: O(*n*) in the number of values.
    public func trackingAccess(
        report: (@Sendable (ConfigAccess) -> Void)? = nil, remark: (@Sendable (ConfigDiagnostic) -> Void)? = nil
    ) -> ApplicationConfig {
        trackingAccess(report: report, remark: remark, keeping: nil)
    }

    /// The same, with what was read from an older configuration noted as read.
    func trackingAccess(
        report: (@Sendable (ConfigAccess) -> Void)?, remark: (@Sendable (ConfigDiagnostic) -> Void)?,
        keeping old: ApplicationConfig?
    ) -> ApplicationConfig {
        let tracker = ConfigAccessTracker(nodes: snapshot.tree.nodes.count, report: report, remark: remark)
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

    /// The paths of the values that were not read since ``trackingAccess(report:remark:)``; `nil` if reads are not tracked.
    ///
    /// Reading a dictionary or an array reads all in it. Sections of bundle identifiers count as read.
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
        // What was removed at run time is not there to be read.
        return (overlay == nil ? unused : unused.filter { locate($0) != nil }).sorted()
    }
}
