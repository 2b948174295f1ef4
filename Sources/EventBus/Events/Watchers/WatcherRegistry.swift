/// Watchers by increasing registration number, with gaps for cancelled watchers.
struct WatcherRegistry: Sendable {
    private(set) var entries: ContiguousArray<(id: UInt64, watcher: Watcher?)> = []
    private(set) var liveCount = 0
    /// The number of watchers at which those whose source or owner has been released should be removed.
    private var sweepAt = 64

    var live: some Sequence<Watcher> { entries.lazy.compactMap(\.watcher) }

    /// Adds a watcher whose number is greater than all earlier ones; returns whether to remove ended watchers.
    mutating func append(_ watcher: Watcher) -> Bool {
        entries.append((watcher.id, watcher))
        liveCount += 1
        guard liveCount >= sweepAt else { return false }
        sweepAt = liveCount * 2
        return true
    }

    mutating func didSweep() { sweepAt = max(64, liveCount * 2) }

    private func index(of id: UInt64) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }

    subscript(id: UInt64) -> Watcher? { index(of: id).flatMap { entries[$0].watcher } }

    /// Removes a watcher, which the caller releases outside all locks.
    ///
    /// - Complexity: O(log *n*), amortized.
    mutating func remove(_ id: UInt64) -> Watcher? {
        guard let index = index(of: id), let watcher = entries[index].watcher else { return nil }
        entries[index].watcher = nil
        liveCount -= 1
        if liveCount == 0 {
            entries = []
        } else if entries.count >= 16, liveCount < entries.count / 2 {
            entries.removeAll { $0.watcher == nil }
        }
        return watcher
    }
}

/// The watchers of patterns, by the segments of the patterns.
///
/// To match a name, all paths with its segments are walked at the same time. The cost depends on the number of patterns
/// that share a prefix with the name, not on the total number.
struct PatternTrie: Sendable {
    private struct Node: Sendable {
        var children: [ArraySlice<UInt8>: Int] = [:]
        /// The node of a `*`.
        var star: Int?
        /// The watchers of patterns that end here, and of patterns that end here with a `**`.
        var ends = WatcherRegistry()
        var tails = WatcherRegistry()
    }

    private var nodes = [Node()]
    private var count = 0
    private var removedCount = 0

    /// Whether most nodes can be empty, so that the trie should be built again.
    var isSparse: Bool { removedCount > 64 && removedCount > count }

    var nodeCount: Int { nodes.count }

    /// Adds a watcher whose number is greater than all earlier ones.
    ///
    /// - Complexity: O(*n*) in the number of segments.
    mutating func insert(_ watcher: Watcher, _ pattern: TopicPattern?) {
        guard let pattern else { return }
        var node = 0
        for segment in pattern.segments {
            if let known = child(of: node, segment) {
                node = known
                continue
            }
            nodes.append(Node())
            if let segment {
                nodes[node].children[segment[...]] = nodes.count - 1
            } else {
                nodes[node].star = nodes.count - 1
            }
            node = nodes.count - 1
        }
        _ = pattern.hasTail ? nodes[node].tails.append(watcher) : nodes[node].ends.append(watcher)
        count += 1
    }

    /// Removes a watcher; empty nodes remain.
    ///
    /// - Complexity: O(log *n*) in the number of watchers of the pattern.
    mutating func remove(_ id: UInt64, _ pattern: TopicPattern?) {
        guard let pattern else { return }
        var node = 0
        for segment in pattern.segments {
            guard let known = child(of: node, segment) else { return }
            node = known
        }
        _ = nodes[node].ends.remove(id)
        _ = nodes[node].tails.remove(id)
        count -= 1
        removedCount += 1
    }

    /// Returns whether exactly this pattern has a watcher.
    func isWatched(_ pattern: TopicPattern) -> Bool {
        var node = 0
        for segment in pattern.segments {
            guard let known = child(of: node, segment) else { return false }
            node = known
        }
        return (pattern.hasTail ? nodes[node].tails : nodes[node].ends).liveCount > 0
    }

    private func child(of node: Int, _ segment: [UInt8]?) -> Int? {
        guard let segment else { return nodes[node].star }
        return nodes[node].children[segment[...]]
    }

    /// Returns the watchers whose pattern matches a name, in any order.
    func watchers(of name: String) -> [Watcher] {
        guard count > 0 else { return [] }
        var found = Array(nodes[0].tails.live)
        var open = [0]
        for segment in Array(name.utf8).split(separator: TopicName.separator, omittingEmptySubsequences: false) {
            var next: [Int] = []
            for node in open {
                if let child = nodes[node].children[segment] { next.append(child) }
                if let star = nodes[node].star, !segment.isEmpty { next.append(star) }
            }
            for node in next { found += nodes[node].tails.live }
            if next.isEmpty { return found }
            open = next
        }
        for node in open { found += nodes[node].ends.live }
        return found
    }
}
