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
        let topics = allTopics
        let found =
            topics.flatMap { topic in topic.watchers.map { (topic.name, $0) } }
            + patterns.watchers.map { ($0.details?.pattern?.description ?? "**", $0) }
        var seen: Set<WatchKey> = []
        let entries = found.filter { $0.1.isLive }
            .sorted { a, b in
                a.0.hasSameBytes(as: b.0) ? a.1.id < b.1.id : a.0.utf8.lexicographicallyPrecedes(b.0.utf8)
            }
            .map { watched, watcher in
                let key = WatchKey(
                    watched: ByteText(watched), location: watcher.location, owner: watcher.details?.ownerID,
                    source: watcher.details?.sourceID)
                let isFirst = seen.insert(key).inserted
                return EventBusReport.Entry(
                    watched: watched, location: watcher.location,
                    owner: watcher.details?.ownerType.map { String(describing: $0) },
                    hasSource: watcher.details?.sourceID != nil, priority: Int(watcher.priority),
                    isDead: watcher.isOrphan, isDuplicate: !isFirst)
            }
        return EventBusReport(entries: entries, topicCount: topics.count)
    }
}

private struct WatchKey: Hashable {
    let watched: ByteText
    let location: EventLocation
    let owner: ObjectIdentifier?
    let source: ObjectIdentifier?
}
