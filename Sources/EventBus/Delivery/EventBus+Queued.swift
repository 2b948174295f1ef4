extension EventBus {
    // MARK: On the main actor

    /// Watches a topic on the main actor.
    ///
    /// The handler runs inside `trigger` if that is called on the main actor and nothing waits for this watch;
    /// otherwise the event is queued and the handler runs there later, in the order of the triggers. With
    /// `alwaysQueued` it never runs inside `trigger`.
    public func watchOnMain<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Signal<Payload>) throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(source: source), fileID: fileID, line: line)
        return register(topic, options) {
            MainWatcher(options, id: $0, traits: [], isAlwaysQueued: alwaysQueued, bus: self) {
                try handler($0)
                return true
            }
        }
    }

    /// Watches every topic whose name meets a pattern on the main actor.
    public func watchOnMain(
        _ pattern: TopicPattern, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(source: source, pattern: pattern)
        let options = WatchOptions(priority: priority, once: once, details: details, fileID: fileID, line: line)
        return register(pattern, options) {
            MainWatcher(options, id: $0, traits: .untyped, isAlwaysQueued: alwaysQueued, bus: self) {
                try handler($0)
                return true
            }
        }
    }

    /// Watches a topic on the main actor for an owner, which its handler receives alive.
    @discardableResult
    public func watchOnMain<Payload, Owner: WatchOwner>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Owner, Signal<Payload>) throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(owner: owner, source: source), fileID: fileID, line: line,
            bag: owner.watches)
        return register(topic, options) {
            MainWatcher(options, id: $0, traits: [], isAlwaysQueued: alwaysQueued, bus: self) { [weak owner] in
                guard let owner else { return false }
                try handler(owner, $0)
                return true
            }
        }
    }

    /// Watches every topic whose name meets a pattern on the main actor, for an owner.
    @discardableResult
    public func watchOnMain<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(owner: owner, source: source, pattern: pattern)
        let options = WatchOptions(
            priority: priority, once: once, details: details, fileID: fileID, line: line,
            bag: owner.watches)
        return register(pattern, options) {
            MainWatcher(options, id: $0, traits: .untyped, isAlwaysQueued: alwaysQueued, bus: self) { [weak owner] in
                guard let owner else { return false }
                try handler(owner, $0)
                return true
            }
        }
    }

    // MARK: On an actor

    /// Watches a topic on an actor, which is held weakly.
    ///
    /// Events wait in a mailbox; the handler runs on the actor for one event after the other, in the order of the
    /// triggers, even where it awaits. What it throws goes to the failure hook.
    public func watch<Payload, On: Actor>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, on actor: On, buffer: EventBuffer = .newest(64),
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (isolated On, Signal<Payload>) async throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(owner: actor, source: source)
        let options = WatchOptions(priority: priority, once: once, details: details, fileID: fileID, line: line)
        return register(topic, options) {
            ActorWatcher(options, id: $0, traits: [], buffer: buffer, bus: self, actor: actor, handler: handler)
        }
    }

    /// Watches every topic whose name meets a pattern on an actor, which is held weakly.
    public func watch<On: Actor>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, on actor: On, buffer: EventBuffer = .newest(64),
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (isolated On, Signal<any Sendable>) async throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(owner: actor, source: source, pattern: pattern)
        let options = WatchOptions(priority: priority, once: once, details: details, fileID: fileID, line: line)
        return register(pattern, options) {
            ActorWatcher(options, id: $0, traits: .untyped, buffer: buffer, bus: self, actor: actor, handler: handler)
        }
    }

    // MARK: In a mailbox

    /// Watches a topic through a mailbox of its own: the asynchronous handler runs for one event after the other.
    ///
    /// What it throws goes to the failure hook.
    public func watch<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, buffer: EventBuffer, priority: Int8 = 0,
        once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(source: source), fileID: fileID, line: line)
        return register(topic, options) {
            MailboxWatcher(options, id: $0, traits: [], buffer: buffer, bus: self, handler: handler)
        }
    }

    /// Watches every topic whose name meets a pattern through a mailbox of its own.
    public func watch(
        _ pattern: TopicPattern, from source: AnyObject? = nil, buffer: EventBuffer, priority: Int8 = 0,
        once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) async throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(source: source, pattern: pattern)
        let options = WatchOptions(priority: priority, once: once, details: details, fileID: fileID, line: line)
        return register(pattern, options) {
            MailboxWatcher(options, id: $0, traits: .untyped, buffer: buffer, bus: self, handler: handler)
        }
    }

    /// Watches a topic through a mailbox for an owner, which its asynchronous handler receives alive.
    ///
    /// The owner is held while the handler runs, and weakly otherwise.
    @discardableResult
    public func watch<Payload, Owner: WatchOwner>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, owner: Owner, buffer: EventBuffer,
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<Payload>) async throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(owner: owner, source: source), fileID: fileID, line: line,
            bag: owner.watches)
        return register(topic, options) {
            MailboxWatcher(options, id: $0, traits: [], buffer: buffer, bus: self) { [weak owner] signal in
                if let owner { try await handler(owner, signal) }
            }
        }
    }

    /// Watches every topic whose name meets a pattern through a mailbox for an owner.
    @discardableResult
    public func watch<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, buffer: EventBuffer,
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<any Sendable>) async throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(owner: owner, source: source, pattern: pattern)
        let options = WatchOptions(
            priority: priority, once: once, details: details, fileID: fileID, line: line,
            bag: owner.watches)
        return register(pattern, options) {
            MailboxWatcher(options, id: $0, traits: .untyped, buffer: buffer, bus: self) { [weak owner] signal in
                if let owner { try await handler(owner, signal) }
            }
        }
    }
}
