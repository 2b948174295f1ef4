internal import AshlarCore

/// A handle that cancels a registered watch.
///
/// Releasing the handle doesn't cancel the watch; ``cancel()`` does, or releasing the ``WatchBag`` in which it is
/// stored. Copies refer to the same watch.
public struct Watch: Sendable, Hashable {
    let host: any WatchHost
    let id: UInt64
    let source: ObjectIdentifier?

    init(host: any WatchHost, id: UInt64, source: ObjectIdentifier? = nil) {
        self.host = host
        self.id = id
        self.source = source
    }

    /// Ends the watch.
    ///
    /// After a handler calls this method, it isn't called again, not even for the current event. A call that another
    /// thread has begun, or is about to begin, runs to its end; ``cancelAndWait()`` waits for it. The values that the
    /// handler captured are released.
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
    public func cancelAndWait() async { await host.cancelAndTrack(id)?.wait() }

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
        guard let end = host.cancelAndTrack(id) else { return }
        let result = PendingResult<Void>()
        end.whenComplete { result.finish(.success(())) }
        try await result.wait(within: limit, clock: clock) {
            EventBusError(
                .handlerRunning, subject: watched, expected: "the end of the handler's call within \(limit)",
                found: "a call under way")
        }
    }

    /// Whether the watch still receives events.
    public var isLive: Bool { host.isLive(id) }

    /// The watched name of a topic or pattern, or `**` for all events from one object.
    public var watched: String { host.watcher(id)?.details?.pattern?.description ?? host.watched }

    /// Stores the watch in a bag, which cancels it when the bag is released.
    ///
    /// - Returns: The same watch.
    @discardableResult
    public func store(in bag: WatchBag) -> Watch {
        bag.insert(self)
        return self
    }

    /// Watches are equal if they are copies of one watch.
    public static func == (a: Watch, b: Watch) -> Bool { a.host === b.host && a.id == b.id }

    /// Hashes the identity of the watch.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(host))
        hasher.combine(id)
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

    /// Returns whether the watch still receives events.
    func isLive(_ id: UInt64) -> Bool

    /// Returns the watcher of a current watch.
    func watcher(_ id: UInt64) -> Watcher?

    /// Returns whether the watches belong to a bus or a router.
    func belongs(to owner: AnyObject) -> Bool

    /// The cancelled watchers that triggers still use; nil if the host has no watchers.
    var cancelledInUse: CancelledWatchers? { get }
}

extension WatchHost {
    func watcher(_ id: UInt64) -> Watcher? { nil }

    func isLive(_ id: UInt64) -> Bool { watcher(id)?.isLive ?? false }

    var cancelledInUse: CancelledWatchers? { nil }

    /// Ends a watcher that was removed from the lists; returns whether this call ended it.
    ///
    /// The watcher is a variable of the caller, so that a handler that no trigger uses is released before the return.
    func end(_ watcher: inout Watcher?) -> Bool {
        guard let wasLive = watcher?.cancel() else { return false }
        watcher?.didCancel()
        if !isKnownUniquelyReferenced(&watcher), let watcher { cancelledInUse?.insert(watcher) }
        return wasLive
    }

    /// Cancels a watch and returns the end of its last call.
    ///
    /// Returns nil if no call is running, or if the caller is the watch's own asynchronous handler.
    func cancelAndTrack(_ id: UInt64) -> Completion? {
        let watcher = watcher(id)
        let end = watcher?.currentUsage.end
        let isInside = watcher.map { Watcher.handling.contains(ObjectIdentifier($0)) } ?? false
        _ = consume watcher
        _ = cancel(id)
        if isInside { return nil }
        return end ?? cancelledInUse?.end(of: id)
    }
}

/// The watchers of a bus that were cancelled during a call.
///
/// They are no longer in the lists of watchers, but a caller may wait for the end of the call.
final class CancelledWatchers: Sendable {
    private struct Entry {
        let end: Completion
        let watcher: ObjectIdentifier
    }

    private let state = Mutex<[UInt64: Entry]>([:])

    /// Stores a cancelled watcher until its last call ends.
    func insert(_ watcher: Watcher) {
        let id = watcher.id
        let end = watcher.currentUsage.end
        state.withLock { $0[id] = Entry(end: end, watcher: ObjectIdentifier(watcher)) }
        end.whenComplete { [weak self] in
            let old = self?.state.withLock { $0.removeValue(forKey: id) }
            _ = consume old
        }
    }

    /// Returns the end of a watcher's last call; nil if it has passed or the caller is its own handler.
    func end(of id: UInt64) -> Completion? {
        let found = state.withLock { $0[id] }
        return found.flatMap { Watcher.handling.contains($0.watcher) ? nil : $0.end }
    }
}
