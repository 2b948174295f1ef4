internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging

/// Connects a bus with the topics of other processes, until it is stopped.
final class FleetBridge: Sendable {
    let bus: EventBus
    let connection: NatsConnection
    let counting = FleetCounting()
    let stored: StoredEvents
    private let topics: FleetTopics
    private let subjects: EventSubjects
    /// The name and the subject of each entry with only one, unless an earlier entry names it.
    ///
    /// They needn't be searched for and converted for each event.
    private let exact: [(name: String, subject: String)?]
    private let log = Log("fleet")
    private let watches = WatchBag()
    private let state = Mutex(State())

    private struct State: Sendable {
        /// What is watched on the bus.
        var interest: [EventInterest] = []
        /// The subscriptions of an entry, by its index; nil after the end.
        var subscriptions: [Int: [any AnyObject & Sendable]]? = [:]
    }

    init(_ bus: EventBus, _ connection: NatsConnection, _ topics: FleetTopics) {
        let subjects = EventSubjects(prefix: connection.options.prefix)
        self.bus = bus
        self.connection = connection
        self.topics = topics
        self.subjects = subjects
        exact = topics.rules.enumerated().map { index, rule in
            let name = rule.pattern.description
            guard topics.index(of: name) == index, let subject = try? subjects.subject(of: name) else { return nil }
            return (name, subject)
        }
        stored = StoredEvents(connection, subjects: topics.storedSubjects(subjects).map(\.subject), counting)
        for (index, rule) in topics.rules.enumerated() {
            let watch =
                if rule.delivery.isStored {
                    bus.intercept(
                        Topic(matching: rule.pattern), excluding: self,
                        with: AsyncInterceptor(.suspend(4096)) { [self] event, next in
                            isFirst(index, event.name) ? await store(event, rule, index) : await next(event)
                        })
                } else {
                    bus.intercept(
                        Topic(matching: rule.pattern), excluding: self,
                        with: Exporter(bridge: self, index: index, rule: rule))
                }
            watch.store(in: watches)
        }
        bus.watchInterest { [self] in follow($0) }.store(in: watches)
    }

    /// Ends the export and the import.
    func stop() {
        watches.cancelAll()
        let old = state.withLock { state in
            defer { state.subscriptions = nil }
            return state.subscriptions
        }
        _ = consume old
        stored.stop()
    }

    /// Returns whether an entry of the table is the first one that names an event.
    private func isFirst(_ index: Int, _ name: String) -> Bool {
        exact[index] != nil || topics.index(of: name) == index
    }

    // MARK: Export

    /// Publishes events inside their triggers.
    private struct Exporter: EventInterceptor {
        let bridge: FleetBridge
        let index: Int
        let rule: FleetRule

        func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
            guard bridge.isFirst(index, event.name) else { return next(event) }
            if rule.request != nil, let request = event.request {
                bridge.send(request, event, rule, index)
                return next(event)
            }
            // A member of the group in this process comes first.
            if rule.delivery.group != nil, bridge.isWatched(event.name) { return next(event) }
            var event = event
            do {
                try bridge.connection.publish(try bridge.message(of: event, event.payload, rule, index))
                bridge.counting.update { $0.published += 1 }
                event.isExported = true
                return next(event)
            } catch {
                // A request whose topic only an entry for events names.
                if event.request != nil { return next(event) }
                bridge.counting.report(\.unpublished, "can't publish '\(event.name)': \(error)")
                return next(event).adding(failures: [error])
            }
        }
    }

    private func message(
        of event: InterceptedEvent, _ payload: any Sendable, _ rule: FleetRule, _ index: Int
    ) throws -> NatsMessage {
        let subject = try exact[index]?.subject ?? subjects.subject(of: event.name)
        return NatsMessage(
            subject: subject, payload: try rule.encode(payload), headers: event.metadata?.fleetHeaders ?? [:])
    }

    private func isWatched(_ name: String) -> Bool {
        state.withLock { $0.interest.contains { $0.kind == .events && $0.pattern.matches(name) } }
    }

    /// Stores an event in the stream, from which all processes receive it, this one too.
    private func store(_ event: InterceptedEvent, _ rule: FleetRule, _ index: Int) async -> DeliveryResult {
        do {
            try await stored.publish(try message(of: event, event.payload, rule, index), isAwaited: event.isAwaited)
            counting.update { $0.published += 1 }
            return .postponed
        } catch {
            counting.report(\.unpublished, "can't store '\(event.name)': \(error)")
            return DeliveryResult.droppedEvent.adding(failures: [error])
        }
    }

    // MARK: Import

    /// Subscribes to the topics of the table that are watched, and ends the subscriptions that nobody needs.
    private func follow(_ change: EventInterest) {
        let (interests, old) = state.withLock { state in
            state.interest.removeAll { $0.pattern == change.pattern && $0.kind == change.kind }
            if change.isPresent { state.interest.append(change) }
            return (state.interest, state.subscriptions)
        }
        for (index, rule) in topics.rules.enumerated() {
            let own = subjects.subjects(of: rule.pattern)
            let isWatched = interests.contains { interest in
                interest.kind == (rule.request == nil ? .events : .requests)
                    && subjects.subjects(of: interest.pattern).contains { other in
                        own.contains { SubjectSet.overlap($0, other) }
                    }
            }
            guard let old, isWatched != (old[index] != nil) else { continue }
            do {
                let new = isWatched ? try own.map { try subscribe(to: $0, rule, index) } : nil
                state.withLock { $0.subscriptions?[index] = new }
            } catch {
                log.error("can't subscribe to '\(rule.pattern)': \(error)")
            }
        }
        // The old subscriptions end here, outside the lock.
        withExtendedLifetime(old) {}
    }

    private func subscribe(to subject: String, _ rule: FleetRule, _ index: Int) throws -> any AnyObject & Sendable {
        if rule.request != nil {
            return try connection.subscribe(to: subject, group: "responders") { [self] message in
                Task.detached { await self.answer(message, rule) }
            }
        }
        if rule.delivery.isStored {
            return try StoredConsumer(stored, subject) { [self] message in
                await receive(message, rule, index, awaitsHandlers: true)
            }
        }
        let queue = MessageQueue(maximumCount: connection.options.maximumWaiting) { [self] message in
            _ = await receive(message, rule, index, awaitsHandlers: false)
        }
        return try connection.subscribe(to: subject, group: rule.delivery.group) { [counting] message in
            if queue.put(message) { return }
            counting.report(\.overflowed, "too many events of '\(subject)' wait, so that some are dropped")
        }
    }

    /// Delivers a received event; returns whether it is done with, so that it needn't be received again.
    private func receive(_ message: NatsMessage, _ rule: FleetRule, _ index: Int, awaitsHandlers: Bool) async -> Bool {
        guard let name = exact[index]?.name ?? subjects.name(of: message.subject),
            message.payload.count <= connection.options.maximumPayload
        else {
            counting.report(\.malformed, "the message '\(message.subject)' isn't an event")
            return true
        }
        // An earlier entry of the table has a subscription of its own.
        guard isFirst(index, name) else { return true }
        do {
            let result: DeliveryResult
            if message.headers.isEmpty {
                result = try await rule.deliver(message.payload, name, bus, self, awaitsHandlers)
            } else {
                result = try await EventMetadata(of: message).whileCurrent {
                    try await rule.deliver(message.payload, name, bus, self, awaitsHandlers)
                }
            }
            counting.update { $0.received += 1 }
            guard awaitsHandlers, let error = result.failures.first else { return true }
            counting.report(\.failed, "a handler of '\(name)' failed, so the event is received again: \(error)")
            return false
        } catch {
            counting.report(\.malformed, "the payload of '\(name)' can't be read: \(error)")
            return true
        }
    }

    // MARK: Requests

    /// Sends a request to another process, unless this one has a responder.
    private func send(_ request: EventRequest, _ event: InterceptedEvent, _ rule: FleetRule, _ index: Int) {
        guard let coding = rule.request, request.accept() else { return }
        let call = Task {
            do {
                var message = try message(of: event, request.payload, rule, index)
                let limit = max(request.remaining, .milliseconds(1))
                message.headers[NatsHeader.limit] = "\(limit.milliseconds)"
                let reply = try await connection.request(message, within: limit, endsWithConnection: false)
                if let error = reply.headers[NatsHeader.error] {
                    throw FleetError(.responderFailed, error, subject: event.name)
                }
                request.reply(.success(try coding.reply(reply.payload)))
            } catch {
                let codes = [FleetError.Code.noResponder: EventBusError.Code.noResponder, .timedOut: .requestTimedOut]
                let known = (error as? FleetError).flatMap { codes[$0.code] }
                let shown = known.map { EventBusError($0, subject: event.name, underlying: error) as any Error }
                request.reply(.failure(shown ?? error))
            }
        }
        request.whenEnded { call.cancel() }
    }

    /// Answers a request of another process.
    private func answer(_ message: NatsMessage, _ rule: FleetRule) async {
        guard let coding = rule.request, let reply = message.reply, subjects.name(of: message.subject) != nil else {
            return counting.report(\.malformed, "the message '\(message.subject)' isn't a request")
        }
        let limit = message.headers[NatsHeader.limit].flatMap { Int64($0) } ?? 30_000
        var response = NatsMessage(subject: reply, payload: [])
        do {
            response.payload = try await EventMetadata(of: message).whileCurrent {
                try await coding.answer(message.payload, bus, .milliseconds(limit), self)
            }
        } catch {
            let text = SecretText.redacted("\(error)")
            response.headers[NatsHeader.error] = text.isEmpty ? "error" : text
        }
        counting.update { $0.received += 1 }
        do { try connection.publish(response) } catch { log.error("can't reply to '\(message.subject)': \(error)") }
    }
}

extension EventMetadata {
    /// The headers of a message with this metadata.
    fileprivate var fleetHeaders: [String: String] {
        var headers = headers.filter { NatsHeader.isFree($0.key) }
        headers[NatsHeader.source] = source
        headers[NatsHeader.traceParent] = traceParent?.description
        headers[NatsHeader.traceState] = traceState
        headers[NatsHeader.correlation] = correlationID
        headers[NatsHeader.time] = time.map { "\($0.milliseconds)" }
        return headers
    }

    /// Reads the metadata of a message.
    fileprivate init(of message: NatsMessage) {
        let headers = message.headers
        self.init(
            source: headers[NatsHeader.source],
            time: headers[NatsHeader.time].flatMap { Int64($0) }.map { .milliseconds($0) },
            correlationID: headers[NatsHeader.correlation],
            traceParent: headers[NatsHeader.traceParent].flatMap { try? TraceParent(parsing: $0) },
            traceState: headers[NatsHeader.traceState], headers: headers.filter { NatsHeader.isFree($0.key) })
    }
}
