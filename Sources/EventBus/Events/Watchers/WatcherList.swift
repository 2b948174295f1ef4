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

    /// Returns the list together with another one.
    ///
    /// - Complexity: O(*n*) in the number of watchers of both.
    func merged(with other: WatcherList) -> WatcherList {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var result = WatcherList()
        result.entries.reserveCapacity(count + other.count)
        var rest = other.entries[...]
        for entry in entries where entry.handler != nil {
            while let first = rest.first, first.handler == nil || first.precedes(entry) {
                rest.removeFirst()
                if first.handler != nil { result.entries.append(first) }
            }
            result.entries.append(entry)
        }
        result.entries += rest.filter { $0.handler != nil }
        result.count = count + other.count
        return result
    }
}

/// The watchers of events from one object.
struct SourceWatchers: Sendable {
    let source: WeakObject
    var list = WatcherList()

    /// Returns the watchers of a topic, without those of patterns that don't match it.
    func list(of name: String) -> WatcherList {
        let others = list.handlers.filter { $0.watcher.details?.pattern.map { !$0.matches(name) } ?? false }
        var list = list
        for handler in others { _ = list.remove(handler.watcher) }
        return list
    }
}
