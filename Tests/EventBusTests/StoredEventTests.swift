import AshlarEventBus
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

/// Calls a function when it is released.
private final class Released: Sendable {
    let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

@Suite("Topics that store events", .timeLimit(.minutes(5)))
struct StoredEventTests {
    let bus = EventBus()
    let state = Topic<Int>("state", keeping: 2)
    let seen = Recorder<String>()
    let bag = WatchBag()

    @Test("A new watcher receives the stored events in order before the watch returns, then live ones")
    func replay() {
        for i in 1...3 { bus.trigger(state, i) }
        bus.watch(state) { seen.note("\($0.payload)") }.store(in: bag)
        #expect(seen.items == ["2", "3"])
        bus.trigger(state, 4)
        #expect(seen.items == ["2", "3", "4"])
        bus.watch("state") { seen.note("untyped \($0.payload)") }.store(in: bag)
        #expect(seen.items.suffix(2) == ["untyped 3", "untyped 4"])
    }

    @Test("Stored events are released where their payload may use the bus")
    func releasedEvents() {
        let held = Topic<Released>("held", keeping: 1)
        bus.watch("end") { [seen] _ in seen.note("released") }.store(in: bag)
        let payload: @Sendable () -> Released = { [bus] in Released { bus.trigger("end") } }
        bus.trigger(held, payload())
        #expect(seen.items.isEmpty)
        bus.trigger(held, payload())
        #expect(seen.items == ["released"], "replaced by the second event")
        bus.clearKept(held)
        #expect(seen.items == ["released", "released"])
    }

    @Test("Replayed events have the numbers of their triggers")
    func sequences() {
        let receipts = [bus.trigger(state, 1), bus.trigger(state, 2)]
        #expect(receipts.map(\.delivered) == [0, 0])
        let live = Recorder<UInt64>()
        let before = bus.watch(state) { live.note($0.sequence) }
        let receipt = bus.trigger(state, 3)
        #expect(live.items.count == 3)
        #expect(live.items == live.items.sorted() && Set(live.items).count == 3 && live.items.first != 0)
        #expect(live.items.last == receipt.sequence)
        before.cancel()
    }

    @Test("A watch for one event receives the oldest stored event and ends")
    func once() {
        bus.trigger(state, 1)
        bus.trigger(state, 2)
        let watch = bus.watch(state, once: true) { seen.note("\($0.payload)") }
        bus.trigger(state, 3)
        #expect(seen.items == ["1"])
        #expect(!watch.isLive)
    }

    @Test("A watch of an object receives the stored events of that object while it lives")
    func sources() {
        let thing = Thing()
        var gone: Thing? = Thing()
        bus.trigger(state, 1, from: thing)
        bus.trigger(state, 2, from: gone)
        gone = nil
        bus.watch(state, from: thing) { seen.note("\($0.payload) \($0.isFrom(thing))") }.store(in: bag)
        #expect(seen.items == ["1 true"])
    }

    @Test("Stored events can be removed, and exist as long as the topic")
    func clearing() {
        bus.trigger(state, 1)
        bus.clearKept(state)
        bus.watch(state) { seen.note("\($0.payload)") }.store(in: bag)
        #expect(seen.items.isEmpty)
        bus.trigger(state, 2)
        bag.cancelAll()
        bus.watch(state) { seen.note("again \($0.payload)") }.store(in: bag)
        #expect(seen.items == ["2", "again 2"])
    }

    @Test("An error in a replay goes to the failure hook")
    func failures() {
        let failures = Recorder<EventFailure>()
        bus.onFailure { failures.note($0) }
        bus.trigger(state, 7)
        bus.watch(state) { throw Oops($0.payload) }.store(in: bag)
        #expect(failures.items.map { $0.error as? Oops } == [Oops(7)])
    }

    @Test("Queued watchers receive the stored events first, too")
    func queued() async throws {
        bus.trigger(state, 1)
        let stream = bus.events(state)
        bus.trigger(state, 2)
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.payload == 1)
        #expect(await iterator.next()?.payload == 2)
        let once = bus.watch(state, buffer: .unbounded, once: true) { seen.note("\($0.payload)") }
        try await until { !once.isLive }
        #expect(seen.items == ["1"])
    }

    @Test("A watcher of a pattern receives the stored events of each matching topic in order")
    func patterns() {
        let (x, y) = (Topic<Int>("kept:x", keeping: 2), Topic<String>("kept:y", keeping: 1))
        let (other, plain) = (Topic<Int>("other", keeping: 1), Topic<Int>("kept:plain"))
        bus.trigger(x, 1)
        bus.trigger(y, "old")
        bus.trigger(x, 2)
        bus.trigger(other, 9)
        bus.trigger(plain, 8)
        bus.trigger(y, "two")
        bus.trigger(x, 3)
        let watch = bus.watch("kept:*") { seen.note("\($0.name) \($0.payload)") }
        #expect(seen.items == ["kept:x 2", "kept:x 3", "kept:y two"])
        bus.trigger(y, "three")
        bus.trigger(plain, 4)
        #expect(seen.items.suffix(2) == ["kept:y three", "kept:plain 4"])
        #expect(watch.cancel())
        bus.trigger(x, 5)
        #expect(seen.items.count == 5)
        let all = Recorder<String>()
        bus.watch("**") { all.note("\($0.name) \($0.payload)") }.store(in: bag)
        #expect(all.items == ["other 9", "kept:x 3", "kept:x 5", "kept:y three"])
        bus.watch("kept:**", once: true) { seen.note("once \($0.name) \($0.payload)") }.store(in: bag)
        bus.trigger(x, 6)
        #expect(seen.items.suffix(1) == ["once kept:x 3"], "the oldest stored event")
    }

    @Test("A watcher of everything from an object receives the stored events of that object")
    func patternSources() {
        let (thing, other) = (Thing(), Thing())
        bus.trigger(state, 1, from: thing)
        bus.trigger(state, 2, from: other)
        bus.watch("**", from: thing) { seen.note("\($0.name) \($0.payload)") }.store(in: bag)
        bus.watch("st:*", from: thing) { _ in seen.note("wrong") }.store(in: bag)
        #expect(seen.items == ["state 1"])
        bus.trigger(state, 3, from: thing)
        bus.trigger(state, 4, from: other)
        #expect(seen.items == ["state 1", "state 3"])
    }

    @Test("A trigger inside a handler of a topic that stores events comes after the event")
    func nested() {
        bus.trigger(state, 0)
        bus.watch(state) { [bus, state] in
            seen.note("+\($0.payload)")
            if $0.payload == 5 { #expect(bus.trigger(state, 6).queued == 1) }
            seen.note("-\($0.payload)")
        }.store(in: bag)
        bus.watch("state") { _ in }.store(in: bag)
        seen.clear()
        bus.trigger(state, 5)
        #expect(seen.items == ["+5", "-5", "+6", "-6"])
    }

    @Test("A trigger inside a replay comes after it")
    func insideReplay() {
        bus.trigger(state, 1)
        bus.trigger(state, 2)
        bus.watch(state) { [bus, state] in
            seen.note("\($0.payload)")
            if $0.payload == 1 { #expect(bus.trigger(state, 3).queued == 1) }
        }.store(in: bag)
        #expect(seen.items == ["1", "2", "3"])
    }

    @Test("A watch cancelled inside its replay receives no further event")
    func cancelInsideReplay() {
        let keeper = Keeper()
        bus.trigger(state, 1)
        bus.trigger(state, 2)
        bus.watch("state", once: true) { _ in seen.note("once") }.store(in: bag)
        bus.watch(state, owner: keeper) {
            seen.note("\($1.payload)")
            $0.watches.cancelAll()
        }
        bus.watch("**", owner: keeper) {
            seen.note("all \($1.name) \($1.payload)")
            $0.watches.cancelAll()
        }
        bus.trigger(state, 3)
        #expect(seen.items == ["once", "1", "all state 1"])
        #expect(bus.currentWatches().entries.isEmpty)
    }

    @Test("A queued watch for one event receives it from the replay")
    @MainActor
    func onceQueued() async throws {
        bus.trigger(state, 1)
        let watch = bus.watchOnMain(state, once: true, alwaysQueued: true) { [seen] in seen.note("\($0.payload)") }
        #expect(bus.trigger(state, 2).isUndelivered)
        try await until { !watch.isLive }
        #expect(seen.items == ["1"])
    }

    @Test("No watcher receives an event twice, replayed and live, while another thread triggers")
    func noEventTwice() async {
        let isOver = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [bus, state] in
                var number = 0
                while !isOver.value.load(ordering: .relaxed) {
                    number += 1
                    bus.trigger(state, number)
                    if number % 64 == 0 { await Task.yield() }
                }
            }
            group.addTask { [bus, state] in
                for round in 0..<(soak ? 20_000 : 500) {
                    let got = Recorder<Int>()
                    let watch =
                        round % 2 == 0
                        ? bus.watch(state) { got.note($0.payload) }
                        : bus.watch("*") { got.note($0.payload as? Int ?? 0) }
                    watch.cancel()
                    let items = got.items
                    #expect(zip(items, items.dropFirst()).allSatisfy { $0 < $1 }, "\(items)")
                }
                isOver.value.store(true, ordering: .relaxed)
            }
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }

    @Test(
        "A watch on a busy topic returns immediately and receives the stored events in its turn",
        arguments: [false, true])
    func busyTopic(isPattern: Bool) async throws {
        let topic = Topic<Int>("busy:topic", keeping: 3)
        let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        bus.watch(topic) {
            guard $0.payload == 5 else { return }
            isInside.signal()
            mayLeave.wait()
        }.store(in: bag)
        for number in 1...4 { bus.trigger(topic, number) }
        Thread.detachNewThread { [bus] in bus.trigger(topic, 5) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isInside.wait()
                continuation.resume()
            }
        }
        // The other thread is inside the handler until this one releases it.
        let watch =
            isPattern
            ? bus.watch("busy:*") { seen.note("\($0.payload)") } : bus.watch(topic) { seen.note("\($0.payload)") }
        #expect(seen.items.isEmpty)
        #expect(bus.trigger(topic, 6).queued == 1)
        mayLeave.signal()
        try await until { seen.items.count >= 4 }
        #expect(seen.items == ["3", "4", "5", "6"])
        watch.cancel()
    }

    @Test("A thread that triggers a topic with stored events handles a share of the events of others, not all")
    func sharedWork() async throws {
        let (ended, threads) = (DispatchSemaphore(value: 0), Recorder<ObjectIdentifier>())
        bus.watch(state) { [bus, state] in
            seen.note("\($0.payload)")
            threads.note(ObjectIdentifier(Thread.current))
            guard $0.payload == 0 else { return }
            Thread.detachNewThread {
                for number in 1...1000 { bus.trigger(state, number) }
                ended.signal()
            }
            ended.wait()
        }.store(in: bag)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [bus, state] in
                bus.trigger(state, 0)
                continuation.resume()
            }
        }
        try await until { seen.items.count >= 1001 }
        #expect(seen.items == (0...1000).map(String.init))
        #expect(threads.items.count { $0 == threads.items[0] } == 64)
    }

    @Test("A handler that always triggers its own topic ends at the limit of depth inside a replay, too")
    func endlessHandler() async throws {
        let refused = Recorder<EventFailure>()
        bus.onFailure { refused.note($0) }
        bus.trigger(state, 0)
        bus.watch(state) { [bus, state] in
            seen.note("\($0.payload)")
            if $0.payload < 10_000 { bus.trigger(state, $0.payload + 1) }
        }.store(in: bag)
        // A task delivers the last events, after the share of this thread.
        try await until { !refused.items.isEmpty }
        #expect(seen.items == (0...64).map(String.init))
        #expect(refused.items.count == 1)
    }

    @Test("A new watcher misses no event of concurrent triggers and receives each once, in order")
    func race() async throws {
        let topic = Topic<Int>("race", keeping: 1_000_000)
        for _ in 0..<20 {
            let bus = EventBus()
            let got = Recorder<Int>()
            let trigger = Task.detached { for i in 0..<300 { bus.trigger(topic, i) } }
            await Task.yield()
            let watch = bus.watch(topic) { got.note($0.payload) }
            await trigger.value
            try await until { got.items.count >= 300 }
            #expect(got.items == Array(0..<300))
            watch.cancel()
        }
    }

    @Test("Clearing the stored events in a handler doesn't change the order")
    func clearingInside() {
        bus.watch("**") { [bus, seen, state] signal in
            guard let number = signal.payload as? Int else { return }
            seen.note("begin \(number)")
            if number == 1 {
                bus.clearKept(state)
                bus.trigger(state, 2)
            }
            seen.note("end \(number)")
        }.store(in: bag)
        bus.trigger(state, 1)
        #expect(seen.items == ["begin 1", "end 1", "begin 2", "end 2"])
    }

    @Test("An event that waits while the stored ones are cleared is stored")
    func clearingBeforeNext() throws {
        let named = try Topic<Int>(named: "named", keeping: 1)
        bus.watch(named, once: true) { [bus] _ in
            bus.trigger(named, 2)
            bus.clearKept(named)
        }.store(in: bag)
        bus.trigger(named, 1)
        #expect(bus.kept(named) == [2])
    }
}
