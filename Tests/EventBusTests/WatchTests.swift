import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Watching, triggering and unwatching")
struct WatchTests {
    let bus = EventBus()
    let seen = Recorder<String>()
    let number = Topic<Int>("number")

    @Test("A watcher of a topic gets payload, name, source and a growing number")
    func payload() {
        let thing = Thing()
        let first = Recorder<Signal<Int>>()
        let watch = bus.watch(number) { first.note($0) }
        let receipts = [bus.trigger(number, 1), bus.trigger(number, 2, from: thing)]
        #expect(first.items.map(\.payload) == [1, 2])
        #expect(first.items.map(\.name) == ["number", "number"])
        #expect(first.items.map(\.sequence) == receipts.map(\.sequence))
        #expect(receipts[0].sequence < receipts[1].sequence)
        #expect(receipts.map(\.delivered) == [1, 1])
        #expect(!first.items[0].isFrom(thing))
        #expect(first.items[0].source(as: Thing.self) == nil)
        #expect(first.items[1].isFrom(thing))
        #expect(first.items[1].source(as: Thing.self) === thing)
        #expect(first.items[1].source(as: Keeper.self) == nil)
        watch.cancel()
    }

    @Test("Watching by name, by object and by both")
    func flavours() {
        let (a, b) = (Thing(), Thing())
        let watches = [
            bus.watch(number) { seen.note("name \($0.payload)") },
            bus.watch("**", from: a) { seen.note("object \($0.payload)") },
            bus.watch(number, from: a) { seen.note("both \($0.payload)") },
        ]
        bus.trigger(number, 1)
        bus.trigger(number, 2, from: a)
        bus.trigger(number, 3, from: b)
        bus.trigger("other", 4, from: a)
        #expect(
            seen.items == ["name 1", "name 2", "object 2", "both 2", "name 3", "object 4"])
        for watch in watches { #expect(watch.cancel()) }
        seen.clear()
        #expect(bus.trigger(number, 5, from: a).isUndelivered)
        #expect(seen.items.isEmpty)
    }

    @Test("A bare name matches typed and untyped watchers")
    func names() throws {
        let watches = [
            bus.watch("number") { seen.note("untyped \($0.payload)") },
            bus.watch(number) { seen.note("typed \($0.payload)") },
        ]
        bus.trigger("number", 1)
        bus.trigger(number, 2)
        try bus.trigger(named: ["num", "ber"].joined(), 3)
        #expect(seen.items == ["untyped 1", "typed 1", "untyped 2", "typed 2", "untyped 3", "typed 3"])
        seen.clear()
        let receipt = bus.trigger("number", "text")
        #expect(seen.items == ["untyped text"])
        #expect((receipt.failures.first as? EventBusError)?.code == .payloadMismatch)
        for watch in watches { watch.cancel() }
    }

    @Test("Removed names don't affect other names")
    func manyNames() throws {
        let names = (0..<2000).map { "dynamic:\($0)" }
        let watches = try names.map { name in
            bus.watch(try TopicPattern(parsing: name)) { signal in seen.note(signal.name) }
        }
        for (index, watch) in watches.enumerated() where index % 3 != 0 { #expect(watch.cancel()) }
        for (index, name) in names.enumerated() {
            #expect(try bus.trigger(named: name).delivered == (index % 3 == 0 ? 1 : 0))
        }
        #expect(seen.items == names.indices.filter { $0 % 3 == 0 }.map { names[$0] })
        for watch in watches { watch.cancel() }
        #expect(bus.currentWatches().topicCount == 0)
    }

    @Test("A name that several threads use and release concurrently exists for each of them")
    func contestedName() async {
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<2 {
                group.addTask { [bus] in
                    let mine = Recorder<String>()
                    let rounds = soak ? 500_000 : 20_000
                    for round in 0..<rounds {
                        let watch = bus.watch("contested") { mine.note($0.name) }
                        _ = try? bus.trigger(named: "contested", thread)
                        watch.cancel()
                        if mine.items.isEmpty { Issue.record("round \(round) was missed") }
                        mine.clear()
                    }
                }
            }
        }
        #expect(bus.currentWatches().topicCount == 0)
    }

    private final class Guest: WatchOwner {
        let watches: WatchBag
        init(_ watches: WatchBag) { self.watches = watches }
    }

    @Test("A released owner receives nothing, even if its watches are retained elsewhere")
    func goneOwner() {
        let bag = WatchBag()
        var guest: Guest? = Guest(bag)
        bus.watch(number, owner: guest!) { seen.note("\(type(of: $0)) \($1.payload)") }
        #expect(bus.trigger(number, 1).delivered == 1)
        guest = nil
        let receipt = bus.trigger(number, 2)
        #expect(receipt.delivered == 0)
        #expect(receipt.isUndelivered)
        #expect(seen.items == ["Guest 1"])
        #expect(bus.currentWatches().entries.isEmpty, "the trigger has removed the watch")
        bag.cancelAll()
    }

    @Test("Owners are retained during a call, and their watches end with them")
    func owners() {
        var keeper: Keeper? = Keeper("anna")
        bus.watch(number, owner: keeper!) { seen.note("\($0.name) \($1.payload)") }
        bus.watch("number", owner: keeper!) { seen.note("\($0.name) \($1.payload)") }
        #expect(keeper?.watches.count == 2)
        bus.trigger(number, 1)
        #expect(seen.items == ["anna 1", "anna 1"])
        keeper = nil
        #expect(bus.trigger(number, 2).isUndelivered)
        #expect(seen.items.count == 2)
    }

    @Test("The four variants of unwatch")
    func unwatching() {
        let (a, b) = (Thing(), Thing())
        let cases: [(String, (Keeper) -> Int, left: [String])] = [
            ("all", { bus.unwatch(owner: $0) }, []),
            ("name", { bus.unwatch("x", owner: $0) }, ["a", "y", "ya"]),
            ("object", { bus.unwatch(from: a, owner: $0) }, ["x", "xb", "y"]),
            ("both", { bus.unwatch("x", from: a, owner: $0) }, ["x", "xb", "a", "y", "ya"]),
        ]
        for (name, unwatch, left) in cases {
            let keeper = Keeper()
            bus.watch("x", owner: keeper) { _, _ in seen.note("x") }
            bus.watch("x", from: a, owner: keeper) { _, _ in seen.note("xa") }
            bus.watch("x", from: b, owner: keeper) { _, _ in seen.note("xb") }
            bus.watch("**", from: a, owner: keeper) { _, _ in seen.note("a") }
            bus.watch("y", owner: keeper) { _, _ in seen.note("y") }
            bus.watch("y", from: a, owner: keeper) { _, _ in seen.note("ya") }
            #expect(unwatch(keeper) == 6 - left.count, "\(name)")
            #expect(keeper.watches.count == left.count, "\(name)")
            seen.clear()
            for source in [a, b] {
                bus.trigger("x", from: source)
                bus.trigger("y", from: source)
            }
            #expect(Set(seen.items) == Set(left), "\(name)")
        }
    }
}
