internal import AshlarCore

/// A handle that cancels a registered watch.
///
/// Releasing the handle doesn't cancel the watch; ``cancel()`` does, or releasing the ``WatchBag`` in which it is
/// stored. Copies refer to the same watch.
public struct Watch: Sendable {
    let host: any WatchHost
    let id: UInt64
    let source: ObjectIdentifier?
    /// The watcher, which only the host and running triggers retain; nil for a route or an interceptor.
    private weak let watcher: Watcher?

    init(host: any WatchHost, id: UInt64 = 0) {
        self.host = host
        self.id = id
        source = nil
        watcher = nil
    }

    init(_ watcher: Watcher, of host: any WatchHost) {
        self.host = host
        self.watcher = watcher
        id = watcher.id
        source = watcher.details?.sourceID
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
    public func cancel() -> Bool { host.cancel(id) }

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
        guard let watcher, !Watcher.handling.contains(ObjectIdentifier(watcher)) else { return nil }
        return watcher.currentUsage.end
    }

    /// Whether the watch still receives events.
    package var isLive: Bool { watcher?.isLive ?? host.isLive(id) }

    /// The watched name of a topic or pattern, or `**` for all events from one object.
    package var watched: String { watcher?.details?.pattern?.description ?? host.watched }

    /// Stores the watch in a bag, which cancels it when the bag is released.
    ///
    /// - Returns: The same watch.
    @discardableResult
    public func store(in bag: WatchBag) -> Watch {
        bag.insert(self)
        return self
    }

    /// The identity of the watch, which its copies share.
    var key: Key { Key(host: ObjectIdentifier(host), id: id) }

    struct Key: Hashable {
        let host: ObjectIdentifier
        let id: UInt64
    }
}

/// An object with which watches are registered: a topic on a bus, the patterns of a bus, or a route.
protocol WatchHost: AnyObject, Sendable {
    /// The watched text: the name of a topic, a pattern, or `**` for all events.
    var watched: String { get }

    /// Cancels a watch; returns whether this call ended it.
    ///
    /// The values that the handler captured are released before the method returns, unless a trigger uses them.
    func cancel(_ id: UInt64) -> Bool

    /// Returns whether a watch without a watcher is current.
    func isLive(_ id: UInt64) -> Bool

    /// Returns whether the watches belong to a bus or a router.
    func belongs(to owner: AnyObject) -> Bool
}

extension WatchHost {
    func isLive(_ id: UInt64) -> Bool { false }
}

/// The host of a watch that was refused.
final class EndedHost: WatchHost {
    let watched: String

    init(watched: String) { self.watched = watched }

    func cancel(_ id: UInt64) -> Bool { false }

    func belongs(to owner: AnyObject) -> Bool { false }
}
