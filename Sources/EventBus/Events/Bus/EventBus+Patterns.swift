// The methods that take a topic have a second form for a pattern, which can be a literal. Other text becomes a pattern with
// `TopicPattern(parsing:)`, which throws.
extension EventBus {
    /// Watches the events of the topics that a pattern matches, with a handler that is called inside `trigger`.
    public func watch(
        _ pattern: TopicPattern, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch(Topic(pattern), from: source, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Watches the events of the topics that a pattern matches for an owner, which the handler receives.
    @discardableResult
    public func watch<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch(
            Topic(pattern), from: source, owner: owner, priority: priority, once: once, fileID: fileID, line: line,
            handler)
    }

    /// Watches the events of the topics that a pattern matches on the main actor.
    public func watchOnMain(
        _ pattern: TopicPattern, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watchOnMain(
            Topic(pattern), from: source, priority: priority, once: once, alwaysQueued: alwaysQueued, fileID: fileID,
            line: line, handler)
    }

    /// Watches the events of the topics that a pattern matches on the main actor for an owner.
    @discardableResult
    public func watchOnMain<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watchOnMain(
            Topic(pattern), from: source, owner: owner, priority: priority, once: once, alwaysQueued: alwaysQueued,
            fileID: fileID, line: line, handler)
    }

    /// Watches the events of the topics that a pattern matches on an actor, which is held weakly.
    public func watch<On: Actor>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, on actor: On, buffer: EventBuffer = .newest(64),
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (isolated On, Signal<any Sendable>) async throws -> Void
    ) -> Watch {
        watch(
            Topic(pattern), from: source, on: actor, buffer: buffer, priority: priority, once: once, fileID: fileID,
            line: line, handler)
    }

    /// Watches the events of the topics that a pattern matches through a mailbox.
    public func watch(
        _ pattern: TopicPattern, from source: AnyObject? = nil, buffer: EventBuffer, priority: Int8 = 0,
        once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) async throws -> Void
    ) -> Watch {
        watch(
            Topic(pattern), from: source, buffer: buffer, priority: priority, once: once, fileID: fileID, line: line,
            handler)
    }

    /// Registers an interceptor for the events of the topics that a pattern matches.
    public func intercept(
        _ pattern: TopicPattern, excluding source: AnyObject? = nil, with interceptor: some EventInterceptor
    ) -> Watch {
        intercept(Topic(pattern), excluding: source, with: interceptor)
    }
}
