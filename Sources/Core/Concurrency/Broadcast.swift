// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// A current value, and the listeners that are called after each change of it.
///
/// A read takes a lock for the time of one copy. Changes are computed, and listeners called, outside the lock.
///
/// ```swift
/// let temperature = Broadcast(20)
/// for await degrees in temperature.changes() { print(degrees) }  // 20, then each new value
/// temperature.update { $0 + 1 }
/// ```
public final class Broadcast<Value: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value
        var version: UInt64 = 0
        var lastID = 0
        /// In the order in which they were added.
        var listeners: [Listener] = []
    }

    @usableFromInline
    struct Listener: Sendable {
        let id: Int
        let changed: @Sendable () -> Void
        let ended: @Sendable () -> Void
    }

    @usableFromInline let state: Mutex<State>

    /// Creates a broadcast without listeners.
    public init(_ value: Value) { state = Mutex(State(value: value)) }

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.ended() }
    }

    /// The current value.
    @inlinable public var current: Value { state.withLock { $0.value } }

    /// Returns a part of the current value; `body` runs under the lock, so it must only copy.
    @inlinable
    public func read<Part: Sendable>(_ body: (Value) -> Part) -> Part { state.withLock { body($0.value) } }

    /// Replaces the value with one derived from it, and calls the listeners on the calling thread.
    ///
    /// If another thread changes the value at the same time, `change` runs again with the new one, so it must have no
    /// side effects.
    ///
    /// - Parameter change: Returns the new value, or nil if the value doesn't change.
    /// - Returns: The current value after the call.
    @discardableResult
    public func update(_ change: (Value) throws -> Value?) rethrows -> Value {
        while true {
            let (old, version) = state.withLock { ($0.value, $0.version) }
            guard let new = try change(old) else { return old }
            // The old value is released outside the lock, as its deinitializers may use the broadcast.
            let replaced = state.withLock { state -> (old: Value, listeners: [Listener])? in
                guard state.version == version else { return nil }
                state.version += 1
                defer { state.value = new }
                return (state.value, state.listeners)
            }
            guard let replaced else { continue }
            for listener in replaced.listeners { listener.changed() }
            return new
        }
    }

    /// Adds a listener, which is called after each change on the thread of the change, in the order of addition.
    ///
    /// The listener receives no value: two changes at the same time may call it in either order, and it reads
    /// ``current``, which is never older than the change.
    ///
    /// - Parameters:
    ///   - changed: Called after each change.
    ///   - ended: Called when the broadcast is released.
    /// - Returns: The identifier for ``remove(_:)``.
    public func add(
        _ changed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}
    ) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.listeners.append(Listener(id: state.lastID, changed: changed, ended: ended))
            return state.lastID
        }
    }

    /// Removes a listener; a change that has begun on another thread may still call it.
    ///
    /// - Complexity: O(*n*) in the number of listeners.
    public func remove(_ id: Int) {
        // Released outside the lock, because the closures may hold the last reference to an object.
        let removed = state.withLock { state in
            state.listeners.firstIndex { $0.id == id }.map { state.listeners.remove(at: $0) }
        }
        _ = consume removed
    }

    /// Returns the current value, and then each new one; a slow reader receives only the newest.
    ///
    /// Each call returns a stream for one reader. It never returns an older value after a newer one. It ends when its
    /// task is cancelled or the broadcast is released.
    public func changes() -> AsyncStream<Value> {
        changes(of: { $0 }, unless: { _, _ in false })
    }

    /// Returns a part of the current value, and then of each new value in which it differs.
    ///
    /// - Parameters:
    ///   - part: Returns the part of a value; called in the reader's task, outside the lock.
    ///   - isSame: Whether a new part equals the last one that the stream returned, so that it is skipped.
    /// - Returns: A stream with the rules of ``changes()``.
    public func changes<Part: Sendable>(
        of part: @escaping @Sendable (Value) -> Part, unless isSame: @escaping @Sendable (Part, Part) -> Bool
    ) -> AsyncStream<Part> {
        // A signal holds no value, because two changes at the same time can signal in either order.
        let (signals, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = add({ listener.yield() }, ended: { listener.finish() })
        listener.onTermination = { [weak self] _ in self?.remove(id) }
        listener.yield()
        let last = LastPart<Part>()
        return AsyncStream { [weak self] in
            for await _ in signals {
                guard let (value, version) = self?.versioned else { return nil }
                guard last.isNew(version) else { continue }
                let new = part(value)
                if let old = last.replace(with: new), isSame(old, new) { continue }
                return new
            }
            return nil
        }
    }

    private var versioned: (Value, UInt64) { state.withLock { ($0.value, $0.version) } }
}

/// What a stream of changes returned last; one task at a time uses it.
private final class LastPart<Part: Sendable>: Sendable {
    private let state = Mutex<(part: Part?, version: UInt64?)>((nil, nil))

    /// Stores a version; returns whether it differs from the last one.
    func isNew(_ version: UInt64) -> Bool {
        state.withLock { state in
            defer { state.version = version }
            return state.version != version
        }
    }

    /// Stores a part; returns the last one.
    func replace(with new: Part) -> Part? {
        state.withLock { state in
            defer { state.part = new }
            return state.part
        }
    }
}
