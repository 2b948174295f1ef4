internal import AshlarCore

/// The current watches of a bus with their source locations.
package struct EventBusReport: Sendable {
    /// A watch.
    package struct Entry: Sendable, Hashable {
        /// The name of the watched topic, or the pattern.
        package let watched: String
        /// The source location of the watch.
        package let location: EventLocation
        /// The type of the owner or actor; nil if the watch has none.
        package let owner: String?
        /// Whether only events from one object are taken.
        package let hasSource: Bool
        /// The priority of the watch.
        package let priority: Int
        /// Whether the owner or the source has been released, so that the watch will be removed.
        package let isDead: Bool
        /// Whether the same owner made the same watch on the same line before, so that its handler runs twice.
        package let isDuplicate: Bool

        /// The watch as one line.
        fileprivate var line: String {
            var text = "\(watched)  \(owner ?? "no owner")  \(location)"
            if hasSource { text += "  one source" }
            if priority != 0 { text += "  priority \(priority)" }
            if isDead { text += "  DEAD" }
            if isDuplicate { text += "  DUPLICATE" }
            return text
        }
    }

    /// The watches, sorted by what they watch, then in the order of their creation.
    package let entries: [Entry]
    /// The number of topics that have an entry on the bus.
    package let topicCount: Int
}

extension EventBus {
    /// Returns the current watches with their owners and source locations, one line for each; empty if there are none.
    ///
    /// The lines are sorted by what is watched, then in the order of the watches. They mark watches whose owner or source has
    /// been released, and those that the same owner made twice on one line.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// let watch = bus.watch("network:on") { _ in }
    /// print(bus.report())  // network:on  no owner  App/Login.swift:12
    /// watch.cancel()
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of watches.
    public func report() -> String { currentWatches().entries.map { $0.line + "\n" }.joined() }

    /// Returns the current watches.
    package func currentWatches() -> EventBusReport {
        var seen: Set<WatchKey> = []
        let entries = allWatchers.filter(\.isLive)
            .sorted { ($0.watched, $0.id) < ($1.watched, $1.id) }
            .map { watcher in
                let details = watcher.details
                let key = WatchKey(
                    watched: watcher.watched, location: watcher.location, owner: details?.ownerID,
                    source: details?.sourceID)
                return EventBusReport.Entry(
                    watched: watcher.watched, location: watcher.location,
                    owner: details?.ownerType.map { String(describing: $0) }, hasSource: details?.sourceID != nil,
                    priority: Int(watcher.priority), isDead: watcher.isOrphan,
                    isDuplicate: !seen.insert(key).inserted)
            }
        return EventBusReport(entries: entries, topicCount: state.withLock { $0.topicCount })
    }
}

private struct WatchKey: Hashable {
    let watched: String
    let location: EventLocation
    let owner: ObjectIdentifier?
    let source: ObjectIdentifier?
}
