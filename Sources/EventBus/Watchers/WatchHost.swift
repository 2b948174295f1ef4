internal import AshlarCore

/// An object with which watches are registered: a topic on a bus, the patterns of a bus, or a route.
protocol WatchHost: AnyObject, Sendable {
    /// The watched text: the name of a topic, a pattern, or `**` for all events.
    var watched: String { get }

    /// Cancels a watch; returns whether this call ended it.
    ///
    /// The values that the handler captured are released before the method returns, unless a trigger uses them.
    func cancel(_ id: UInt64) -> Bool

    /// Returns whether the watch still receives events.
    func isLive(_ id: UInt64) -> Bool

    /// Returns the watcher of a current watch.
    func watcher(_ id: UInt64) -> Watcher?

    /// Returns whether the watches belong to a bus or a router.
    func belongs(to owner: AnyObject) -> Bool

    /// The cancelled watchers that triggers still use; nil if the host has no watchers.
    var departing: DepartingWatchers? { get }
}

extension WatchHost {
    func watcher(_ id: UInt64) -> Watcher? { nil }

    var departing: DepartingWatchers? { nil }

    /// Cancels a watch and returns the end of its last call.
    ///
    /// Returns nil if no call is running, or if the caller is the watch's own asynchronous handler.
    func depart(_ id: UInt64) -> Departure? {
        let watcher = watcher(id)
        let departure = watcher?.makeAttendance().departure
        let isInside = watcher.map { Watcher.drained.contains(ObjectIdentifier($0)) } ?? false
        _ = consume watcher
        _ = cancel(id)
        if isInside { return nil }
        return departure ?? departing?.departure(of: id)
    }
}

/// The watchers of a bus that were cancelled during a call.
///
/// They are no longer in the lists of watchers, but a caller may wait for the end of the call.
final class DepartingWatchers: Sendable {
    private let state = Mutex<[UInt64: (departure: Departure, watcher: ObjectIdentifier)]>([:])

    /// Stores a cancelled watcher's departure until the last call ends.
    func note(_ watcher: Watcher) {
        let (id, departure) = (watcher.id, watcher.makeAttendance().departure)
        state.withLock { $0[id] = (departure, ObjectIdentifier(watcher)) }
        departure.whenOver { [weak self] in self?.forget(id) }
    }

    private func forget(_ id: UInt64) {
        let old = state.withLock { $0.removeValue(forKey: id) }
        _ = consume old
    }

    /// Returns the end of a watcher; nil if it has passed or the caller is its own handler.
    func departure(of id: UInt64) -> Departure? {
        let found = state.withLock { $0[id] }
        return found.flatMap { Watcher.drained.contains($0.watcher) ? nil : $0.departure }
    }
}

/// Watchers by increasing registration number, with gaps for cancelled watchers.
struct WatcherRegistry: Sendable {
    private(set) var entries: ContiguousArray<(id: UInt64, watcher: Watcher?)> = []
    private(set) var liveCount = 0

    var live: some Sequence<Watcher> { entries.lazy.compactMap(\.watcher) }

    /// Adds a watcher whose number is greater than all earlier ones.
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

    /// Removes all watchers, which the caller releases outside all locks.
    mutating func removeAll() -> [Watcher] {
        defer { (entries, liveCount) = ([], 0) }
        return entries.compactMap(\.watcher)
    }
}
