internal import AshlarCore

/// A handle that cancels a registered watch.
///
/// Releasing the handle doesn't cancel the watch; ``cancel()`` does, or releasing the ``WatchBag`` in which it is
/// stored. Copies refer to the same watch.
public struct Watch: Sendable {
    /// The number of the watch, unique in the process.
    let id: UInt64
    /// What the watch refers to; nil if it was refused.
    let host: (any WatchHost)?

    init(_ watcher: Watcher) {
        id = watcher.id
        host = watcher
    }

    init(host: (any WatchHost)? = nil) {
        id = Watcher.nextID()
        self.host = host
    }

    /// Ends the watch.
    ///
    /// After a handler calls this method, it isn't called again, not even for the current event. A call that another
    /// thread has begun, or is about to begin, runs to its end; ``cancelAndWait()`` waits for it. On the actor of the
    /// handler, such as the main actor, no call begins after the method has returned, not even for an event that waits.
    /// The values that the handler captured are released.
    ///
    /// - Returns: Whether this call ended the watch; cancelling twice has no effect.
    /// - Complexity: O(log *n*) in the number of watchers of the topic, amortized.
    @discardableResult
    public func cancel() -> Bool { host?.cancel() ?? false }

    /// Ends the watch and waits until no call of the handler is running.
    ///
    /// The method also waits if the watch was cancelled earlier. It waits for every trigger on the topic that has begun
    /// before, so it deadlocks if such a trigger waits for the caller. Inside the watch's own asynchronous handler, it
    /// returns at once. In a `Task.detached` for which the handler waits, it deadlocks; use
    /// ``cancelAndWait(within:clock:)`` there.
    public func cancelAndWait() async { await cancelAndTrack()?.wait() }

    /// Ends the watch and waits until no call of the handler is running, up to a limit.
    ///
    /// The watch ends at once, also if the method throws.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait.
    ///   - clock: The clock of the limit.
    /// - Throws: ``EventBusError`` with the code `handlerRunning` if a call is still running at the limit, such as a
    ///   handler that waits for the caller; or `CancellationError`.
    public func cancelAndWait(
        within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let watched = watched
        guard let end = cancelAndTrack() else { return }
        let result = PendingResult<Void>()
        end.whenComplete { result.finish(.success(())) }
        try await result.wait(within: limit, clock: clock) {
            EventBusError(
                .handlerRunning, subject: watched, expected: "the end of the handler's call within \(limit)",
                found: "a call under way")
        }
    }

    /// Ends the watch and returns the end of its last call.
    ///
    /// Returns nil if no call is running, or if the caller is the watch's own asynchronous handler.
    private func cancelAndTrack() -> Completion? {
        cancel()
        guard let watcher = host as? Watcher, !Watcher.handling.contains(id) else { return nil }
        return watcher.end
    }

    /// Whether the watch still receives events.
    package var isLive: Bool { host?.isLive ?? false }

    /// The watched name of a topic or pattern, or `**` for all events from one object.
    package var watched: String { host?.watched ?? "" }

    var sourceID: ObjectIdentifier? { (host as? Watcher)?.details?.sourceID }

    /// Returns whether the watch is current and belongs to a bus or a router.
    func belongs(to owner: AnyObject) -> Bool { host?.belongs(to: owner) ?? false }

    /// Stores the watch in a bag, which cancels it when the bag is released.
    ///
    /// - Returns: The same watch.
    @discardableResult
    public func store(in bag: WatchBag) -> Watch {
        bag.insert(self)
        return self
    }
}

/// What a watch refers to: a watcher, a route, an interceptor, or an observer of interest.
protocol WatchHost: AnyObject, Sendable {
    /// The watched text: the name of a topic, a pattern, or `**` for all events.
    var watched: String { get }

    /// Whether the watch hasn't ended.
    var isLive: Bool { get }

    /// Ends the watch; returns whether this call ended it.
    ///
    /// The values that the handler captured are released before the method returns, unless a trigger uses them.
    func cancel() -> Bool

    /// Returns whether the watch belongs to a bus or a router.
    func belongs(to owner: AnyObject) -> Bool
}
