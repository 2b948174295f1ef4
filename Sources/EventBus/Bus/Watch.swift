import Synchronization

/// A registered watch: the handle to cancel it.
///
/// Dropping the handle does not cancel the watch; ``cancel()`` does, or the ``WatchBag`` that it is stored in. Copies
/// are the same watch.
public struct Watch: Sendable, Hashable {
    let host: WatchHost
    let id: UInt64
    let source: ObjectIdentifier?

    init(host: WatchHost, id: UInt64, source: ObjectIdentifier? = nil) {
        (self.host, self.id, self.source) = (host, id, source)
    }

    /// Ends the watch.
    ///
    /// No call of the handler is begun after this has returned, not even for an event that is being delivered; a call
    /// that another thread has begun, or is just about to enter, runs to its end. Where that matters, wait with
    /// ``cancelAndWait()``. What the handler holds is released.
    ///
    /// - Returns: Whether the watch was live; cancelling twice does nothing.
    /// - Complexity: O(log *n*) in the number of watchers of the topic, amortised.
    @discardableResult
    public func cancel() -> Bool { host.cancel(id) }

    /// Ends the watch, and waits for a call of the handler that runs at this moment.
    ///
    /// It waits until every trigger that was under way on the topic has ended, so do not call it where such a trigger
    /// waits for you. Inside of the watch's own asynchronous handler it returns at once.
    public func cancelAndWait() async { await host.cancelAndWait(id) }

    /// Whether the watch still receives events.
    public var isLive: Bool { host.isLive(id) }

    /// What is watched: the name of a topic, a pattern, or `**` for everything from one object.
    public var watched: String { host.watcher(id)?.details?.pattern?.description ?? host.watched }

    /// Puts the watch into a bag, whose end cancels it.
    ///
    /// - Returns: The same watch.
    @discardableResult
    public func store(in bag: WatchBag) -> Watch {
        bag.insert(self)
        return self
    }

    /// Watches are equal when they are copies of one.
    public static func == (a: Watch, b: Watch) -> Bool { a.host === b.host && a.id == b.id }

    /// Hashes the identity of the watch.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(host))
        hasher.combine(id)
    }
}

/// A watch that is nothing but an action to run when it is cancelled.
final class ActionHost: WatchHost, @unchecked Sendable {
    private let action: @Sendable () -> Void
    private let isDone = Atomic(false)

    private init(watched: String, action: @escaping @Sendable () -> Void) {
        self.action = action
        super.init(watched: watched, bus: nil)
    }

    override func cancel(_ id: UInt64) -> Bool {
        guard !isDone.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        action()
        return true
    }

    override func isLive(_ id: UInt64) -> Bool { !isDone.load(ordering: .acquiring) }

    static func watch(_ watched: String, onCancel action: @escaping @Sendable () -> Void) -> Watch {
        Watch(host: ActionHost(watched: watched, action: action), id: 0)
    }
}
