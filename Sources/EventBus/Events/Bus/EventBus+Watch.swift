internal import AshlarCore

// A watch says where its handler runs: inside the trigger, on the main actor, or in a mailbox. In each place, the handler
// takes the event alone, or first the object that handles it, which isn't retained. These are six types of closures, so they
// are six methods: in Swift, a value can't determine the type of a closure that also depends on the payload.
extension EventBus {
    // MARK: Inline

    /// Watches events with a handler that is called inside `trigger`.
    ///
    /// The result of the trigger contains the errors of the handler. Handlers are called by priority, then in the order
    /// of registration. Releasing the returned handle doesn't end the watch.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - source: The object from which events must come. It is held weakly, and the watch ends with it.
    ///   - priority: Handlers of higher priority are called first.
    ///   - once: Whether the first event ends the watch.
    ///   - fileID: The file for reports.
    ///   - line: The line for reports.
    ///   - handler: The handler.
    /// - Returns: The handle that ends the watch.
    /// - Precondition: The name of a topic with a literal name isn't bound to another payload type on this bus. For other
    ///   topics, the failure hook receives the error, and the watch has ended.
    public func watch<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) throws -> Void
    ) -> Watch {
        register(
            topic, .inline(handler), from: source, priority: priority, once: once, at: TriggerPlace(fileID, line))
    }

    /// Watches events for an owner, which the handler receives; the watch is added to the owner's bag.
    ///
    /// The bus holds the owner weakly. The other parameters are those of the watch without an owner.
    @discardableResult
    public func watch<Payload, Owner: WatchOwner>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<Payload>) throws -> Void
    ) -> Watch {
        let call: WatchDelivery<Payload> = .inline { [weak owner] signal in
            if let owner { try handler(owner, signal) }
        }
        return register(
            topic, call, from: source, owner: owner, bag: owner.watches, priority: priority, once: once,
            at: TriggerPlace(fileID, line))
    }

    /// Observes events without handling them, with a handler that is called inside `trigger`.
    ///
    /// Debug views and logs observe. A bridge to other processes doesn't fetch an event for observers only, because another
    /// process may have to handle it; a watch of a pattern is an observer, too.
    package func observe<Payload>(
        _ topic: Topic<Payload>, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) throws -> Void
    ) -> Watch {
        let options = WatchOptions(
            pattern: topic.core.pattern, source: nil, isObserver: true, at: TriggerPlace(fileID, line))
        return register(topic, options, .inline(handler))
    }

    // MARK: On the main actor

    /// Watches events on the main actor.
    ///
    /// If `trigger` is called on the main actor and no event waits for this watch, the handler runs inside `trigger`.
    /// Otherwise the event is queued and handled in the order of the triggers. With `alwaysQueued`, the handler never
    /// runs inside `trigger`. Each watch has a queue of its own, so that the queued handlers of two watches have no order.
    public func watchOnMain<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Signal<Payload>) throws -> Void
    ) -> Watch {
        let queue = EventQueue<Payload>.main(isAlwaysQueued: alwaysQueued, didHandle: didHandle) { signal in
            try handler(signal)
            return true
        }
        return register(
            topic, .queued(queue), from: source, priority: priority, once: once, at: TriggerPlace(fileID, line))
    }

    /// Watches events on the main actor for an owner, which the handler receives.
    @discardableResult
    public func watchOnMain<Payload, Owner: WatchOwner>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        alwaysQueued: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @MainActor @Sendable (Owner, Signal<Payload>) throws -> Void
    ) -> Watch {
        let queue = EventQueue<Payload>.main(isAlwaysQueued: alwaysQueued, didHandle: didHandle) {
            [weak owner] signal in
            guard let owner else { return false }
            try handler(owner, signal)
            return true
        }
        return register(
            topic, .queued(queue), from: source, owner: owner, bag: owner.watches, priority: priority, once: once,
            at: TriggerPlace(fileID, line))
    }

    // MARK: Through a mailbox

    /// Watches events on an actor, which is held weakly.
    ///
    /// Events wait in a mailbox. The handler runs for one event at a time, in the order of the triggers, even if it
    /// suspends. Its errors are passed to the failure hook.
    public func watch<Payload, On: Actor>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, on actor: On, buffer: EventBuffer = .newest(64),
        priority: Int8 = 0, once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (isolated On, Signal<Payload>) async throws -> Void
    ) -> Watch {
        let queue = EventQueue<Payload>.actor(actor, buffer, didHandle: didHandle, handler: handler)
        return register(
            topic, .queued(queue), from: source, owner: actor, priority: priority, once: once,
            at: TriggerPlace(fileID, line))
    }

    /// Watches events through a mailbox; the asynchronous handler runs for one event at a time.
    ///
    /// The errors of the handler are passed to the failure hook.
    public func watch<Payload>(
        _ topic: Topic<Payload>, from source: AnyObject? = nil, buffer: EventBuffer, priority: Int8 = 0,
        once: Bool = false, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> Watch {
        register(
            topic, .queued(.task(buffer, didHandle: didHandle, handler: handler)), from: source, priority: priority,
            once: once, at: TriggerPlace(fileID, line))
    }

    // MARK: Registering

    /// Returns the payloads of the stored events of a topic, the oldest first; the last one is the current value.
    ///
    /// ```swift
    /// let bus = EventBus()
    /// let user = Topic<String>("account:user", keeping: 1)
    /// bus.trigger(user, "anna")
    /// print(bus.kept(user).last ?? "nobody")  // anna
    /// ```
    public func kept<Payload>(_ topic: Topic<Payload>) -> [Payload] {
        state.withLock { $0.topic(topic.name)?.stored.events ?? [] }.compactMap { $0.payload as? Payload }
    }

    /// Removes the stored events of a topic.
    public func clearKept<Payload>(_ topic: Topic<Payload>) {
        // The events are released outside the mutex.
        _ = state.withLock { $0.clearStored(topic.name) }
    }

    private func register<Payload>(
        _ topic: Topic<Payload>, _ delivery: WatchDelivery<Payload>, from source: AnyObject?,
        owner: AnyObject? = nil, bag: WatchBag? = nil, priority: Int8, once: Bool, at place: TriggerPlace
    ) -> Watch {
        let options = WatchOptions(
            pattern: topic.core.pattern, source: source, owner: owner, bag: bag, priority: priority, once: once,
            at: place)
        return register(topic, options, delivery)
    }

    /// Adds a watcher.
    ///
    /// A topic whose name is bound to another payload type is a mistake of the program if its name is a literal;
    /// otherwise the failure is reported, and the watch has ended.
    func register<Payload>(
        _ topic: Topic<Payload>, _ options: WatchOptions, _ delivery: WatchDelivery<Payload>
    ) -> Watch {
        do { return try add(topic, options, delivery) } catch {
            guard !topic.core.isLiteral else { preconditionFailure(error.description) }
            _ = refuse(error)
            if case .queued(let queue) = delivery { queue.end() }
            return Watch()
        }
    }

    /// Adds a watcher.
    ///
    /// - Throws: ``EventBusError`` with the code `payloadMismatch` or `duplicateResponder`.
    func add<Payload>(
        _ topic: Topic<Payload>, _ options: WatchOptions, _ delivery: WatchDelivery<Payload>
    ) throws(EventBusError) -> Watch {
        let core = topic.core
        let watcher = Watcher(core.name, options, on: self)
        let handler = TypedHandler(watcher, delivery)
        // Retained, so that it isn't released under the mutex.
        let source = options.details?.source.object
        if source == nil, options.details?.sourceID != nil {
            _ = watcher.markCancelled()
            handler.didCancel()
            return Watch(watcher)
        }
        let addition = try state.withLock { state throws(EventBusError) in
            if let pattern = core.pattern, pattern.exactName == nil { return state.add(handler, pattern, source) }
            return try state.add(handler, core, source)
        }
        for ended in addition.ended where ended.watcher.markCancelled() { ended.didCancel() }
        // Checking an object retains and releases it, so the mutex isn't held.
        if addition.mustSweep { for watcher in allWatchers where watcher.isOrphan { _ = cancel(watcher) } }
        let watch = Watch(watcher)
        options.bag?.insert(watch)
        interest.check(core.name)
        for (name, runner, _) in addition.storing.sorted(by: { $0.oldest < $1.oldest }) {
            deliverStored(name, runner, to: handler)
        }
        return watch
    }

    /// Ends an owner's watches on this bus that match all given criteria; without criteria, all of them.
    ///
    /// A name or pattern is compared with the text of the watch. A name without a source also matches
    /// watches with a source, and a source without a name also matches watches with a name.
    ///
    /// - Returns: The number of watches that ended.
    /// - Complexity: O(*n*) in the number of the owner's watches.
    @discardableResult
    public func unwatch(_ name: String? = nil, from source: AnyObject? = nil, owner: some WatchOwner) -> Int {
        owner.watches.cancel { watch in
            guard watch.belongs(to: self) else { return false }
            if let source, watch.sourceID != ObjectIdentifier(source) { return false }
            return name.map { watch.watched == $0 } ?? true
        }
    }
}
