internal import AshlarCore

/// A change of the selection for one canonical host.
public struct HostChange: Hashable, Sendable {
    /// The canonical host as written in the map.
    public var canonicalHost: String
    /// The key of the selected environment, or nil.
    public var key: String?
    /// The pair before the change, or nil for the canonical host itself.
    public var previous: ProtocolHostPair?
    /// The pair after the change, or nil for the canonical host itself.
    public var current: ProtocolHostPair?
}

extension HostSwitch {
    /// Returns the future changes in order; selecting the current environment is no change.
    ///
    /// Each call returns a new stream. It buffers unread changes, and ends when the switch is deallocated or the
    /// consumer stops.
    public func changes() -> AsyncStream<HostChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: HostChange.self)
        let id = state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = continuation
            return state.nextWatcher
        }
        continuation.onTermination = { [weak self] _ in
            // Returned from the closure, so that it is released outside the lock.
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
        return stream
    }
}
