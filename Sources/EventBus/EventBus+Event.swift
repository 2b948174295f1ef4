/// What can be done with a topic can be done with a type of events: these are the ways beside `watch` and `trigger`.
extension EventBus {
    /// Watches the events of a type on the main actor.
    public func watchOnMain<E: Event>(
        _ type: E.Type, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Signal<E>) throws -> Void
    ) -> Watch {
        watchOnMain(
            E.topic, from: source, priority: priority, once: once, alwaysQueued: alwaysQueued, fileID: fileID,
            line: line, handler)
    }

    /// Watches the events of a type on the main actor for an owner, which its handler receives alive.
    @discardableResult
    public func watchOnMain<E: Event, Owner: WatchOwner>(
        _ type: E.Type, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Owner, Signal<E>) throws -> Void
    ) -> Watch {
        watchOnMain(
            E.topic, from: source, owner: owner, priority: priority, once: once, alwaysQueued: alwaysQueued,
            fileID: fileID, line: line, handler)
    }

    /// Watches the events of a type on an actor, which is held weakly.
    public func watch<E: Event, On: Actor>(
        _ type: E.Type, from source: AnyObject? = nil, on actor: On, buffer: EventBuffer = .newest(64),
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (isolated On, Signal<E>) async throws -> Void
    ) -> Watch {
        watch(
            E.topic, from: source, on: actor, buffer: buffer, priority: priority, once: once, fileID: fileID,
            line: line, handler)
    }

    /// Watches the events of a type through a mailbox of its own.
    public func watch<E: Event>(
        _ type: E.Type, from source: AnyObject? = nil, buffer: EventBuffer, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<E>) async throws -> Void
    ) -> Watch {
        watch(
            E.topic, from: source, buffer: buffer, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Returns the events of a type as an asynchronous sequence, which watches from now on.
    public func events<E: Event>(
        _ type: E.Type, from source: AnyObject? = nil, buffer: EventBuffer = .newest(64),
        fileID: StaticString = #fileID, line: UInt32 = #line
    ) -> EventStream<E> {
        events(E.topic, from: source, buffer: buffer, fileID: fileID, line: line)
    }
}
