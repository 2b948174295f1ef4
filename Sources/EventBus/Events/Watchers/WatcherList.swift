/// Handlers in calling order: by priority, then by registration, with gaps for those that have ended.
///
/// A list is a value: a trigger reads its copy while watches are added and removed.
struct WatcherList: Sendable {
    struct Entry: Sendable {
        let priority: Int8
        let id: UInt64
        /// The handler; nil if the watch has ended.
        var handler: EventHandler?

        init(_ watcher: Watcher, _ handler: EventHandler? = nil) {
            priority = watcher.priority
            id = watcher.id
            self.handler = handler
        }

        /// Whether the handler is called before another one for the same event.
        func precedes(_ other: Entry) -> Bool { priority != other.priority ? priority > other.priority : id < other.id }
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var handlers: some Sequence<EventHandler> { entries.lazy.compactMap(\.handler) }

    /// - Complexity: O(log *n*) for the last one in calling order, as a new one usually is; otherwise O(*n*).
    mutating func insert(_ handler: EventHandler) {
        let entry = Entry(handler.watcher, handler)
        entries.insert(entry, at: index(of: entry))
        count += 1
    }

    /// Removes the handler of a watch, and returns it.
    ///
    /// - Complexity: O(log *n*), amortized, if no trigger reads the list.
    mutating func remove(_ watcher: Watcher) -> EventHandler? {
        let index = index(of: Entry(watcher))
        guard index < entries.count, entries[index].id == watcher.id else { return nil }
        guard let handler = entries[index].handler.take() else { return nil }
        count -= 1
        if count == 0 {
            entries = []
        } else if entries.count >= 16, count < entries.count / 2 {
            entries.removeAll { $0.handler == nil }
        }
        return handler
    }

    /// Returns the place of an entry, or the place where it would be inserted.
    private func index(of entry: Entry) -> Int {
        if let last = entries.last, last.precedes(entry) { return entries.count }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].precedes(entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the list without the watchers of patterns that don't match a name.
    func matching(_ name: String) -> WatcherList {
        let others = handlers.filter { $0.watcher.details?.pattern.map { !$0.matches(name) } ?? false }
        var list = self
        for handler in others { _ = list.remove(handler.watcher) }
        return list
    }

    /// Returns the list together with another one.
    ///
    /// - Complexity: O(*n*) in the number of watchers of both.
    func merged(with other: WatcherList) -> WatcherList {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var result = WatcherList()
        result.entries.reserveCapacity(count + other.count)
        result.count = count + other.count
        var index = 0
        for entry in entries where entry.handler != nil {
            while index < other.entries.count, other.entries[index].precedes(entry) {
                result.append(other.entries[index])
                index += 1
            }
            result.entries.append(entry)
        }
        for entry in other.entries[index...] { result.append(entry) }
        return result
    }

    private mutating func append(_ entry: Entry) {
        if entry.handler != nil { entries.append(entry) }
    }
}

/// The watchers of events from one object.
struct SourceWatchers: Sendable {
    let source: WeakObject
    var list = WatcherList()
}
