import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

/// A message as a broker carries it: text only, with a subject and headers.
private struct Message: Sendable {
    var subject: String
    var payload: String
    var headers: [String: String] = [:]
    /// Answers a request; nil for an event.
    var reply: (@Sendable (Result<String, any Error>) -> Void)?
    /// The end of the caller's wait for a request.
    var whenEnded: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
}

/// A broker in memory with subjects, wildcards and queue groups, as NATS has them.
private final class Broker: Sendable {
    struct Subscription: Sendable {
        let owner: Int
        let subject: String
        /// Whether each message goes to one subscriber of the subject only.
        let isShared: Bool
        let receive: @Sendable (Message) async -> Void
    }

    private let state = Mutex<(subscriptions: [Int: Subscription], last: Int, turn: Int)>(([:], 0, 0))
    let published = Recorder<String>()

    func subscribe(_ subscription: Subscription) -> Int {
        state.withLock { state in
            state.last += 1
            state.subscriptions[state.last] = subscription
            return state.last
        }
    }

    func unsubscribe(_ number: Int) {
        let old = state.withLock { $0.subscriptions.removeValue(forKey: number) }
        _ = consume old
    }

    var subjects: [String] { state.withLock { $0.subscriptions.values.map(\.subject).sorted() } }

    /// Delivers a message, waits for its receivers, and returns their number.
    func publish(_ message: Message, by owner: Int) async -> Int {
        published.note(message.subject)
        let (all, turn) = state.withLock { state in
            state.turn += 1
            let all = state.subscriptions.sorted { $0.key < $1.key }.map(\.value)
            return (all.filter { $0.owner != owner && Self.matches($0.subject, message.subject) }, state.turn)
        }
        let shared = all.filter(\.isShared)
        let receivers = all.filter { !$0.isShared } + (shared.isEmpty ? [] : [shared[turn % shared.count]])
        for receiver in receivers { await receiver.receive(message) }
        return receivers.count
    }

    private static func matches(_ pattern: String, _ subject: String) -> Bool {
        let (wanted, given) = (pattern.split(separator: "."), subject.split(separator: "."))
        for (index, token) in wanted.enumerated() {
            if token == ">" { return given.count > index }
            guard index < given.count, token == "*" || token == given[index] else { return false }
        }
        return wanted.count == given.count
    }
}

/// A bridge of a bus to the broker, written with the public interface of the bus only.
private final class Bridge: Sendable {
    let bus: EventBus
    private let number: Int
    private let broker: Broker
    private let subjects = EventSubjects(prefix: "app")
    private let subscriptions = Mutex<[Interest: [Int]]>([:])
    private let watches = WatchBag()

    private struct Interest: Hashable {
        let pattern: TopicPattern
        let kind: EventInterest.Kind
    }

    init(_ number: Int, _ bus: EventBus, _ broker: Broker) {
        self.bus = bus
        self.number = number
        self.broker = broker
        let exporter = AsyncInterceptor(.suspend(4)) { [weak self] event, next in
            guard let self else { return await next(event) }
            return await export(event, next)
        }
        bus.intercept(Topic(matching: "**"), excluding: self, with: exporter).store(in: watches)
        bus.watchInterest { [weak self] in self?.follow($0) }.store(in: watches)
    }

    /// Events of numbers and requests for the length of texts leave the process; others don't.
    private func export(
        _ event: InterceptedEvent, _ next: @Sendable (InterceptedEvent) async -> DeliveryResult
    ) async -> DeliveryResult {
        guard let subject = try? subjects.subject(of: event.name) else { return await next(event) }
        var headers = event.metadata?.headers ?? [:]
        headers["traceparent"] = event.metadata?.traceParent?.description
        headers["source"] = event.metadata?.source ?? "process \(number)"
        if let request = event.request, let text = request.payload as? String {
            guard request.accept() else { return await next(event) }
            headers["milliseconds"] = "\(Int(request.remaining / .milliseconds(1)))"
            let message = Message(subject: subject, payload: text, headers: headers) { reply in
                request.reply(reply.map { Int($0) ?? -1 })
            } whenEnded: {
                request.whenEnded($0)
            }
            // Not awaited: other requests are sent while this one waits for its reply.
            Task { [broker, number] in
                if await broker.publish(message, by: number) == 0 {
                    request.reply(.failure(EventBusError(.noResponder, subject: event.name)))
                }
            }
            return await next(event)
        }
        guard let payload = event.payload as? Int else { return await next(event) }
        let count = await broker.publish(Message(subject: subject, payload: "\(payload)", headers: headers), by: number)
        var event = event
        event.isExported = count > 0
        return await next(event).adding(delivered: count)
    }

    /// Subscribes to what is watched on the bus.
    private func follow(_ interest: EventInterest) {
        // This broker imports whatever is watched, also by observers.
        if interest.kind == .handlers { return }
        let key = Interest(pattern: interest.pattern, kind: interest.kind)
        guard interest.isPresent else {
            for number in subscriptions.withLock({ $0.removeValue(forKey: key) }) ?? [] { broker.unsubscribe(number) }
            return
        }
        let numbers = subjects.subjects(of: interest.pattern).map { subject in
            broker.subscribe(
                Broker.Subscription(owner: number, subject: subject, isShared: interest.kind == .requests) {
                    [weak self] message in
                    guard let self, let name = subjects.name(of: message.subject) else { return }
                    message.reply == nil ? await receive(message, name) : answer(message, name)
                })
        }
        subscriptions.withLock { $0[key] = numbers }
    }

    private func receive(_ message: Message, _ name: String) async {
        guard let number = Int(message.payload), let topic = try? Topic<Int>(named: name) else { return }
        var headers = message.headers
        let metadata = EventMetadata(
            source: headers.removeValue(forKey: "source"),
            traceParent: headers.removeValue(forKey: "traceparent").flatMap { try? TraceParent(parsing: $0) },
            headers: headers)
        await metadata.whileCurrent { await bus.send(topic, number, from: self) }
    }

    private func answer(_ message: Message, _ name: String) {
        let limit = Duration.milliseconds(Int(message.headers["milliseconds"] ?? "") ?? 0)
        let task = Task {
            let result: Result<String, any Error>
            do {
                let topic = try RequestTopic<String, Int>(named: name)
                result = .success("\(try await bus.request(topic, message.payload, within: limit, from: self))")
            } catch {
                result = .failure(error)
            }
            message.reply?(result)
        }
        message.whenEnded { task.cancel() }
    }
}

/// Three buses that only a broker connects, as if they were in three processes.
@Suite("Buses that a broker connects", .timeLimit(.minutes(2)))
struct BrokerTests {
    private let broker = Broker()
    private let bridges: [Bridge]
    private let shown = Topic<Int>("note:shown")
    private let length = RequestTopic<String, Int>("text:length")
    private let bag = WatchBag()
    private var buses: [EventBus] { bridges.map(\.bus) }

    init() {
        let broker = broker
        bridges = (0..<3).map { Bridge($0, EventBus(), broker) }
    }

    @Test("Events reach the watchers of all buses in the order of their publisher, and once")
    func order() async throws {
        let seen = (0..<3).map { _ in Recorder<[Int]>() }
        for (bus, log) in zip(buses, seen) {
            bus.watch("note:**") { log.note([Int($0.metadata?.headers["by"] ?? "") ?? 0, $0.payload as? Int ?? 0]) }
                .store(in: bag)
        }
        await withTaskGroup { group in
            for (by, bus) in buses.enumerated() {
                group.addTask { [shown] in
                    for number in 0..<100 {
                        await EventMetadata(headers: ["by": "\(by)"]).whileCurrent { await bus.send(shown, number) }
                    }
                }
            }
        }
        for log in seen {
            try await until { log.items.count >= 300 }
            for by in 0..<3 { #expect(log.items.filter { $0[0] == by }.map { $0[1] } == Array(0..<100)) }
        }
        #expect(broker.published.items.count == 300, "an imported event isn't exported again")
    }

    @Test("Headers and traces arrive, and an event that a handler triggers has its own source")
    func metadata() async throws {
        let log = Recorder<EventMetadata?>()
        let answered = Topic<Int>("note:answered")
        buses[1].watch(shown) { [bus = buses[1]] in bus.trigger(answered, $0.payload) }.store(in: bag)
        buses[2].watch("note:*") { log.note($0.metadata) }.store(in: bag)
        let trace = TraceParent()
        let metadata = EventMetadata(source: "phone", traceParent: trace, headers: ["color": "red"])
        await metadata.whileCurrent { _ = await buses[0].send(shown, 1) }
        try await until { log.items.count == 2 }
        // The broker delivers to one bus after the other, so the answer can arrive first.
        let items = log.items.sorted { ($0?.source ?? "") < ($1?.source ?? "") }
        #expect(items.map { $0?.source } == ["phone", "process 1"])
        #expect(items.map { $0?.headers } == [["color": "red"], [:]])
        #expect(log.items.allSatisfy { $0?.traceParent == trace })
    }

    @Test("Subscriptions follow the first and the last watch, for names with dots and spaces, too")
    func interest() async throws {
        #expect(broker.subjects == [])
        let first = buses[0].watch(Topic<Int>("note:v1.2 beta")) { _ in }
        let second = buses[0].watch(Topic<Int>("note:v1.2 beta")) { _ in }
        let all = buses[1].events(Topic(matching: "note:**"))
        let responder = try buses[2].respond(to: length) { $0.count }
        #expect(broker.subjects == ["app.note", "app.note.>", "app.note.v1%2E2%20beta", "app.text.length"])
        first.cancel()
        #expect(broker.subjects.contains("app.note.v1%2E2%20beta"))
        second.cancel()
        responder.cancel()
        #expect(broker.subjects == ["app.note", "app.note.>"])
        _ = consume all
        #expect(broker.subjects == [])
    }

    @Test("An exported event isn't undelivered, and its result contains the deliveries of other buses")
    func result() async {
        let undelivered = Recorder<Int?>()
        buses[0].onUndelivered { undelivered.note($0.payload as? Int) }
        #expect(await buses[0].send(shown, 1).delivered == 0)
        for bus in buses.dropFirst() { bus.watch(shown) { _ in }.store(in: bag) }
        let result = await buses[0].send(shown, 2)
        #expect(result.delivered == 2 && result.failures.isEmpty)
        #expect(undelivered.items == [1])
    }

    @Test("Requests reach a responder in another process, many at the same time, and a lost one blocks no other")
    func requests() async throws {
        let (gate, entered, lost) = (Gate(), Recorder<Int>(), Recorder<String>())
        try buses[1].respond(to: length) { text in
            if text == "lost" {
                lost.note(text)
                try await Task.sleep(for: .seconds(60))
            }
            entered.note(text.count)
            await gate.pass()
            return text.count
        }.store(in: bag)
        let other = Task { [bus = buses[2], length] in try await bus.request(length, "lost") }
        try await until { lost.items.count == 1 }
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for count in 0..<20 {
                group.addTask { [bus = buses[0], length] in
                    (count, try await bus.request(length, String(repeating: "x", count: count)))
                }
            }
            // All of them are at the gate at the same time.
            try await until { entered.items.count == 20 }
            gate.open()
            for try await (count, reply) in group { #expect(reply == count) }
        }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
    }

    @Test("A local responder answers before a remote one, and the error of a remote one arrives")
    func localAndRemote() async throws {
        try buses[1].respond(to: length) { text in
            if text.isEmpty { throw Oops(7) }
            return 1000
        }.store(in: bag)
        let local = try buses[0].respond(to: length) { $0.count }
        #expect(try await buses[0].request(length, "abc") == 3)
        #expect(try await buses[2].request(length, "abc") > 0)
        local.cancel()
        #expect(try await buses[0].request(length, "abc") == 1000)
        await #expect(throws: Oops(7)) { try await buses[0].request(length, "") }
        bag.cancelAll()
        let error = await #expect(throws: EventBusError.self) { try await buses[0].request(length, "") }
        #expect(error?.code == .noResponder)
    }

    @Test("The deadline and the cancellation of a request reach the responder", arguments: [true, false])
    func deadline(isCancelled: Bool) async throws {
        let (started, ended) = (Recorder<Duration>(), Gate())
        try buses[1].respond(to: length) { _ in
            started.note(EventRequest.current?.remaining ?? .zero)
            do { try await Task.sleep(for: .seconds(60)) } catch { ended.open() }
            return 0
        }.store(in: bag)
        let (clock, limit) = (ManualClock(), Duration.seconds(50))
        let request = Task { [bus = buses[0], length] in
            try await bus.request(length, "abc", within: limit, clock: clock)
        }
        try await until { started.items.count == 1 }
        #expect(started.items[0] <= limit && started.items[0] > .seconds(1))
        await clock.untilSomebodySleeps()
        if isCancelled { request.cancel() } else { clock.advance(by: limit) }
        await #expect(throws: (any Error).self) { try await request.value }
        await ended.pass()
    }

    @Test("A slow watcher in another process makes the sender wait, and nothing is dropped")
    func backPressure() async throws {
        let stream = buses[1].events(shown, buffer: .suspend(2))
        let sent = Recorder<Int>()
        let sender = Task { [bus = buses[0], shown] in
            for number in 0..<20 {
                await bus.send(shown, number)
                sent.note(number)
            }
        }
        try await until { sent.items.count == 2 }
        for _ in 0..<500 { await Task.yield() }
        #expect(sent.items.count == 2, "two events fill the stream's buffer")
        var received: [Int] = []
        for await signal in stream {
            received.append(signal.payload)
            if received.count == 20 { break }
        }
        await sender.value
        #expect(received == Array(0..<20) && stream.dropped == 0)
    }
}
