import AshlarEventBus
import Foundation
import Synchronization
import Testing

@Suite("Topics that keep events", .timeLimit(.minutes(5)))
struct KeptEventTests {
    let bus = EventBus()
    let state = Topic<Int>("state", keeping: 2)
    let seen = Recorder<String>()
    let bag = WatchBag()

    @Test("A new watcher gets the kept events in order before it returns, then live ones")
    func replay() {
        for i in 1...3 { bus.trigger(state, i) }
        bus.watch(state) { seen.note("\($0.payload)") }.store(in: bag)
        #expect(seen.items == ["2", "3"])
        bus.trigger(state, 4)
        #expect(seen.items == ["2", "3", "4"])
        bus.watch("state") { seen.note("untyped \($0.payload)") }.store(in: bag)
        #expect(seen.items.suffix(2) == ["untyped 3", "untyped 4"])
    }

    @Test("Numbers of replayed events are those of their triggers")
    func sequences() {
        let receipts = [bus.trigger(state, 1), bus.trigger(state, 2)]
        #expect(receipts.map(\.delivered) == [0, 0])
        let live = Recorder<UInt64>()
        let before = bus.watch(state) { live.note($0.sequence) }
        let receipt = bus.trigger(state, 3)
        #expect(live.items.count == 3)
        #expect(live.items == live.items.sorted())
        #expect(live.items.last == receipt.sequence)
        before.cancel()
    }

    @Test("A watch for one event takes the oldest kept one and ends")
    func once() {
        bus.trigger(state, 1)
        bus.trigger(state, 2)
        let watch = bus.watch(state, once: true) { seen.note("\($0.payload)") }
        bus.trigger(state, 3)
        #expect(seen.items == ["1"])
        #expect(!watch.isLive)
    }

    @Test("A watch of an object gets the kept events of that object, while it lives")
    func sources() {
        let thing = Thing()
        var gone: Thing? = Thing()
        bus.trigger(state, 1, from: thing)
        bus.trigger(state, 2, from: gone)
        gone = nil
        bus.watch(state, from: thing) { seen.note("\($0.payload) \($0.isFrom(thing))") }.store(in: bag)
        #expect(seen.items == ["1 true"])
    }

    @Test("What was kept can be forgotten, and stays while the topic lives")
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

    @Test("Queued watchers get the kept events first, too")
    func queued() async {
        bus.trigger(state, 1)
        let stream = bus.events(state)
        bus.trigger(state, 2)
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.payload == 1)
        #expect(await iterator.next()?.payload == 2)
        let once = bus.watch(state, buffer: .unbounded, once: true) { seen.note("\($0.payload)") }
        while once.isLive { await Task.yield() }
        #expect(seen.items == ["1"])
    }

    @Test("A watcher of a pattern gets the kept events of all topics it meets, in the order of their triggers")
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
        #expect(seen.items == ["kept:x 2", "kept:y two", "kept:x 3"])
        bus.trigger(y, "three")
        bus.trigger(plain, 4)
        #expect(seen.items.suffix(2) == ["kept:y three", "kept:plain 4"])
        #expect(watch.cancel())
        bus.trigger(x, 5)
        #expect(seen.items.count == 5)
        let all = Recorder<UInt64>()
        bus.watch("**") { all.note($0.sequence) }.store(in: bag)
        #expect(all.items.count == 4)
        #expect(all.items == all.items.sorted())
        bus.watch("kept:**", once: true) { seen.note("once \($0.name) \($0.payload)") }.store(in: bag)
        bus.trigger(x, 6)
        #expect(seen.items.suffix(1) == ["once kept:x 3"], "the oldest that is kept")
    }

    @Test("A watcher of everything from an object gets what was kept from it")
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

    @Test("A trigger inside a handler runs at once on a topic that keeps events, too")
    func nested() {
        bus.trigger(state, 0)
        bus.watch(state) { [bus, state] in
            seen.note("+\($0.payload)")
            if $0.payload == 5 { #expect(bus.trigger(state, 6).delivered == 2) }
            seen.note("-\($0.payload)")
        }.store(in: bag)
        bus.watch("state") { _ in }.store(in: bag)
        seen.clear()
        bus.trigger(state, 5)
        #expect(seen.items == ["+5", "+6", "-6", "-5"])
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

    @Test("A watch cancelled inside its replay gets no more of it")
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
        #expect(bus.report().entries.isEmpty)
    }

    @Test("A queued watch for one event has taken it with the replay")
    @MainActor
    func onceQueued() async {
        bus.trigger(state, 1)
        let watch = bus.watchOnMain(state, once: true, alwaysQueued: true) { [seen] in seen.note("\($0.payload)") }
        #expect(bus.trigger(state, 2).isUndelivered)
        while watch.isLive { await Task.yield() }
        #expect(seen.items == ["1"])
    }

    @Test("No watcher gets an event twice, replayed and live, while another thread triggers")
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
        "A watch is made though others trigger without pause, and each of their events comes once and in order",
        arguments: [false, true], [false, true])
    func endlessTriggers(isOrdered: Bool, isPattern: Bool) async {
        let topic = Topic<Int>("endless:topic", keeping: 3, ordered: isOrdered)
        for kept in [-3, -2, -1] { bus.trigger(topic, kept) }
        let (got, triggered) = (Recorder<Int>(), Recorder<[Int]>())
        let (isReplaying, isMade, running, inside, overlaps) = (Flag(), Flag(), Bits(), Bits(), Recorder<Int>())
        let delivered = Recorder<Int>()
        // A bound for a run that does not end, and what keeps the numbers of the producers apart.
        let (most, stride) = (1_000_000, 1 << 32)
        for producer in 0..<2 {
            Thread.detachNewThread { [bus] in
                while !isReplaying.value.load(ordering: .relaxed) {}
                var mine: [Int] = []
                while mine.count < most, !isMade.value.load(ordering: .relaxed) {
                    mine.append(producer * stride + mine.count)
                    bus.trigger(topic, mine[mine.count - 1])
                    running.all.bitwiseOr(1 << producer, ordering: .relaxed)
                    let next = ContinuousClock.now + .microseconds(8)
                    while ContinuousClock.now < next {}
                }
                // Nothing of this thread is left any more, whatever is of the other.
                mine.append(producer * stride + mine.count)
                delivered.note(bus.trigger(topic, mine[mine.count - 1]).delivered)
                triggered.note(mine)
            }
        }
        // Far slower than events can be left at the gate.
        let handle: @Sendable (Int) -> Void = {
            let producer = $0 < 0 ? 4 : 1 << ($0 / stride)
            if inside.all.bitwiseOr(producer, ordering: .relaxed).oldValue & producer != 0 { overlaps.note($0) }
            got.note($0)
            isReplaying.value.store(true, ordering: .relaxed)
            let end = ContinuousClock.now + .microseconds(60)
            while ContinuousClock.now < end || running.all.load(ordering: .relaxed) != 3 {}
            inside.all.bitwiseAnd(~producer, ordering: .relaxed)
        }
        let watch =
            isPattern
            ? bus.watch("endless:*") { handle($0.payload as? Int ?? 0) } : bus.watch(topic) { handle($0.payload) }
        isMade.value.store(true, ordering: .relaxed)
        while triggered.items.count < 2 { await Task.yield() }
        watch.cancel()
        let all = got.items
        #expect(overlaps.items.isEmpty, "the events of one producer are handled one after the other")
        #expect(isOrdered || delivered.items == [1, 1])
        #expect(all.prefix(3) == [-3, -2, -1])
        #expect(all.count == 3 + triggered.items.map(\.count).reduce(0, +))
        for mine in triggered.items {
            #expect(mine.count < most, "the watch was made before they ended by themselves")
            let isInOrder = all.filter { $0 >= 0 && $0 / stride == mine[0] / stride } == mine
            #expect(isInOrder)
        }
    }

    @Test("What others have left and do not come back for is handed over before the watch is made, in its order")
    func leftForGood() {
        bus.trigger(state, -1)
        let each = 2 * 1024
        let (isOver, mayGoOn, wasAlone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Recorder<Bool>())
        let watch = bus.watch(state) { [bus, state] in
            seen.note("\($0.payload)")
            if $0.payload == -1 {
                for producer in 0..<2 {
                    Thread.detachNewThread {
                        for number in 0..<each { bus.trigger(state, producer * each + number) }
                        isOver.signal()
                        guard producer == 1 else { return }
                        mayGoOn.wait()
                        bus.trigger(state, 2 * each)
                        isOver.signal()
                    }
                    isOver.wait()
                }
            } else if $0.payload == each + each / 2 {
                // The producer comes back while one of its events is handled: it leaves the new one, too.
                mayGoOn.signal()
                isOver.wait()
                wasAlone.note(seen.items.last == "\($0.payload)")
            }
        }
        let isInOrder = seen.items == (-1...2 * each).map(String.init)
        #expect(isInOrder)
        #expect(wasAlone.items == [true])
        #expect(bus.trigger(state, 0).delivered == 1)
        watch.cancel()
    }

    private final class Bits: Sendable { let all = Atomic(0) }

    @Test("A handler that always triggers its own topic ends at the limit of depth inside a replay, too")
    func endlessHandler() {
        bus.trigger(state, 0)
        bus.watch(state) { [bus, state] in
            seen.note("\($0.payload)")
            if $0.payload < 10_000 { bus.trigger(state, $0.payload + 1) }
        }.store(in: bag)
        #expect(seen.items == (0...64).map(String.init))
        #expect(bus.refusedCount == 1)
    }

    @Test("With triggers under way, a new watcher misses none and gets none twice or out of order")
    func race() async {
        let topic = Topic<Int>("race", keeping: 1_000_000, ordered: true)
        for _ in 0..<20 {
            let bus = EventBus()
            let got = Recorder<Int>()
            let trigger = Task.detached { for i in 0..<300 { bus.trigger(topic, i) } }
            await Task.yield()
            let watch = bus.watch(topic) { got.note($0.payload) }
            await trigger.value
            #expect(got.items == Array(0..<300))
            watch.cancel()
        }
    }
}
