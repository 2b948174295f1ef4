internal import AshlarCore

/// Holds the current snapshot and publishes new ones.
///
/// Reading ``current`` holds a lock for the time of one retain and never waits for a change. A new snapshot is computed
/// without the lock and then replaces the current one.
///
/// ```swift
/// let center = CustomizationCenter(Customization(path: "Resources"))
/// center.update { $0.switching(language: "fr") }
/// print(center.current.string("CancelString"))
/// ```
public final class CustomizationCenter: Sendable {
    /// The shared center, which is empty until its snapshot is replaced.
    public static let shared: CustomizationCenter = CustomizationCenter(Customization(layers: []))

    private struct State {
        var current: Customization
        var nextID = 0
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    }
    private let state: Mutex<State>

    /// Creates a center.
    public init(_ customization: Customization) { state = Mutex(State(current: customization)) }

    /// The current snapshot.
    public var current: Customization { state.withLock { $0.current } }

    /// Replaces the current snapshot.
    public func replace(with customization: Customization) { update { _ in customization } }

    /// Replaces the current snapshot with one derived from it; `change` runs on the calling thread.
    ///
    /// If another thread changes the snapshot at the same time, `change` runs again with the new one, so it must have
    /// no side effects.
    ///
    /// - Parameter change: Returns the new snapshot for the current one.
    /// - Returns: The new snapshot.
    @discardableResult
    public func update(_ change: (Customization) throws -> Customization) rethrows -> Customization {
        while true {
            let old = current
            let new = try change(old)
            let listeners: [AsyncStream<Void>.Continuation]? = state.withLock { state in
                guard state.current.storage === old.storage else { return nil }
                state.current = new
                return Array(state.listeners.values)
            }
            guard let listeners else { continue }
            if new.storage !== old.storage { for listener in listeners { listener.yield() } }
            return new
        }
    }

    /// A stream of the new snapshots; a slow reader receives only the newest.
    ///
    /// Each access returns another stream, which ends when its reader is cancelled or the center is released. A stream
    /// never returns an older snapshot after a newer one.
    public var changes: AsyncStream<Customization> {
        let (signals, _, start) = listen()
        let given = LastGiven(start.storage)
        return AsyncStream { [weak self] in
            for await _ in signals {
                guard let current = self?.current else { return nil }
                if given.replace(with: current.storage) { return current }
            }
            return nil
        }
    }

    /// Adds a listener, which is removed when its stream ends; also returns the snapshot before the first signal.
    ///
    /// Two updates can signal in the wrong order, so a signal contains no snapshot.
    private func listen() -> (
        signals: AsyncStream<Void>, listener: AsyncStream<Void>.Continuation, start: Customization
    ) {
        let (signals, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, start) = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = listener
            return (state.nextID, state.current)
        }
        listener.onTermination = { [weak self] _ in
            let removed = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            _ = removed
        }
        return (signals, listener, start)
    }

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    /// Reads changed files again; if a file has errors, its last valid content stays in use.
    ///
    /// - Returns: Whether a file has changed.
    @discardableResult
    public func reload() -> Bool {
        let old = current
        let new = update { $0.reloaded() ?? $0 }
        return new.storage !== old.storage
    }

    /// Reloads whenever a file of the tree changes, appears or vanishes, until the task is cancelled.
    ///
    /// Changes are noticed by events of the system, or by comparing the files once a second where it has none. Every five
    /// seconds the files are compared without an event, as not every file system reports all of them. A file that has
    /// errors keeps its last good content.
    ///
    /// ```swift
    /// let center = CustomizationCenter(Customization(path: "Resources"))
    /// let watching = Task { await center.watch() }
    /// ```
    public func watch() async {
        // Switching the language reads other folders, which are watched from then on.
        let (signals, listener, _) = listen()
        var paths: [String] = []
        var watch: PathWatch?
        listener.yield()
        for await _ in signals {
            // The watch starts before the files are read, so that no change is lost in between.
            let needed = current.storage.tree?.watchedPaths ?? []
            if needed != paths {
                watch = PathWatch.start(needed) { _ in listener.yield() }
                paths = needed
            }
            reload()
        }
        watch?.cancel()
    }
}

/// The last snapshot that a stream of changes returned.
private final class LastGiven: Sendable {
    private let storage: Mutex<CustomizationStorage>

    init(_ storage: CustomizationStorage) { self.storage = Mutex(storage) }

    /// Replaces the snapshot; returns whether it differs from the last one.
    func replace(with new: CustomizationStorage) -> Bool {
        let old = storage.withLock { storage in
            defer { storage = new }
            return storage
        }
        return old !== new
    }
}
