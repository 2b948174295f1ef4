import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite("The rules of delivery", .timeLimit(.minutes(5)))
struct DeliveryRuleTests {
    let bus = EventBus()
    let seen = Recorder<String>()
    let bag = WatchBag()
    let a = Topic<Int>("a")
    let b = Topic<Int>("b")

    @Test("Order is priority, then registration, across exact, scoped, object and pattern watches")
    func order() {
        let thing = Thing()
        bus.watch(a, priority: -1) { _ in seen.note("low") }.store(in: bag)
        bus.watch("*") { _ in seen.note("pattern") }.store(in: bag)
        bus.watch(a, from: thing) { _ in seen.note("scoped") }.store(in: bag)
        bus.watch(a) { _ in seen.note("plain") }.store(in: bag)
        bus.watch("**", from: thing) { _ in seen.note("object") }.store(in: bag)
        bus.watch("**", priority: 5) { _ in seen.note("high pattern") }.store(in: bag)
        bus.watch("a", from: thing, priority: 7) { _ in seen.note("high scoped") }.store(in: bag)
        bus.watch("*", from: thing) { _ in seen.note("object pattern") }.store(in: bag)
        bus.watch("b:*", from: thing) { _ in seen.note("wrong") }.store(in: bag)
        bus.trigger(a, 1, from: thing)
        #expect(
            seen.items == [
                "high scoped", "high pattern", "pattern", "scoped", "plain", "object", "object pattern", "low",
            ])
        seen.clear()
        bus.trigger(a, 1)
        #expect(seen.items == ["high pattern", "pattern", "plain", "low"])
    }

    @Test("An error of a handler is in the receipt and reaches the hook; the other handlers still run")
    func throwing() {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        bus.watch(a) { _ in throw Oops(1) }.store(in: bag)
        bus.watch(a) { _ in seen.note("second") }.store(in: bag)
        bus.watch("a") { _ in throw Oops(2) }.store(in: bag)
        bus.watch(a, owner: Keeper.shared) { _, _ in throw Oops(3) }
        let receipt = bus.trigger(a, 1)
        #expect(receipt.failures as? [Oops] == [Oops(1), Oops(2), Oops(3)])
        #expect(receipt.delivered == 4)
        #expect(seen.items == ["second"])
        #expect(failures.items.map { $0.error as? Oops } == [Oops(1), Oops(2), Oops(3)])
        #expect(failures.items.allSatisfy { $0.name == "a" && $0.sequence == receipt.sequence })
        #expect(failures.items.first?.watcher?.hasPrefix("AshlarEventBusTests/DeliveryRuleTests.swift:") == true)
        bus.unwatch(owner: Keeper.shared)
    }

    @Test("A failure inside the failure hook isn't reported")
    func failingHook() {
        bus.onFailure { [bus, b] failure in
            seen.note(failure.name)
            bus.trigger(b, 1)
            throw Oops()
        }
        bus.watch(a) { _ in throw Oops(1) }.store(in: bag)
        bus.watch(b) { _ in throw Oops(2) }.store(in: bag)
        bus.trigger(a, 1)
        #expect(seen.items == ["a"])
    }

    @Test("A hook doesn't receive the events that it triggers; other hooks and other buses do")
    func hooksInsideHooks() {
        let other = EventBus()
        bus.onUndelivered { [bus, b] signal in
            seen.note("undelivered \(signal.name)")
            bus.trigger(b, 1)
            bus.trigger("nobody")
            other.trigger("elsewhere")
        }
        other.onUndelivered { [bus] signal in
            seen.note("other \(signal.name)")
            bus.trigger("back")
        }
        bus.onFailure { seen.note("failure \($0.name)") }
        bus.watch(b) { _ in throw Oops() }.store(in: bag)
        bus.trigger(a, 1)
        #expect(seen.items == ["undelivered a", "failure b", "other elsewhere"])
    }

    @Test("A trigger inside a handler runs immediately, one level deeper")
    func depthFirst() {
        bus.watch(a) { [bus, b] in
            seen.note("a\($0.payload) at \($0.depth)")
            if $0.payload == 1 { bus.trigger(b, 2) }
            seen.note("end of a")
        }.store(in: bag)
        bus.watch(b) { seen.note("b\($0.payload) at \($0.depth)") }.store(in: bag)
        bus.watch(a) { _ in seen.note("second a") }.store(in: bag)
        bus.trigger(a, 1)
        #expect(seen.items == ["a1 at 0", "b2 at 1", "end of a", "second a"])
    }

    @Test("Triggers nested deeper than the limit are rejected and reported", arguments: [1, 3, 64])
    func depthLimit(limit: Int) {
        let bus = EventBus(depthLimit: limit)
        let refused = Recorder<EventFailure>()
        bus.onFailure { refused.note($0) }
        let receipts = Recorder<DeliveryResult>()
        bus.watch(a) {
            seen.note("\($0.depth)")
            receipts.note(bus.trigger(a, $0.payload + 1))
        }.store(in: bag)
        bus.trigger(a, 0)
        #expect(seen.items == (0..<limit).map(String.init))
        let codes = receipts.items.compactMap { ($0.failures.first as? EventBusError)?.code }
        #expect(codes == [.nestedTooDeep])
        #expect(refused.items.count == 1)
        #expect(refused.items.first?.watcher == nil)
        seen.clear()
        bus.trigger(a, 0)
        #expect(seen.items.count == limit, "the depth is restored")
    }

    @Test("A watch created inside a handler receives the next trigger, even a nested one")
    func watchInside() {
        bus.watch(a) { [bus, a, bag] signal in
            seen.note("first \(signal.payload)")
            guard signal.payload == 1 else { return }
            bus.watch(a) { seen.note("second \($0.payload)") }.store(in: bag)
            bus.trigger(a, 2)
        }.store(in: bag)
        bus.trigger(a, 1)
        #expect(seen.items == ["first 1", "first 2", "second 2"])
    }

    @Test("A watch cancelled inside a handler isn't called again, not even for this event")
    func cancelInside() {
        let later = Mutex<Watch?>(nil)
        bus.watch(a) { _ in later.withLock { $0 }?.cancel() }.store(in: bag)
        let second = bus.watch(a) { _ in seen.note("second") }
        later.withLock { $0 = second }
        let receipt = bus.trigger(a, 1)
        #expect(seen.items.isEmpty)
        #expect(receipt.delivered == 1)
        #expect(!second.isLive)
        #expect(!second.cancel())
    }

    @Test("A handler can cancel its own watch and trigger again")
    func cancelOneself() {
        let me = Mutex<Watch?>(nil)
        let watch = bus.watch(a) { [bus, a] in
            seen.note("\($0.payload)")
            me.withLock { $0 }?.cancel()
            bus.trigger(a, $0.payload + 1)
        }
        me.withLock { $0 = watch }
        bus.trigger(a, 1)
        #expect(seen.items == ["1"])
    }

    @Test("A watch for one event receives one, even if its handler triggers again or throws")
    func once() {
        bus.watch(a, once: true) { [bus, a] in
            seen.note("\($0.payload)")
            bus.trigger(a, $0.payload + 1)
            throw Oops()
        }.store(in: bag)
        #expect(bus.trigger(a, 1).failures.count == 1)
        bus.trigger(a, 3)
        #expect(seen.items == ["1"])
        #expect(bag.count == 0)
    }

    @Test("Of many concurrent events, a watch for one event receives exactly one")
    func onceInARace() async {
        for _ in 0..<200 {
            let count = Atomic(0)
            let watch = bus.watch(a, once: true) { _ in count.add(1, ordering: .relaxed) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { [bus, a] in bus.trigger(a, 1) } }
            }
            #expect(count.load(ordering: .relaxed) == 1)
            watch.cancel()
        }
    }

    @Test("The hook receives events without a watcher, but not those that it triggers")
    func undelivered() {
        bus.onUndelivered { [bus, b] signal in
            seen.note("\(signal.name) \(signal.payload)")
            bus.trigger(b, 7)
            bus.trigger("nobody")
        }
        #expect(bus.trigger(a, 1).isUndelivered)
        bus.trigger("unknown", "text")
        #expect(seen.items == ["a 1", "unknown text"])
        let watch = bus.watch(a) { _ in }
        bus.trigger(a, 2)
        watch.cancel()
        bus.trigger(a, 3)
        #expect(seen.items == ["a 1", "unknown text", "a 3"])
        bus.onUndelivered(nil)
        bus.trigger(a, 4)
        #expect(seen.items.count == 3)
    }

    @Test("One topic serves several buses, in turn and one after the other")
    func severalBuses() {
        for round in 0..<40 {
            let (x, y) = (EventBus(), EventBus())
            let watches = [x.watch(a) { seen.note("x\($0.payload)") }, y.watch(a) { seen.note("y\($0.payload)") }]
            x.trigger(a, round)
            y.trigger(a, round)
            #expect(seen.items == ["x\(round)", "y\(round)"])
            seen.clear()
            for watch in watches { watch.cancel() }
            #expect(x.trigger(a, round).isUndelivered)
        }
    }

    @Test("Cancelling and waiting returns only after a running call has ended")
    func cancelAndWait() async throws {
        let entered = Atomic(false)
        let leave = Atomic(false)
        let watch = bus.watch(a) { _ in
            entered.store(true, ordering: .releasing)
            while !leave.load(ordering: .acquiring) { usleep(100) }
            seen.note("end of call")
        }
        // Handlers that block run on their own threads, because the runtime has only as many as the machine has cores.
        let trigger = Task { [bus, a] in await onSmallStack { bus.trigger(a, 1) } }
        try await until { entered.load(ordering: .acquiring) }
        let wait = Task.detached {
            await watch.cancelAndWait()
            seen.note("waited")
        }
        try await until { !watch.isLive }
        leave.store(true, ordering: .releasing)
        await wait.value
        await trigger.value
        #expect(seen.items == ["end of call", "waited"])
    }

    @Test("Cancelling and waiting inside the watch's own asynchronous handler returns immediately")
    func cancelAndWaitInside() async {
        let me = Mutex<Watch?>(nil)
        let gate = Gate()
        let watch = bus.watch(a, buffer: .unbounded) { _ in
            await me.withLock { $0 }?.cancelAndWait()
            gate.open()
        }
        me.withLock { $0 = watch }
        bus.trigger(a, 1)
        await gate.pass()
        #expect(!watch.isLive)
    }

    @Test("A topic that stores events delivers one event at a time")
    func ordered() async throws {
        let topic = Topic<Int>("ordered", keeping: 1)
        let inside = Atomic(0)
        let sequences = Recorder<UInt64>()
        let receipts = Recorder<DeliveryResult>()
        bus.watch(topic) {
            #expect(inside.add(1, ordering: .acquiringAndReleasing).newValue == 1)
            sequences.note($0.sequence)
            if $0.payload == 0 {
                #expect(bus.trigger(topic, 1000).queued == 1, "a nested one waits as well")
            }
            inside.subtract(1, ordering: .acquiringAndReleasing)
        }.store(in: bag)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { [bus] in
                    for i in 0..<250 { receipts.note(bus.trigger(topic, thread * 250 + i)) }
                }
            }
        }
        // A task runs what a thread leaves behind.
        try await until { sequences.items.count >= 1001 }
        #expect(sequences.items.count == 1001)
        #expect(sequences.items == sequences.items.sorted())
        #expect(receipts.items.allSatisfy { $0.delivered + $0.queued == 1 })
    }

    @Test("Each event type is a topic")
    func eventTypes() {
        struct Local: Event { let number: Int }
        bus.watch(Ping.topic) { seen.note("ping \($0.payload.number)") }.store(in: bag)
        bus.watch(Named.topic) { seen.note("named \($0.payload.text)") }.store(in: bag)
        bus.watch(Local.topic) { seen.note("local \($0.payload.number)") }.store(in: bag)
        bus.watch("test:named") { seen.note("untyped \(($0.payload as? Named)?.text ?? "")") }.store(in: bag)
        bus.trigger(Ping(number: 1))
        bus.trigger(Named(text: "x"))
        bus.trigger(Local(number: 2))
        #expect(seen.items == ["ping 1", "named x", "untyped x", "local 2"])
        #expect(Ping.topic.name == "AshlarEventBusTests.Ping")
        #expect(Ping.topic == Ping.topic)
    }
}

struct Ping: Event { let number: Int }
struct Named: Event {
    static let topic = Topic<Named>("test:named")
    let text: String
}

extension Keeper { static let shared = Keeper("shared") }
