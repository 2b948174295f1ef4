import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Synchronization
import Testing

/// An interceptor that calls a closure.
struct Station: EventInterceptor {
    let body: @Sendable (InterceptedEvent, Next) -> DeliveryResult
    init(_ body: @escaping @Sendable (InterceptedEvent, Next) -> DeliveryResult) { self.body = body }
    func intercept(_ event: InterceptedEvent, next: Next) -> DeliveryResult { body(event, next) }
}

private final class Flag: Sendable { let value = Atomic(false) }

@Suite("Interceptors", .timeLimit(.minutes(2)))
struct InterceptorTests {
    let bus = EventBus()
    let a = Topic<Int>("a")
    let seen = Recorder<String>()
    let bag = WatchBag()

    @Test("An interceptor sees events on the way in and results on the way out, in the order of registration")
    func order() {
        bus.watch(a) { [seen] in seen.note("watcher \($0.payload)") }.store(in: bag)
        for name in ["outer", "inner"] {
            bus.intercept(
                a,
                with: Station { [seen] event, next in
                    seen.note("\(name) in \(event.name) \(event.payload)")
                    let result = next(event)
                    seen.note("\(name) out \(result.delivered)")
                    return result
                }
            ).store(in: bag)
        }
        let result = bus.trigger(a, 5)
        #expect(result.delivered == 1 && result.sequence > 0)
        #expect(seen.items == ["outer in a 5", "inner in a 5", "watcher 5", "inner out 1", "outer out 1"])
    }

    @Test("An interceptor doesn't see the events of the object that it excludes, and other interceptors do")
    func excluded() async {
        let (near, far) = (Flag(), Flag())
        bus.watch(a) { [seen] in seen.note("watcher \($0.payload)") }.store(in: bag)
        let station = { (name: String) in
            Station { [seen] event, next in
                seen.note("\(name) \(event.payload)")
                return next(event)
            }
        }
        bus.intercept(a, excluding: near, with: station("first")).store(in: bag)
        bus.trigger(a, 1, from: near)
        #expect(seen.items == ["watcher 1"])
        bus.intercept(Topic(matching: "**"), excluding: far, with: station("second")).store(in: bag)
        bus.trigger(a, 2, from: near)
        await bus.send(a, 3, from: far)
        bus.trigger(a, 4)
        #expect(
            seen.items == [
                "watcher 1", "second 2", "watcher 2", "first 3", "watcher 3", "first 4", "second 4", "watcher 4",
            ])
    }

    @Test("An interceptor changes a payload for every kind of watcher, stored events included")
    func change() async {
        let stored = Topic<Int>("stored", keeping: 1)
        bus.intercept(
            Topic(matching: "**"),
            with: Station { event, next in
                var event = event
                if let number = event.payload as? Int { event.payload = number * 2 }
                return next(event)
            }
        ).store(in: bag)
        let stream = bus.events(stored)
        bus.watch(stored) { [seen] in seen.note("inline \($0.payload)") }.store(in: bag)
        bus.watch("*") { [seen] in seen.note("pattern \($0.payload)") }.store(in: bag)
        bus.trigger(stored, 21)
        bus.watch(stored) { [seen] in seen.note("late \($0.payload)") }.store(in: bag)
        #expect(seen.items == ["inline 42", "pattern 42", "late 42"])
        for await signal in stream {
            #expect(signal.payload == 42)
            break
        }
    }

    @Test("A dropped event reaches nobody and doesn't count as undelivered")
    func drop() async {
        let undelivered = Recorder<String>()
        bus.onUndelivered { undelivered.note($0.name) }
        bus.watch(a) { [seen] in seen.note("\($0.payload)") }.store(in: bag)
        let watch = bus.intercept(
            a, with: Station { event, next in event.payload as? Int == 1 ? .droppedEvent : next(event) })
        let result = bus.trigger(a, 1)
        #expect(result.dropped == 1 && result.isUndelivered && result.failures.isEmpty)
        #expect((await bus.send(a, 1)).dropped == 1)
        #expect(bus.trigger(a, 2).delivered == 1)
        #expect(watch.cancel() && !watch.cancel() && !watch.isLive)
        #expect(bus.trigger(a, 1).delivered == 1)
        #expect(seen.items == ["2", "1"] && undelivered.items.isEmpty)
    }

    @Test("A payload of a wrong type is rejected for a topic and accepted for a bare name")
    func wrongType() {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        bus.watch(a) { [seen] in seen.note("\($0.payload)") }.store(in: bag)
        bus.watch("b") { [seen] in seen.note("b \($0.payload)") }.store(in: bag)
        bus.intercept(
            Topic(matching: "*"),
            with: Station { event, next in
                var event = event
                event.payload = "text"
                return next(event)
            }
        ).store(in: bag)
        let result = bus.trigger(a, 1)
        #expect((result.failures.first as? EventBusError)?.code == .payloadMismatch)
        #expect(failures.items.count == 1)
        #expect(bus.trigger("b", 1).delivered == 1)
        #expect(seen.items == ["b text"])
    }

    @Test(
        "An interceptor receives only the events of its selection",
        arguments: [("net:*", 2), ("net:on", 1), ("**", 4), ("x", 0)])
    func selection(pattern: String, count: Int) throws {
        let before = bus.watch("net:on") { _ in }
        let pattern = try TopicPattern(parsing: pattern)
        bus.intercept(
            Topic(matching: pattern),
            with: Station { [seen] event, next in
                seen.note(event.name)
                return next(event)
            }
        ).store(in: bag)
        for name in ["net:on", "net:off", "net", "a:b"] { try bus.trigger(named: name, 1) }
        #expect(seen.items.count == count)
        before.cancel()
    }

    @Test("A trigger inside an interceptor is nested and ends at the depth limit")
    func recursion() {
        let bus = EventBus(depthLimit: 5)
        let refused = Recorder<EventFailure>()
        bus.onFailure { refused.note($0) }
        bus.watch(a) { [seen] in seen.note("\($0.depth)") }.store(in: bag)
        bus.intercept(
            a,
            with: Station { [seen, a] event, next in
                seen.note("in")
                bus.trigger(a, 0)
                return next(event)
            }
        ).store(in: bag)
        bus.trigger(a, 1)
        #expect(seen.items == Array(repeating: "in", count: 5) + ["4", "3", "2", "1", "0"])
        #expect(refused.items.count == 1)
        seen.clear()
        bus.trigger(a, 1)
        #expect(seen.items.last == "0", "the depth is restored")
    }

    @Test(
        "Interceptors work with every kind of bus and with requests", arguments: [EventDelivery.inline, .queuedOnMain])
    func kinds(_ delivery: EventDelivery) async throws {
        let bus = EventBus(delivery: delivery)
        let gate = Gate()
        let count = Atomic(0)
        bus.intercept(
            Topic(matching: "**"),
            with: Station { event, next in
                count.add(1, ordering: .relaxed)
                return next(event)
            }
        ).store(in: bag)
        bus.watch(a) { [seen] in
            seen.note("\($0.payload)")
            gate.open()
        }.store(in: bag)
        bus.trigger(a, 1)
        await gate.pass()
        #expect(seen.items == ["1"] && count.load(ordering: .relaxed) == 1)
        let length = RequestTopic<String, Int>("length")
        let responder = try bus.respond(to: length) { $0.count }
        #expect(try await bus.request(length, "abc", within: .seconds(60)) == 3)
        #expect(count.load(ordering: .relaxed) == 2)
        responder.cancel()
    }

    @Test("A cancelled interceptor is released even if its topics aren't triggered again")
    func release() {
        weak var held: Thing?
        let watch: Watch
        do {
            let thing = Thing()
            held = thing
            watch = bus.intercept(
                a,
                with: Station { event, next in
                    withExtendedLifetime(thing) { next(event) }
                })
        }
        bus.trigger(a, 1)
        #expect(held != nil)
        watch.cancel()
        #expect(held == nil)
    }

    @Test("Interceptors come and go while threads trigger; no event is lost or delivered twice")
    func churn() async {
        let delivered = Atomic(0)
        let isOver = Flag()
        bus.watch(a) { _ in delivered.add(1, ordering: .relaxed) }.store(in: bag)
        let rounds = soak ? 1_000_000 : 5000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { [bus, a] in for number in 0..<rounds { bus.trigger(a, number) } }
            }
            group.addTask { [bus, a] in
                while !isOver.value.load(ordering: .relaxed) {
                    let watch = bus.intercept(a, with: Station { event, next in next(event) })
                    await Task.yield()
                    watch.cancel()
                }
            }
            for _ in 0..<3 { await group.next() }
            isOver.value.store(true, ordering: .relaxed)
        }
        #expect(delivered.load(ordering: .relaxed) == 3 * rounds)
    }

    @Test("An exported event isn't undelivered")
    func exported() {
        bus.onUndelivered { [seen] in seen.note("\($0.payload)") }
        bus.intercept(
            a,
            with: Station { event, next in
                var event = event
                event.isExported = event.payload as? Int == 1
                return next(event)
            }
        ).store(in: bag)
        for number in 1...2 { bus.trigger(a, number) }
        #expect(seen.items == ["2"])
    }
}
