import AshlarEventBus
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
