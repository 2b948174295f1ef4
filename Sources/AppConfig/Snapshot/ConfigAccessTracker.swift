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
    let diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?

    init(
        nodes: Int, report: (@Sendable (ConfigAccess) -> Void)?, diagnostic: (@Sendable (ConfigDiagnostic) -> Void)?
    ) {
        isRead = Mutex([Bool](repeating: false, count: nodes))
        self.report = report
        self.diagnostic = diagnostic
    }

    func note(_ node: Int) { isRead.withLock { $0[node] = true } }

    /// For each node, whether it has been read.
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
