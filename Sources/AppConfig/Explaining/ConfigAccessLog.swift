import Synchronization

/// One read of a configuration.
public struct ConfigAccess: Sendable, Hashable {
    /// The key as it was asked for.
    public let key: String
    /// Whether there is such a value.
    public let isFound: Bool
}

/// Which values of a snapshot have been read, one bit for each, and who wants to hear of each read.
final class ConfigAccessTracker: Sendable {
    /// Never moved or freed before `deinit`; the words themselves are atomic.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int
    let report: (@Sendable (ConfigAccess) -> Void)?
    let remark: (@Sendable (ConfigDiagnostic) -> Void)?

    init(
        nodes: Int, report: (@Sendable (ConfigAccess) -> Void)?, remark: (@Sendable (ConfigDiagnostic) -> Void)?
    ) {
        count = (nodes + 63) / 64
        words = .allocate(capacity: count)
        for word in 0..<count { (words + word).initialize(to: Atomic(0)) }
        self.report = report
        self.remark = remark
    }

    deinit {
        words.deinitialize(count: count)
        words.deallocate()
    }

    func note(_ node: Int) {
        let bit: UInt64 = 1 << UInt64(node % 64)
        let word = words + node / 64
        if word.pointee.load(ordering: .relaxed) & bit == 0 { word.pointee.bitwiseOr(bit, ordering: .relaxed) }
    }

    func isNoted(_ node: Int) -> Bool { words[node / 64].load(ordering: .relaxed) >> UInt64(node % 64) & 1 == 1 }
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
            for node in tree.nodes.indices where known.isNoted(node) {
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
        if tracker.isNoted(0) { return [] }
        var unused: [ConfigPath] = []
        var node = 1
        while node < tree.nodes.count {
            let end = Int(tree.nodes[node].end)
            let isDictionary = tree.kind(of: node) == .dictionary && tree.count(of: node) > 0
            let isSection = isDictionary && snapshot.context.isSection(node, of: tree)
            if tracker.isNoted(node) || isSection {
                node = end
            } else if isDictionary {
                node += 1
            } else {
                let isInArrayThatWasRead = (node + 1..<max(node + 1, end)).contains { tracker.isNoted($0) }
                if !isInArrayThatWasRead { unused.append(tree.path(of: node)) }
                node = end
            }
        }
        // What was removed at run time is not there to be read.
        return (overlay == nil ? unused : unused.filter { locate($0) != nil }).sorted()
    }
}
