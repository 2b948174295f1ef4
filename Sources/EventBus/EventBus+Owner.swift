extension EventBus {
    /// Watches a topic for an owner, which its handler receives alive; the watch goes into the owner's bag.
    @discardableResult
    public func watch<Payload, Owner: WatchOwner>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<Payload>) throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(owner: owner, source: source), fileID: fileID, line: line,
            bag: owner.watches)
        return register(topic, options) {
            OwnedWatcher(options, id: $0, traits: .indirect, owner: owner, handler: handler)
        }
    }

    /// Watches the events of a type for an owner, which its handler receives alive.
    @discardableResult
    public func watch<E: Event, Owner: WatchOwner>(
        _ type: E.Type, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<E>) throws -> Void
    ) -> Watch {
        watch(
            E.topic, from: source, owner: owner, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Watches every topic whose name meets a pattern for an owner, which its handler receives alive.
    @discardableResult
    public func watch<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(owner: owner, source: source, pattern: pattern)
        let options = WatchOptions(
            priority: priority, once: once, details: details, fileID: fileID, line: line,
            bag: owner.watches)
        return register(pattern, options) {
            OwnedWatcher(options, id: $0, traits: [.indirect, .untyped], owner: owner, handler: handler)
        }
    }

    /// Watches everything that is triggered from one object for an owner, which its handler receives alive.
    @discardableResult
    public func watch<Owner: WatchOwner>(
        from source: AnyObject, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch("**", from: source, owner: owner, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    // MARK: Unwatching

    /// Ends all watches of an owner on this bus.
    ///
    /// - Returns: How many were live.
    @discardableResult
    public func unwatch(owner: some WatchOwner) -> Int {
        owner.watches.cancel { isMine($0) }
    }

    /// Ends an owner's watches of a name or pattern, written as it was watched, those with a source included.
    @discardableResult
    public func unwatch(_ name: String, owner: some WatchOwner) -> Int {
        owner.watches.cancel { isMine($0) && $0.watched == name }
    }

    /// Ends an owner's watches of an object, those of a name included.
    @discardableResult
    public func unwatch(from source: AnyObject, owner: some WatchOwner) -> Int {
        owner.watches.cancel { isMine($0) && $0.source == ObjectIdentifier(source) }
    }

    /// Ends an owner's watches of exactly this name from exactly this object.
    @discardableResult
    public func unwatch(_ name: String, from source: AnyObject, owner: some WatchOwner) -> Int {
        owner.watches.cancel { isMine($0) && $0.watched == name && $0.source == ObjectIdentifier(source) }
    }

    private func isMine(_ watch: Watch) -> Bool { watch.host.bus === self }
}

/// A watcher that calls its handler with the owner, while there is one.
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
