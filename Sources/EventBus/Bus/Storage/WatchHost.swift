/// An object that watches are registered with: a topic on a bus, the patterns of a bus, a route.
///
/// Unchecked because it has subclasses: each guards its state with its own lock.
@usableFromInline
class WatchHost: @unchecked Sendable {
    /// What is watched, as the watcher wrote it: the name of a topic, a pattern, `**` for everything.
    @usableFromInline final let watched: String

    /// The bus, unless it is gone or the watches are of something else.
    weak let bus: EventBus?

    init(watched: String, bus: EventBus?) { (self.watched, self.bus) = (watched, bus) }

    /// Cancels a watch; returns whether it was live.
    ///
    /// What it held is released before this returns, unless a trigger is just going through it.
    func cancel(_ id: UInt64) -> Bool { preconditionFailure("abstract") }

    /// Whether the watch still receives events.
    func isLive(_ id: UInt64) -> Bool { preconditionFailure("abstract") }

    /// The watcher behind a live watch.
    func watcher(_ id: UInt64) -> Watcher? { nil }
}

/// Watchers by growing registration number, with holes where some were cancelled.
struct WatcherRegistry: Sendable {
    private(set) var entries: ContiguousArray<(id: UInt64, watcher: Watcher?)> = []
    private(set) var liveCount = 0

    var live: some Sequence<Watcher> { entries.lazy.compactMap(\.watcher) }

    /// Adds a watcher whose number is above all before it.
    mutating func append(_ watcher: Watcher) {
        entries.append((watcher.id, watcher))
        liveCount += 1
    }

    private func index(of id: UInt64) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }

    subscript(id: UInt64) -> Watcher? { index(of: id).flatMap { entries[$0].watcher } }

    /// Takes a watcher out, for the caller to release once no lock is held.
    ///
    /// - Complexity: O(log *n*), amortised.
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

    /// Takes everything out, for the caller to release once no lock is held.
    mutating func removeAll() -> [Watcher] {
        defer { (entries, liveCount) = ([], 0) }
        return entries.compactMap(\.watcher)
    }
}
