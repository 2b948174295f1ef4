/// The live watches of a bus at one moment, with their source locations.
public struct EventBusReport: Sendable, CustomStringConvertible {
    /// One watch.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// What is watched: the name of a topic or a pattern.
        public let watched: String
        /// Where the watch was made.
        public let location: EventLocation
        /// The type of the owner or actor; nil if the watch has none.
        public let owner: String?
        /// Whether only events from one object are taken.
        public let hasSource: Bool
        /// The priority of the watch.
        public let priority: Int
        /// Whether the owner or the source is gone, so that the watch waits to be cleared away.
        public let isDead: Bool
        /// Whether the same owner has made the same watch on the same line before: its handler runs twice.
        public let isDuplicate: Bool

        /// The watch in one line.
        public var description: String {
            var text = "\(watched)  \(owner ?? "no owner")  \(location)"
            if hasSource { text += "  one source" }
            if priority != 0 { text += "  priority \(priority)" }
            if isDead { text += "  DEAD" }
            if isDuplicate { text += "  DUPLICATE" }
            return text
        }
    }

    /// The watches by what they watch, then in the order of their creation.
    public let entries: [Entry]
    /// The number of topics that have a slot on the bus.
    public let topicCount: Int

    /// The watches that nothing ends but a call of `cancel`: candidates for leaks.
    public var ownerless: [Entry] { entries.filter { $0.owner == nil } }

    /// The watches whose owner or source is gone.
    public var dead: [Entry] { entries.filter(\.isDead) }

    /// The watches that repeat another one.
    public var duplicates: [Entry] { entries.filter(\.isDuplicate) }

    /// One line for each watch.
    public var description: String { entries.map { $0.description + "\n" }.joined() }
}

extension EventBus {
    /// Returns the live watches of now.
    ///
    /// - Complexity: O(*n* log *n*) in the number of watches.
    public func report() -> EventBusReport {
        let slots = slots.all
        let found =
            slots.flatMap { slot in slot.watchers.map { (slot.name, $0) } }
            + wide.watchers.map { ($0.details?.pattern?.description ?? "**", $0) }
        var seen: Set<WatchKey> = []
        let entries = found.filter { $0.1.isLive }
            .sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
            .map { watched, watcher in
                let key = WatchKey(
                    watched: watched, location: watcher.location, owner: watcher.details?.ownerID,
                    source: watcher.details?.sourceID)
                let isFirst = seen.insert(key).inserted
                return EventBusReport.Entry(
                    watched: watched, location: watcher.location,
                    owner: watcher.details?.ownerType.map { String(describing: $0) },
                    hasSource: watcher.details?.sourceID != nil, priority: Int(watcher.priority),
                    isDead: watcher.isOrphan, isDuplicate: !isFirst)
            }
        return EventBusReport(entries: entries, topicCount: slots.count)
    }

}

private struct WatchKey: Hashable {
    let watched: String
    let location: EventLocation
    let owner: ObjectIdentifier?
    let source: ObjectIdentifier?
}
