import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

/// The parts that a bridge to other processes uses.
@Suite("The seam for brokers", .timeLimit(.minutes(2)))
struct SeamTests {
    let bus = EventBus()
    let numbers = Topic<Int>("number:new")
    let log = Recorder<String>()
    let bag = WatchBag()

    @Test("The first and the last watch of a name or pattern are reported, also those from before")
    func interest() throws {
        let before = bus.watch(numbers) { _ in }
        let watch = bus.watchInterest { [log] in log.note("\($0.pattern) \($0.kind) \($0.isPresent)") }
        #expect(log.items == ["number:new events true", "number:new handlers true"])
        log.clear()
        let second = bus.watch(numbers) { _ in }
        let pattern = bus.watch("a:**") { _ in }
        let request = RequestTopic<Int, Int>("request")
        let responder = try bus.respond(to: request) { $0 }
        let sourced = bus.watch(Topic<Int>("sourced"), from: log) { _ in }
        let once = bus.watch(Topic<Int>("once"), once: true) { _ in }
        bus.trigger(Topic<Int>("once"), 1)
        before.cancel()
        second.cancel()
        pattern.cancel()
        responder.cancel()
        sourced.cancel()
        #expect(
            log.items == [
                "a:** events true", "request requests true", "once events true", "once handlers true",
                "once events false", "once handlers false", "number:new events false", "number:new handlers false",
                "a:** events false", "request requests false",
            ])
        #expect(once.isLive == false && watch.cancel() && !watch.cancel())
        bus.watch(numbers) { _ in }.cancel()
        #expect(log.items.count == 10)
    }

    @Test("Observers and patterns observe a topic; only watches and streams that name it handle it")
    func observers() async {
        let watch = bus.watchInterest { [log] in log.note("\($0.pattern) \($0.kind) \($0.isPresent)") }
        let observer = bus.observe(numbers) { _ in throw Oops(1) }
        let pattern = bus.watch("number:*") { _ in throw Oops(2) }
        let patterns = bus.events(Topic(matching: "**"))
        let read = Task { for await _ in patterns { return } }
        #expect(log.items == ["number:new events true", "number:* events true", "** events true"])
        log.clear()
        func send() async -> [Int] {
            let result = await bus.send(numbers, 1, awaitingHandlers: true)
            return [result.delivered, result.failures.count, result.handled, result.failed]
        }
        #expect(await send() == [3, 2, 0, 0])
        await read.value
        let named = bus.watch("number:new", once: true) { _ in }
        // The end of the stream may be reported at any time.
        func changes() -> [String] { log.items.filter { $0.hasPrefix("number:new") } }
        #expect(changes() == ["number:new handlers true"])
        #expect(await send() == [3, 2, 1, 0])
        #expect(changes() == ["number:new handlers true", "number:new handlers false"])
        let failing = bus.watch(numbers, buffer: .unbounded) { _ in throw Oops(3) }
        let stream = bus.events(numbers)
        let reader = Task { for await _ in stream { return } }
        #expect(await send() == [4, 3, 1, 1])
        await reader.value
        for watch in [observer, pattern, named, failing, watch] { watch.cancel() }
    }

    @Test("The reported interest is that of the bus after watches came and went in eight threads")
    func concurrentInterest() async throws {
        let present = Recorder<(String, Bool)>()
        let watch = bus.watchInterest {
            if $0.kind == .events { present.note(("\($0.pattern)", $0.isPresent)) }
        }
        let kept = await withTaskGroup(of: Watch?.self) { group in
            for thread in 0..<8 {
                group.addTask { [bus] in
                    var random = SeededRandom(seed: UInt64(thread))
                    var watches: [Watch] = []
                    for _ in 0..<200 {
                        let name: TopicPattern = Bool.random(using: &random) ? "a" : "b:*"
                        watches.append(bus.watch(name) { _ in })
                        if Bool.random(using: &random) { watches.remove(at: 0).cancel() }
                    }
                    let last = watches.popLast()
                    for watch in watches { watch.cancel() }
                    if thread > 0 { last?.cancel() }
                    return last
                }
            }
            return await group.reduce(into: [Watch]()) { if let watch = $1, watch.isLive { $0.append(watch) } }
        }
        try #require(kept.count == 1)
        let live = kept[0].watched
        for name in ["a", "b:*"] {
            try await until { (present.items.last { $0.0 == name }?.1 ?? false) == (name == live) }
            let states = present.items.filter { $0.0 == name }.map(\.1)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "each report is a change")
        }
        watch.cancel()
        kept[0].cancel()
    }

    @Test("A sender can wait for the handlers that run later, and gets their errors")
    func awaitedHandlers() async throws {
        actor Ledger {}
        let (gate, ledger) = (Gate(), Ledger())
        let stream = bus.events(numbers)
        let reader = Task { for await _ in stream { return } }
        bus.watch(numbers) { [log] _ in log.note("inline") }.store(in: bag)
        bus.watch(numbers, on: ledger) { [log] _, _ in
            await gate.pass()
            log.note("actor")
        }.store(in: bag)
        bus.watch(numbers, buffer: .unbounded) { _ in throw Oops(5) }.store(in: bag)
        bus.watchOnMain(numbers, alwaysQueued: true) { [log] _ in log.note("main") }.store(in: bag)
        let sender = Task { [bus, numbers] in await bus.send(numbers, 1, awaitingHandlers: true) }
        await gate.untilSomebodyComes()
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        let result = await sender.value
        #expect(Set(log.items) == ["inline", "actor", "main"])
        #expect(result.delivered == 5 && result.queued == 0 && result.dropped == 0)
        #expect(result.failures.map { $0 as? Oops } == [Oops(5)])
        await reader.value
        bag.cancelAll()
    }

    @Test("A sender that waits for handlers receives their results, also if the bus or the topic queues events")
    func awaitedBehindQueues() async throws {
        let late = EventBus(delivery: .queuedOnMain)
        for (bus, topic) in [(late, numbers), (bus, Topic<Int>("kept", keeping: 1)), (late, Topic("kept", keeping: 1))]
        {
            let watch = bus.watch(topic) { _ in throw Oops(5) }
            let result = await bus.send(topic, 1, awaitingHandlers: true)
            #expect(result.delivered == 1 && result.queued == 0 && result.dropped == 0)
            #expect(result.failures.map { $0 as? Oops } == [Oops(5)])
            watch.cancel()
        }
    }

    @Test("An event that a handler never receives counts as dropped for a sender that waits for handlers")
    func awaitedAndDropped() async throws {
        let gate = Gate()
        let watch = bus.watch(numbers, buffer: .oldest(1)) { _ in await gate.pass() }
        let first = Task { [bus, numbers] in await bus.send(numbers, 0, awaitingHandlers: true) }
        await gate.untilSomebodyComes()
        // It is called after the event is in the buffer.
        let inline = bus.watch(numbers) { [log] in log.note("\($0.payload)") }
        let waiting = Task { [bus, numbers] in await bus.send(numbers, 1, awaitingHandlers: true) }
        try await until { log.items == ["1"] }
        inline.cancel()
        #expect(bus.trigger(numbers, 2).dropped == 1)
        #expect(await bus.send(numbers, 3, awaitingHandlers: true).dropped == 1)
        watch.cancel()
        let result = await waiting.value
        #expect(result.delivered == 1 && result.dropped == 1)
        gate.open()
        #expect(await first.value.delivered == 1)
    }

    @Test("Twenty requests of one responder run at the same time, and one after the other with a concurrency of 1")
    func concurrency() async throws {
        let double = RequestTopic<Int, Int>("double")
        for limit in [20, 3, 1] {
            let gate = Gate()
            let running = Mutex((now: 0, most: 0))
            let watch = try bus.respond(to: double, concurrency: limit) { number in
                running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                }
                await gate.pass()
                for _ in 0..<5 { await Task.yield() }
                running.withLock { $0.now -= 1 }
                return number * 2
            }
            try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<20 { group.addTask { [bus] in (number, try await bus.request(double, number)) } }
                try await until { running.withLock { $0.now } == limit }
                gate.open()
                for try await (number, reply) in group { #expect(reply == number * 2) }
            }
            #expect(running.withLock { $0.most } == limit)
            watch.cancel()
        }
    }

    @Test("An interceptor sees, accepts and answers requests; a reply of another type is an error")
    func acceptedRequests() async throws {
        let length = RequestTopic<String, Int>("length")
        let watch = bus.intercept(
            Topic(matching: "**"),
            with: Station { [log] event, next in
                guard let request = event.request else { return next(event) }
                log.note("\(request.payload) \(request.replyType)")
                switch request.payload as? String {
                case "wrong": request.reply(.success("text"))
                case "lost": request.accept()
                case "failed": request.reply(.failure(Oops(3)))
                case "none": break
                default: request.reply(.success(42))
                }
                return next(event)
            })
        #expect(try await bus.request(length, "abc") == 42)
        let codes: [(String, EventBusError.Code)] = [
            ("wrong", .payloadMismatch), ("lost", .noReply), ("none", .noResponder),
        ]
        for (payload, code) in codes {
            let error = await #expect(throws: EventBusError.self) { try await bus.request(length, payload) }
            #expect(error?.code == code)
        }
        await #expect(throws: Oops(3)) { try await bus.request(length, "failed") }
        #expect(log.items == ["abc", "wrong", "lost", "none", "failed"].map { "\($0) Int" })
        watch.cancel()
    }

    @Test("Only the work and the trace follow the triggers of a handler")
    func metadata() async throws {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ab"
        let all = EventMetadata(
            source: "a", time: .nanoseconds(5), correlationID: "c", traceParent: trace, traceState: "v=1",
            headers: ["k": "v"])
        bus.watch(numbers) { [bus] _ in bus.trigger("inner") }.store(in: bag)
        let seen = Recorder<EventMetadata?>()
        bus.watch("**") { seen.note($0.metadata) }.store(in: bag)
        all.whileCurrent { _ = bus.trigger(numbers, 1) }
        let inner = EventMetadata(correlationID: "c", traceParent: trace, traceState: "v=1")
        #expect(seen.items == [inner, all])
    }

    @Test("A stored value can be read, also after it was changed and cleared")
    func keptValues() {
        let user = Topic<String>("user", keeping: 2)
        #expect(bus.kept(user) == [])
        for name in ["anna", "ben", "cleo"] { bus.trigger(user, name) }
        #expect(bus.kept(user) == ["ben", "cleo"] && bus.kept(Topic<Int>("user")) == [])
        bus.clearKept(user)
        #expect(bus.kept(user) == [])
    }

    @Test("A static topic is cached on the newest bus after many buses, none of which it retains")
    func manyBuses() {
        let topic = Topic<Int>("many")
        for number in 0..<100 {
            weak var gone: EventBus?
            do {
                let bus = EventBus()
                gone = bus
                let watch = bus.watch(topic) { [log] in log.note("\($0.payload)") }
                #expect(bus.trigger(topic, number).delivered == 1)
                watch.cancel()
                #expect(bus.trigger(topic, number).delivered == 0)
            }
            #expect(gone == nil)
        }
        let buses = [EventBus(), EventBus()]
        for bus in buses { bus.watch(topic) { [log] in log.note("last \($0.payload)") }.store(in: bag) }
        for bus in buses { #expect(bus.trigger(topic, 7).delivered == 1) }
        #expect(log.items.suffix(2) == ["last 7", "last 7"] && log.items.count == 102)
    }

    @Test(
        "A name from outside never stops the program: malformed ones throw, those of another type are reported",
        arguments: ["user::1", "", "a:*:", "**:a", "*", "taken", String(repeating: "a", count: 300), "\u{0}"])
    func namesFromOutside(text: String) async {
        let bound = bus.watch(Topic<String>("taken")) { _ in }
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        if let pattern = try? TopicPattern(parsing: text) {
            bus.watch(pattern) { _ in }.cancel()
            bus.intercept(Topic(matching: pattern), with: Station { $1($0) }).cancel()
            _ = bus.events(Topic(matching: pattern))
        }
        _ = try? bus.trigger(named: text, 1)
        _ = try? bus.respond(to: RequestTopic<Int, Int>(named: text)) { $0 }.cancel()
        let topic = try? Topic<Int>(named: text)
        #expect((topic != nil) == ["taken", "\u{0}"].contains(text))
        guard let topic else { return }
        failures.clear()
        let watch = bus.watch(topic) { _ in }
        #expect(watch.isLive == (text != "taken") && failures.items.count == (text == "taken" ? 1 : 0))
        if text == "taken" {
            for await _ in bus.events(topic) { Issue.record("an event") }
            #expect(bus.trigger(topic, 1).failures.count == 1)
        }
        watch.cancel()
        bound.cancel()
    }

    @Test(
        "A watch that outlives its owner is reported once and removed; the end of an owner with its bag isn't reported")
    func outlivedOwner() {
        final class Shared: WatchOwner {
            let watches: WatchBag
            init(_ watches: WatchBag) { self.watches = watches }
        }
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        do {
            bus.watch(numbers, owner: Shared(bag)) { _, _ in }
            bus.watch(numbers, owner: Keeper()) { _, _ in }
        }
        let line = #line - 3
        for number in 0..<3 { bus.trigger(numbers, number) }
        #expect(failures.items.map { ($0.error as? EventBusError)?.code } == [.ownerReleased])
        #expect(failures.items.first?.location?.line == line)
        #expect(bus.currentWatches().entries.isEmpty)
    }

    @Test("Snapshots that changes replace inside one handler are released at once")
    func releasedSnapshots() {
        let released = Recorder<Bool>()
        let watch = bus.watch(numbers, priority: 1) { [bus, numbers] signal in
            guard signal.payload == 0 else { return }
            for _ in 0..<100 {
                var thing: Thing? = Thing()
                weak let gone = thing
                let inner = bus.watch(numbers) { [thing] _ in _ = thing }
                thing = nil
                bus.trigger(numbers, 1)
                inner.cancel()
                bus.trigger(numbers, 2)
                released.note(gone == nil)
            }
        }
        bus.trigger(numbers, 0)
        #expect(released.items == Array(repeating: true, count: 100))
        watch.cancel()
    }

    @Test("An event whose reader has gone counts as dropped for its sender, while the stream exists")
    func awaitedWithoutReader() async throws {
        let stream = bus.events(numbers)
        let sender = Pending { [bus, numbers] in await bus.send(numbers, 1, awaitingHandlers: true) }
        try await until { stream.waiting == 1 }
        do { _ = stream.makeAsyncIterator() }
        #expect(try await sender.value().dropped == 1)
        withExtendedLifetime(stream) {}
    }
}
