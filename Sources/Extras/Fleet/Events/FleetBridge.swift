internal import AshlarCore
internal import AshlarEventBus
internal import AshlarLogging

/// Connects a bus with the topics of other processes.
final class FleetBridge: Sendable {
    let bus: EventBus
    let connection: NatsConnection
    let topics: FleetTopics
    let subjects: EventSubjects
    private let addresses: TopicAddresses
    let counters = Shared(FleetCounters())
    let stored: StoredEvents
    private let log = Log("fleet")
    private let watches = WatchBag()
    private let state = Mutex(State())

    private struct State: Sendable {
        /// What is watched on the bus.
        var interest: Set<Interest> = []
        /// The subscriptions of an entry, by its index.
        var subscriptions: [Int: [any AnyObject & Sendable]] = [:]
    }

    private struct Interest: Hashable {
        let pattern: TopicPattern
        let kind: EventInterest.Kind
    }

    init(_ bus: EventBus, _ connection: NatsConnection, _ topics: FleetTopics) {
        self.bus = bus
        self.connection = connection
        self.topics = topics
        subjects = EventSubjects(prefix: connection.options.prefix)
        addresses = TopicAddresses(topics, subjects)
        stored = StoredEvents(connection, topics, subjects, counters)
    }

    /// Begins to export and to import.
    func start() throws(FleetError) {
        try stored.start()
        for (index, rule) in topics.rules.enumerated() {
            let watch =
                switch rule.delivery {
                case .once:
                    bus.intercept(rule.pattern, with: Exporter(bridge: self, index: index, rule: rule))
                case .stored:
                    bus.intercept(rule.pattern, excluding: self, buffer: .suspend(4096)) { [weak self] event, next in
                        guard let self, addresses.address(of: event.name)?.index == index else {
                            return await next(event)
                        }
                        return await store(event, rule)
                    }
                }
            watch.store(in: watches)
        }
        bus.watchInterest { [weak self] in self?.follow($0) }.store(in: watches)
    }

    /// Ends the export and the import.
    func stop() {
        watches.cancelAll()
        let old = state.withLock { state in
            defer { state.subscriptions = [:] }
            return state.subscriptions
        }
        _ = consume old
        stored.stop()
    }

    // MARK: Export

    /// Publishes events inside their triggers.
    private struct Exporter: EventInterceptor {
        weak let bridge: FleetBridge?
        let index: Int
        let rule: FleetRule

        func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
            guard let bridge, !event.isFrom(bridge), bridge.addresses.address(of: event.name)?.index == index else {
                return next(event)
            }
            if let request = event.request {
                bridge.send(request, event, rule)
                return next(event)
            }
            // A member of the group in this process comes first.
            if case .once(group: .some) = rule.delivery, bridge.isWatched(event.name) { return next(event) }
            var event = event
            do {
                try bridge.publish(event, rule)
                event.isExported = true
                return next(event)
            } catch {
                bridge.count(\.unpublished, "can't publish '\(event.name)': \(error)")
                return next(event).adding(failures: [error])
            }
        }
    }

    func message(of event: InterceptedEvent, _ payload: [UInt8]) throws -> NatsMessage {
        let subject = try addresses.address(of: event.name)?.subject ?? subjects.subject(of: event.name)
        var headers = event.metadata?.fleetHeaders ?? [:]
        if let source = event.metadata?.source { headers[NatsHeader.source] = source }
        return NatsMessage(subject: subject, payload: payload, headers: headers)
    }

    private func publish(_ event: InterceptedEvent, _ rule: FleetRule) throws {
        try connection.publish(try message(of: event, try rule.encode(event.payload)))
        counters.withLock { $0.published += 1 }
    }

    private func isWatched(_ name: String) -> Bool {
        state.withLock { $0.interest.contains { $0.kind == .events && $0.pattern.matches(name) } }
    }

    /// Stores an event in the stream, from which all processes receive it, this one too.
    private func store(_ event: InterceptedEvent, _ rule: FleetRule) async -> DeliveryResult {
        do {
            try await stored.publish(try message(of: event, try rule.encode(event.payload)), isAwaited: event.isAwaited)
            counters.withLock { $0.published += 1 }
            return .postponed
        } catch {
            count(\.unpublished, "can't store '\(event.name)': \(error)")
            return DeliveryResult.droppedEvent.adding(failures: [error])
        }
    }

    // MARK: Import

    /// Subscribes to the topics of the table that are watched, and ends the subscriptions that nobody needs.
    private func follow(_ change: EventInterest) {
        let key = Interest(pattern: change.pattern, kind: change.kind)
        let (interests, old) = state.withLock { state in
            if change.isPresent { state.interest.insert(key) } else { state.interest.remove(key) }
            return (state.interest, state.subscriptions)
        }
        for (index, rule) in topics.rules.enumerated() {
            let own = subjects.subjects(of: rule.pattern)
            let isWatched = interests.contains { interest in
                interest.kind == (rule.request == nil ? .events : .requests)
                    && subjects.subjects(of: interest.pattern).contains { other in
                        own.contains { Subjects.overlap($0, other) }
                    }
            }
            guard isWatched != (old[index] != nil) else { continue }
            do {
                let new = isWatched ? try own.map { try subscribe(to: $0, rule, index) } : nil
                state.withLock { $0.subscriptions[index] = new }
            } catch {
                log.error("can't subscribe to '\(rule.pattern)': \(error)")
            }
        }
        // The old subscriptions end here, outside the lock.
        withExtendedLifetime(old) {}
    }

    private func subscribe(to subject: String, _ rule: FleetRule, _ index: Int) throws -> any AnyObject & Sendable {
        if rule.request != nil {
            return try connection.subscribe(to: subject, group: "responders") { [weak self] message in
                Task.detached { await self?.answer(message, rule) }
            }
        }
        guard case .once(let group) = rule.delivery else {
            return try stored.consume(subject) { [weak self] message in
                guard let self else { return false }
                return await receive(message, rule, index, awaitsHandlers: true)
            }
        }
        let queue = MessageQueue(count: connection.options.maximumWaiting) { [weak self] in
            self?.count(\.overflowed, "too many events of '\(subject)' wait, so that some are dropped")
        } handle: { [weak self] message in
            _ = await self?.receive(message, rule, index, awaitsHandlers: false)
        }
        return try connection.subscribe(to: subject, group: group) { queue.put($0) }
    }

    /// Delivers a received event; returns whether it is done with, so that it needn't be received again.
    private func receive(_ message: NatsMessage, _ rule: FleetRule, _ index: Int, awaitsHandlers: Bool) async -> Bool {
        guard let address = addresses.address(ofSubject: message.subject),
            message.payload.count <= connection.options.maximumPayload
        else {
            count(\.malformed, "the message '\(message.subject)' isn't an event")
            return true
        }
        // An earlier entry of the table has a subscription of its own.
        guard address.index == index else { return true }
        let name = address.name
        let call = FleetRule.Call(source: self, awaitsHandlers: awaitsHandlers)
        do {
            let result: DeliveryResult
            if message.headers.isEmpty {
                result = try await rule.deliver(message.payload, name, bus, call)
            } else {
                result = try await EventMetadata(of: message).whileCurrent {
                    try await rule.deliver(message.payload, name, bus, call)
                }
            }
            counters.withLock { $0.received += 1 }
            guard awaitsHandlers, let error = result.failures.first else { return true }
            count(\.failed, "a handler of '\(name)' failed, so the event is received again: \(error)")
            return false
        } catch {
            count(\.malformed, "the payload of '\(name)' can't be read: \(error)")
            return true
        }
    }

    // MARK: Requests

    /// Sends a request to another process, unless this one has a responder.
    private func send(_ request: EventRequest, _ event: InterceptedEvent, _ rule: FleetRule) {
        guard let coding = rule.request, request.accept() else { return }
        let call = Task {
            do {
                var message = try message(of: event, try rule.encode(request.payload))
                let limit = max(request.remaining, .milliseconds(1))
                message.headers[NatsHeader.limit] = "\(limit.milliseconds)"
                let reply = try await connection.request(message, within: limit)
                if let error = reply.headers[NatsHeader.error] {
                    throw FleetError(.responderFailed, error, subject: event.name)
                }
                request.reply(.success(try coding.reply(reply.payload)))
            } catch let error as FleetError where error.code == .noResponder {
                request.reply(.failure(EventBusError(.noResponder, subject: event.name, underlying: error)))
            } catch let error as FleetError where error.code == .timedOut {
                request.reply(.failure(EventBusError(.requestTimedOut, subject: event.name, underlying: error)))
            } catch {
                request.reply(.failure(error))
            }
        }
        request.whenEnded { call.cancel() }
    }

    /// Answers a request of another process.
    private func answer(_ message: NatsMessage, _ rule: FleetRule) async {
        guard let coding = rule.request, let reply = message.reply, subjects.name(of: message.subject) != nil else {
            return count(\.malformed, "the message '\(message.subject)' isn't a request")
        }
        let limit = message.headers[NatsHeader.limit].flatMap { Int64($0) } ?? 30_000
        var response = NatsMessage(subject: reply, payload: [])
        do {
            response.payload = try await EventMetadata(of: message).whileCurrent {
                try await coding.answer(message.payload, bus, .milliseconds(limit), self)
            }
        } catch {
            // A header has one line.
            let text = SecretText.redacted("\(error)").split(whereSeparator: \.isNewline).joined(separator: " ")
            response.headers[NatsHeader.error] = text.isEmpty ? "error" : text
        }
        counters.withLock { $0.received += 1 }
        do { try connection.publish(response) } catch { log.error("can't reply to '\(message.subject)': \(error)") }
    }

    /// Counts a loss, and logs the first one and those at each power of two.
    func count(_ counter: any WritableKeyPath<FleetCounters, Int> & Sendable, _ text: @autoclosure () -> String) {
        let number = counters.withLock { counters in
            counters[keyPath: counter] += 1
            return counters[keyPath: counter]
        }
        if number & (number - 1) == 0 { log.warning("\(text()) (\(number) in all)") }
    }
}

extension EventMetadata {
    /// The headers of a message with this metadata.
    var fleetHeaders: [String: String] {
        var headers = headers.filter { NatsHeader.isFree($0.key) }
        headers[NatsHeader.traceParent] = traceParent?.description
        headers[NatsHeader.traceState] = traceState
        headers[NatsHeader.correlation] = correlationID
        headers[NatsHeader.time] = time.map { "\($0.milliseconds)" }
        return headers
    }

    /// Reads the metadata of a message.
    init(of message: NatsMessage) {
        var headers = message.headers
        self.init(
            source: headers.removeValue(forKey: NatsHeader.source),
            time: headers.removeValue(forKey: NatsHeader.time).flatMap { Int64($0) }.map { .milliseconds($0) },
            correlationID: headers.removeValue(forKey: NatsHeader.correlation),
            traceParent: headers.removeValue(forKey: NatsHeader.traceParent).flatMap { try? TraceParent(parsing: $0) },
            traceState: headers.removeValue(forKey: NatsHeader.traceState))
        headers[NatsHeader.limit] = nil
        headers[NatsHeader.messageID] = nil
        self.headers = headers
    }
}
