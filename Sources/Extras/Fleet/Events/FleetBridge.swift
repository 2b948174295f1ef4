internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging

/// Connects a bus with the topics of other processes, until it is stopped.
final class FleetBridge: Sendable {
    let bus: EventBus
    let connection: NatsConnection
    let counting: FleetCounting
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
        /// What receives messages, by entry and subject; nil after the end.
        var receivers: [ReceiverKey: any AnyObject & Sendable]? = [:]
        /// The names of the topics that have a handler here.
        var handled: Set<String> = []
    }

    private struct ReceiverKey: Hashable {
        let index: Int
        let subject: String
    }

    init(_ bus: EventBus, _ connection: NatsConnection, _ topics: FleetTopics) {
        let subjects = EventSubjects(prefix: connection.options.prefix)
        self.bus = bus
        self.connection = connection
        counting = connection.counting
        self.topics = topics
        self.subjects = subjects
        exact = topics.rules.enumerated().map { index, rule in
            let name = rule.pattern.description
            guard topics.index(of: name) == index, let subject = try? subjects.subject(of: name) else { return nil }
            return (name, subject)
        }
        stored = StoredEvents(connection, subjects: topics.storedSubjects(subjects).map(\.subject), counting)
        for (index, rule) in topics.rules.enumerated() {
            let exporter = Exporter(bridge: self, index: index, rule: rule)
            bus.intercept(Topic(matching: rule.pattern), excluding: self, with: exporter).store(in: watches)
        }
        bus.watchInterest { [self] in follow($0) }.store(in: watches)
    }

    /// Ends the export and the import.
    func stop() {
        _ = stopReceiving()
        stored.stop()
    }

    /// Ends the export and the import, after the handlers of stored events that run, and after what the server still sends for
    /// them has been given back, within a limit.
    func finish(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        for consumer in stopReceiving() { await consumer.ended(within: max(.zero, end - .now)) }
        stored.stop()
    }

    private func stopReceiving() -> [StoredConsumer] {
        watches.cancelAll()
        let old = state.withLock { state in
            defer { state.receivers = nil }
            return state.receivers.map { Array($0.values) } ?? []
        }
        // The others end when they are released.
        let consumers = old.compactMap { $0 as? StoredConsumer }
        for consumer in consumers { consumer.stop() }
        return consumers
    }

    /// Returns whether an entry of the table is the first one that names an event.
    private func isFirst(_ index: Int, _ name: String) -> Bool {
        exact[index] != nil || topics.index(of: name) == index
    }

    // MARK: Export

    /// Publishes or stores events inside their triggers.
    private struct Exporter: EventInterceptor {
        let bridge: FleetBridge
        let index: Int
        let rule: FleetRule

        func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult {
            guard bridge.isFirst(index, event.name) else { return next(event) }
            if rule.delivery.stored != nil {
                // A request whose topic only an entry for events names.
                return event.request == nil ? bridge.store(event, rule, index) : next(event)
            }
            if rule.request != nil, let request = event.request {
                bridge.send(request, event, rule, index)
                return next(event)
            }
            // A member of the group in this process comes first.
            if rule.delivery.group != nil, bridge.isHandled(event.name) { return next(event) }
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

    private func isHandled(_ name: String) -> Bool { state.withLock { $0.handled.contains(name) } }

    /// Adds an event to those that the server stores, and from which all roles receive it, that of this process too.
    private func store(_ event: InterceptedEvent, _ rule: FleetRule, _ index: Int) -> DeliveryResult {
        do {
            let message = try message(of: event, event.payload, rule, index)
            if event.isAwaited { return event.awaiting { [self] in await storeAwaited(message, event) } }
            guard try stored.add(message) else {
                counting.report(\.overflowed, "too many events wait for the server, so '\(event.name)' is dropped")
                return .droppedEvent
            }
            counting.update { $0.published += 1 }
            return .postponed
        } catch { return notStored(event, error) }
    }

    /// Waits until the server has stored an event.
    private func storeAwaited(_ message: NatsMessage, _ event: InterceptedEvent) async -> DeliveryResult {
        let result = PendingResult<Void>()
        do { try await stored.addWaiting(message, result) } catch { return notStored(event, error) }
        counting.update { $0.published += 1 }
        do { try await stored.wait(for: [result]) } catch {
            // The event still waits, or its loss is counted already.
            return .droppedEvent.adding(failures: [error])
        }
        return .postponed
    }

    private func notStored(_ event: InterceptedEvent, _ error: any Error) -> DeliveryResult {
        counting.report(\.unpublished, "can't store '\(event.name)': \(error)")
        return .droppedEvent.adding(failures: [error])
    }

    // MARK: Import

    /// Subscribes to the topics of the table that are watched, and ends the subscriptions that nobody needs.
    ///
    /// Events that only one process receives are for those that handle their topic. Observers, such as patterns and debug
    /// reports, would take them from the others.
    private func follow(_ change: EventInterest) {
        if change.kind == .handlers {
            guard let name = subjects.exactName(of: change.pattern) else { return }
            state.withLock { state in
                if change.isPresent { state.handled.insert(name) } else { state.handled.remove(name) }
            }
            guard let index = topics.index(of: name), topics.rules[index].delivery.isShared else { return }
            guard let subject = try? subjects.subject(of: name) else { return }
            return receive(change.isPresent, subject, index)
        }
        let interests = state.withLock { state in
            state.interest.removeAll { $0.pattern == change.pattern && $0.kind == change.kind }
            if change.isPresent { state.interest.append(change) }
            return state.interest
        }
        for (index, rule) in topics.rules.enumerated() where !rule.delivery.isShared {
            let own = subjects.subjects(of: rule.pattern)
            let isWatched = interests.contains { interest in
                interest.kind == (rule.request == nil ? .events : .requests)
                    && subjects.subjects(of: interest.pattern).contains { other in
                        own.contains { SubjectSet.overlap($0, other) }
                    }
            }
            for subject in own { receive(isWatched, subject, index) }
        }
    }

    /// Starts or ends a receiver, unless that has been done.
    private func receive(_ isWanted: Bool, _ subject: String, _ index: Int) {
        let key = ReceiverKey(index: index, subject: subject)
        let (old, isEnded) = state.withLock { ($0.receivers?[key], $0.receivers == nil) }
        guard !isEnded, isWanted != (old != nil) else { return }
        do {
            let new = isWanted ? try subscribe(to: subject, topics.rules[index], index) : nil
            let unused = state.withLock { state in
                if state.receivers == nil { return new }
                state.receivers?[key] = new
                return old
            }
            // Outside the lock; other receivers end when they are released.
            (unused as? StoredConsumer)?.stop()
        } catch {
            log.error("can't subscribe to '\(subject)': \(error)")
        }
    }

    private func subscribe(to subject: String, _ rule: FleetRule, _ index: Int) throws -> any AnyObject & Sendable {
        if rule.request != nil {
            let bound = WaitingBound(connection.options)
            return try connection.subscribe(to: subject, group: "responders") { [self] message in
                guard bound.add(message) else { return refuse(message) }
                Task.detached { [self] in
                    await answer(message, rule)
                    bound.remove(message)
                }
            }
        }
        if var handling = rule.delivery.stored {
            handling.deadLetterSubject = try handling.deadLetters.map { try subjects.subject(of: $0) }
            return try StoredConsumer(stored, subject, handling) { [self] delivery in
                await receive(delivery.message, rule, index, delivery.place)
            }
        }
        let queue = MessageQueue(connection.options) { [self] message in await receive(message, rule, index) }
        return try connection.subscribe(to: subject, group: rule.delivery.group) { [counting] message in
            if queue.put(message) { return }
            counting.report(\.overflowed, "too many events of '\(subject)' wait, so that some are dropped")
        }
    }

    /// Delivers a received event, a stored one with its place.
    @discardableResult
    private func receive(
        _ message: NatsMessage, _ rule: FleetRule, _ index: Int, _ place: DeliveredPlace? = nil
    ) async -> StoredOutcome {
        guard let name = exact[index]?.name ?? subjects.name(of: message.subject),
            message.payload.count <= connection.options.maximumPayload
        else {
            counting.report(\.malformed, "the message '\(message.subject)' isn't an event")
            return .handled
        }
        // An earlier entry of the table has a subscription of its own.
        guard isFirst(index, name) else { return .handled }
        do {
            let result: DeliveryResult
            if message.headers.isEmpty, place == nil {
                result = try await rule.deliver(message.payload, name, bus, self, false)
            } else {
                result = try await EventMetadata(of: message, place).whileCurrent {
                    try await rule.deliver(message.payload, name, bus, self, place != nil)
                }
            }
            counting.update { $0.received += 1 }
            guard place != nil else { return .handled }
            if let error = result.failures.first, result.failed > 0 || result.handled == 0 {
                counting.report(\.failed, "a handler of '\(name)' failed, so the event is received again: \(error)")
                return .failed(reason: SecretText.redacted("\(error)"))
            }
            // An interceptor that postpones an event has it.
            return result.handled > 0 || result.queued > 0 ? .handled : .unhandled
        } catch {
            counting.report(\.malformed, "the payload of '\(name)' can't be read: \(error)")
            return rule.delivery.stored?.deadLetters == nil ? .handled : .failed(reason: "malformed payload")
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

    private func refuse(_ message: NatsMessage) {
        counting.report(\.overflowed, "too many requests of '\(message.subject)' wait, so that some are refused")
        guard let reply = message.reply else { return }
        // Without a connection, the caller's limit ends its wait.
        try? connection.publish(
            NatsMessage(subject: reply, payload: [], headers: [NatsHeader.error: "too many requests wait"]))
    }

    /// Answers a request of another process.
    private func answer(_ message: NatsMessage, _ rule: FleetRule) async {
        guard let coding = rule.request, let reply = message.reply, let name = subjects.name(of: message.subject) else {
            return counting.report(\.malformed, "the message '\(message.subject)' isn't a request")
        }
        let limit = message.headers[NatsHeader.limit].flatMap { Int64($0) } ?? 30_000
        var response = NatsMessage(subject: reply, payload: [])
        do {
            response.payload = try await EventMetadata(of: message).whileCurrent {
                try await coding.answer(message.payload, bus, .milliseconds(limit), self)
            }
        } catch let error as EventBusError where error.code == .requestTimedOut && error.subject == name {
            // The caller's own limit ends its wait, with an error that names the time out.
            return counting.update { $0.received += 1 }
        } catch {
            let text = SecretText.redacted("\(error)")
            response.headers[NatsHeader.error] = text.isEmpty ? "error" : text
        }
        counting.update { $0.received += 1 }
        do { try connection.publish(response) } catch { log.error("can't reply to '\(message.subject)': \(error)") }
    }
}
