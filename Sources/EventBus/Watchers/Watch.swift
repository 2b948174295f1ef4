/// A handle that cancels a registered watch.
///
/// Dropping the handle doesn't cancel the watch; ``cancel()`` does, or the ``WatchBag`` that it is stored in. Copies
/// are the same watch.
public struct Watch: Sendable, Hashable {
    let host: any WatchHost
    let id: UInt64
    let source: ObjectIdentifier?

    init(host: any WatchHost, id: UInt64, source: ObjectIdentifier? = nil) {
        (self.host, self.id, self.source) = (host, id, source)
    }

    /// Ends the watch.
    ///
    /// A handler that calls this isn't called again, not even for the event that is being delivered. A call that another
    /// thread has begun, or is about to begin, runs to its end; ``cancelAndWait()`` waits for it. The handler's captured
    /// values are released.
    ///
    /// - Returns: Whether the watch was live; cancelling twice does nothing.
    /// - Complexity: O(log *n*) in the number of watchers of the topic, amortised.
    @discardableResult
    public func cancel() -> Bool { host.cancel(id) }

    /// Ends the watch and waits until no call of the handler is under way.
    ///
    /// It waits for every trigger on the topic that has begun before, so a deadlock results if such a trigger waits for
    /// the caller. Inside the watch's own asynchronous handler it returns at once, but not in a `Task.detached` that the
    /// handler waits for: that is such a deadlock.
    public func cancelAndWait() async { await host.cancelAndWait(id) }

    /// Whether the watch still receives events.
    public var isLive: Bool { host.isLive(id) }

    /// The watched text: the name of a topic, a pattern, or `**` for everything from one object.
    public var watched: String { host.watcher(id)?.details?.pattern?.description ?? host.watched }

    /// Puts the watch into a bag, which cancels it when it is released.
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
