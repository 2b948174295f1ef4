internal import AshlarCore

/// Members that share the events of a topic or pattern: each event goes to one member, in turn.
///
/// ```swift
/// let bus = EventBus()
/// let jobs = Topic<Int>("job:new")
/// let group = EventGroup(jobs, on: bus)
/// let first = group.join { print("first", $0.payload) }
/// let second = group.join { print("second", $0.payload) }
/// for number in 1...4 { bus.trigger(jobs, number) }  // first 1 and 3, second 2 and 4
/// first.cancel()
/// second.cancel()
/// ```
///
/// The events that wait for a member when it leaves go to the others. If there is no member, events are dropped. When
/// the group is released, the watches of its members end.
public final class EventGroup<Payload: Sendable>: Sendable {
    private let host: Host
    private let watch: Watch

    /// Creates a group without members.
    public init<Selector: EventSelector>(
        _ selector: Selector, on bus: EventBus, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column
    ) where Selector.Payload == Payload {
        let selection = selector.selection
        let host = Host(selection.text, bus)
        self.host = host
        let options = WatchOptions(pattern: selection.pattern, source: nil, location: (fileID, line, column))
        watch = bus.register(selection, options, .inline { host.deliver($0) })
    }

    deinit {
        watch.cancel()
        host.close()
    }

    /// Adds a member, whose asynchronous handler runs for one of its events at a time.
    ///
    /// The errors of the handler are passed to the failure hook of the bus.
    public func join(
        buffer: EventBuffer = .unbounded, fileID: StaticString = #fileID, line: UInt32 = #line,
        column: UInt32 = #column, _ handler: @escaping @Sendable (Signal<Payload>) async throws -> Void
    ) -> Watch {
        let options = WatchOptions(pattern: nil, source: nil, location: (fileID, line, column))
        return host.join { bus, id in
            let queue = EventQueue.task(
                buffer, didHandle: bus.didHandle, leftover: { [weak host] in host?.deliver($0) }, handler: handler)
            return TypedWatcher(options, id: id, traits: [], .queued(queue))
        }
    }

    private final class Host: WatchHost {
        let watched: String
        private weak let bus: EventBus?
        private struct State {
            var members = WatcherRegistry()
            /// The member that received the last event.
            var last: UInt64 = 0
        }

        private let state = Mutex(State())

        init(_ watched: String, _ bus: EventBus) {
            self.watched = watched
            self.bus = bus
        }

        func join(_ make: (EventBus, UInt64) -> TypedWatcher<Payload>) -> Watch {
            guard let bus else { return Watch(host: self, id: 0) }
            let id = state.withLock { state in
                let watcher = make(bus, bus.nextWatchID())
                state.members.append(watcher)
                return watcher.id
            }
            return Watch(host: self, id: id)
        }

        func deliver(_ signal: Signal<Payload>) {
            // A member that leaves at this moment skips the event, which the next member then receives.
            while let member = nextMember(), member.queue?.put(QueuedSignal(signal), for: member) == .skipped {}
        }

        private func nextMember() -> TypedWatcher<Payload>? {
            let next = state.withLock { state -> Watcher? in
                let next = state.members.live.first { $0.id > state.last } ?? state.members.live.first { _ in true }
                state.last = next?.id ?? 0
                return next
            }
            return next as? TypedWatcher<Payload>
        }

        func cancel(_ id: UInt64) -> Bool {
            var watcher = state.withLock { $0.members.remove(id) }
            return end(&watcher)
        }

        func watcher(_ id: UInt64) -> Watcher? { state.withLock { $0.members[id] } }

        func belongs(to owner: AnyObject) -> Bool { bus === owner }

        var cancelledInUse: CancelledWatchers? { bus?.cancelledInUse }

        func close() {
            for watcher in state.withLock({ $0.members.removeAll() }) where watcher.cancel() { watcher.didCancel() }
        }
    }
}
