import Synchronization

/// A change of what stands for one canonical host.
public struct HostChange: Hashable, Sendable {
    /// The canonical host as the map writes it.
    public var canonicalHost: String
    /// The key that is chosen now, or nil.
    public var key: String?
    /// The pair before, or nil for the canonical host itself.
    public var previous: ProtocolHostPair?
    /// The pair now, or nil for the canonical host itself.
    public var current: ProtocolHostPair?
}

extension HostSwitch {
    /// The changes from now on, in their order; a choice that changes nothing is none.
    ///
    /// Every call gives a stream of its own, which holds all changes until they are read and ends when the switch is
    /// released or the reader stops.
    public func changes() -> AsyncStream<HostChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: HostChange.self)
        let id = state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = continuation
            return state.nextWatcher
        }
        continuation.onTermination = { [weak self] _ in
            // Returned from the closure so that it is released outside the lock.
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
        return stream
    }
}
