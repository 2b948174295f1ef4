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

    private let broadcast: Broadcast<Customization>

    /// Creates a center.
    public init(_ customization: Customization) { broadcast = Broadcast(customization) }

    /// The current snapshot.
    public var current: Customization { broadcast.current }

    /// Replaces the current snapshot with one derived from it; `change` runs on the calling thread.
    ///
    /// If another thread changes the snapshot at the same time, `change` runs again with the new one, so it must have
    /// no side effects.
    ///
    /// - Parameter change: Returns the new snapshot for the current one.
    /// - Returns: The new snapshot.
    @discardableResult
    public func update(_ change: (Customization) throws -> Customization) rethrows -> Customization {
        try broadcast.update { old in
            let new = try change(old)
            return new.isIdentical(to: old) ? nil : new
        }
    }

    /// Returns the current snapshot and then each new one; a slow reader receives only the newest.
    ///
    /// Each call returns a stream for one reader, which ends when its task is cancelled or the center is released. A
    /// stream never returns an older snapshot after a newer one.
    public func changes() -> AsyncStream<Customization> {
        broadcast.changes(of: { $0 }, unless: { $0.isIdentical(to: $1) })
    }

    /// Reads changed files again; if a file has errors, its last valid content stays in use.
    ///
    /// - Returns: Whether a file has changed.
    @discardableResult
    public func reload() -> Bool {
        let old = current
        let new = update { $0.reloaded() ?? $0 }
        return !new.isIdentical(to: old)
    }

    /// Reloads whenever a file of the tree changes, appears or vanishes, until the task is cancelled.
    ///
    /// A thread compares the status of the files at an interval, within about a second by default, so changes are noticed
    /// on every file system. A file that has errors keeps its last good content.
    ///
    /// ```swift
    /// let center = CustomizationCenter(Customization(path: "Resources"))
    /// let watching = Task { await center.watch() }
    /// ```
    ///
    /// - Parameter interval: The time between two comparisons.
    public func watch(every interval: Duration = .seconds(1)) async {
        // Switching the language reads other folders, which are watched from then on.
        let (signals, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = broadcast.add { listener.yield() }
        defer { broadcast.remove(id) }
        var paths: [String] = []
        var watch: PathWatch?
        listener.yield()
        for await _ in signals {
            // The watch starts before the files are read, so that no change is lost in between.
            let needed = current.storage.tree?.watchedPaths ?? []
            if needed != paths {
                watch = PathWatch.start(needed, every: interval) { _ in listener.yield() }
                paths = needed
            }
            reload()
        }
        watch?.cancel()
    }
}
