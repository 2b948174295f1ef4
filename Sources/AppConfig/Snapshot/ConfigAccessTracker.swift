internal import AshlarCore

/// One read of a configuration.
public struct ConfigAccess: Sendable, Hashable {
    /// The key as requested.
    public let key: String
    /// Whether the value exists.
    public let isFound: Bool
}

/// Records the reads of a snapshot, and reports them.
final class ConfigAccessTracker: Sendable {
    private let isRead: Mutex<[Bool]>
    let report: (@Sendable (ConfigAccess) -> Void)?
    let diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?

    init(
        nodes: Int, report: (@Sendable (ConfigAccess) -> Void)?, diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?
    ) {
        isRead = Mutex([Bool](repeating: false, count: nodes))
        self.report = report
        self.diagnostic = diagnostic
    }

    func note(_ node: Int) { isRead.withLock { $0[node] = true } }

    /// Whether each node has been read.
    var readNodes: [Bool] { isRead.withLock { $0 } }
}

extension ConfigSnapshot {
    /// Records a read, if reads are tracked.
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
