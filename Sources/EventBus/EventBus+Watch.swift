extension EventBus {
    /// Watches a topic.
    ///
    /// The handler is called inside `trigger`; what it throws is in the receipt of the trigger. With a source, only
    /// events from that object are taken; it is held weakly, and the watch ends with it. Watches of higher priority
    /// are called first, equal ones in the order of registration. With `once`, the first event ends the watch.
    /// Dropping the handle that is returned does not end it.
    ///
    /// - Precondition: The name of the topic is not bound to another payload type on this bus; see `declare`.
    public func watch<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            priority: priority, once: once, details: .make(source: source), fileID: fileID, line: line)
        return register(topic, options) { TypedWatcher(options, id: $0, traits: [], handler: handler) }
    }

    /// Watches the events of a type.
    public func watch<E: Event>(
        _ type: E.Type, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<E>) throws -> Void
    ) -> Watch {
        watch(
            E.topic, from: source, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Watches every topic whose name meets a pattern; a bare name is a pattern too.
    ///
    /// The payload is whatever was triggered.
    public func watch(
        _ pattern: TopicPattern, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        let details = WatchDetails.make(source: source, pattern: pattern)
        let options = WatchOptions(priority: priority, once: once, details: details, fileID: fileID, line: line)
        return register(pattern, options) { TypedWatcher(options, id: $0, traits: .untyped, handler: handler) }
    }

    /// Watches everything that is triggered from one object, which is held weakly: the watch ends with it.
    public func watch(
        from source: AnyObject, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch("**", from: source, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Binds the name of a topic to its payload type on this bus, for names that were made at run time.
    ///
    /// - Throws: ``EventBusError`` with the code `payloadMismatch` and both source lines if the name is bound to
    ///   another type.
    public func declare<Payload>(
        _ topic: Topic<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line
    ) throws(EventBusError) {
        let slot = slot(topic.name, hash: topic.core.hash)
        let place = EventPlace(fileID, line)
        guard slot.bind(Payload.self, at: place).payload == Payload.self else {
            throw mismatch(slot, Payload.self, at: place)
        }
        slot.adopt(topic.core)
        topic.core.remember(slot)
    }

    /// Forgets the events that a topic has kept for later watchers.
    public func clearKept<Payload>(_ topic: Topic<Payload>) { slot(topic.name, hash: topic.core.hash).clearKept() }

    /// Adds a watcher to a topic.
    func register<Payload>(_ topic: Topic<Payload>, _ options: WatchOptions, make: (UInt64) -> Watcher) -> Watch {
        while true {
            let slot = slot(topic.name, hash: topic.core.hash)
            let place = EventPlace(options.fileID, options.line)
            guard slot.bind(Payload.self, at: place).payload == Payload.self else {
                preconditionFailure(mismatch(slot, Payload.self, at: place).description)
            }
            slot.adopt(topic.core)
            topic.core.remember(slot)
            if let watch = slot.add(options, Payload.self, make) { return watch }
        }
    }

    /// Adds a watcher of any payload to the topics that a pattern meets.
    func register(_ pattern: TopicPattern, _ options: WatchOptions, make: (UInt64) -> Watcher) -> Watch {
        guard let name = pattern.exactName else { return patterns.add(options, on: self, make) }
        var text = name
        let hash = text.withUTF8 { TopicName.hash($0) }
        while true {
            let slot = slot(name, hash: hash)
            if let watch = slot.add(options, (any Sendable).self, make) { return watch }
        }
    }
}
