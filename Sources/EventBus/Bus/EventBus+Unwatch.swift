extension EventBus {
    /// Ends an owner's watches on this bus that match all given criteria; without any, all of them.
    ///
    /// A name or pattern is compared as it was written, byte by byte. A name alone includes the watches of it that have
    /// a source, and a source alone those that have a name.
    ///
    /// - Returns: The number of watches that were live.
    /// - Complexity: O(*n*) in the number of the owner's watches.
    @discardableResult
    public func unwatch(_ name: String? = nil, from source: AnyObject? = nil, owner: some WatchOwner) -> Int {
        owner.watches.cancel { watch in
            guard watch.host.bus === self else { return false }
            if let source, watch.source != ObjectIdentifier(source) { return false }
            // Not `==` of strings, for which the composed and decomposed form of a letter are equal.
            return name.map { watch.watched.utf8.elementsEqual($0.utf8) } ?? true
        }
    }
}

/// A watcher that passes its owner to the handler, as long as there is one.
final class OwnedWatcher<Owner: AnyObject & Sendable, Payload: Sendable>: TypedWatcher<Payload>, @unchecked Sendable {
    // Unchecked because the superclass is; the weak reference is set once.
    private weak let owner: Owner?
    private let ownedHandler: @Sendable (Owner, Signal<Payload>) throws -> Void

    init(
        _ options: WatchOptions, id: UInt64, traits: WatcherState, owner: Owner,
        handler: @escaping @Sendable (Owner, Signal<Payload>) throws -> Void
    ) {
        (self.owner, ownedHandler) = (owner, handler)
        super.init(options, id: id, traits: traits) { _ in }
    }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        guard let owner else { return .skipped }
        try ownedHandler(owner, signal)
        return .delivered
    }
}
