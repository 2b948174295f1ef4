internal import AshlarCore

/// Records values from any thread.
public final class Recorder<Item: Sendable>: Sendable {
    private let notes = Mutex<[Item]>([])

    /// Creates a recorder without values.
    public init() {}

    /// The recorded values, in order.
    public var items: [Item] { notes.withLock { $0 } }

    /// Records a value.
    public func note(_ item: Item) { notes.withLock { $0.append(item) } }

    /// Forgets all values.
    public func clear() { _ = take() }

    /// Returns all values and forgets them.
    public func take() -> [Item] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}

/// Counts on any thread.
public final class Counter: Sendable {
    private let count = Mutex(0)

    /// Creates a counter that starts at 0.
    public init() {}

    /// The number of calls of ``next()``.
    public var value: Int { count.withLock { $0 } }

    /// Returns the number of earlier calls.
    @discardableResult
    public func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}

/// A flag that any thread sets and reads.
public final class Flag: Sendable {
    private let state = Mutex(false)

    /// Creates a flag that isn't set.
    public init() {}

    /// Whether the flag is set.
    public var isSet: Bool { state.withLock { $0 } }

    /// Sets the flag.
    public func set() { state.withLock { $0 = true } }
}
