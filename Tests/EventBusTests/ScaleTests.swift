import AshlarEventBus
import Testing

@Suite("Many watches", .timeLimit(.minutes(5)))
struct ScaleTests {
    final class Thing: Sendable {}
    let bus = EventBus()
    let bag = WatchBag()

    @Test("A fresh name costs about as much next to 20,000 patterns as next to none")
    func manyPatterns() {
        for number in 0..<20_000 { bus.watch("area\(number):*:state") { _ in }.store(in: bag) }
        let seen = Recorder<String>()
        for pattern in ["area7:**", "*:seven:*", "area7:seven:state", "**"] {
            bus.watch(pattern) { [pattern] _ in seen.note(pattern) }.store(in: bag)
        }
        // Linear work would take 40 seconds and more.
        let duration = ContinuousClock().measure {
            for number in 0..<20_000 { _ = try? bus.trigger(named: "fresh\(number):seven") }
        }
        #expect(duration < .seconds(10))
        #expect(seen.items.count == 20_000)
        _ = try? bus.trigger(named: "area7:seven:state")
        #expect(seen.items.suffix(4) == ["area7:**", "*:seven:*", "area7:seven:state", "**"])
    }

    @Test("Random patterns and names match as the pattern itself says")
    func randomPatterns() throws {
        var random = RouteRandom(state: 42)
        let words = ["a", "b", "c", "*"]
        func name(_ words: [String], most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in words.randomElement(using: &random)! }
                .joined(separator: ":")
        }
        for _ in 0..<100 {
            let bus = EventBus()
            let seen = Recorder<Int>()
            var watches: [(pattern: TopicPattern, watch: Watch)] = []
            for number in 0..<30 {
                let text = name(words, most: 4) + (Bool.random(using: &random) ? ":**" : "")
                let pattern = try TopicPattern(parsing: text)
                watches.append((pattern, bus.watch(pattern) { _ in seen.note(number) }))
            }
            for index in watches.indices where index % 3 == 0 { watches[index].watch.cancel() }
            for _ in 0..<30 {
                let topic = name(["a", "b", "c"], most: 5)
                seen.clear()
                try bus.trigger(named: topic)
                let expected = watches.indices.filter { $0 % 3 != 0 && watches[$0].pattern.matches(topic) }
                #expect(seen.items == expected, "\(topic)")
            }
        }
    }

    @Test("Watches of one object cost the same, however many there are")
    func manyWatchesOfOneObject() {
        let (thing, count) = (Thing(), Recorder<Int>())
        // Quadratic work would take more than 9 seconds in a release build, and minutes in a debug build.
        let duration = ContinuousClock().measure {
            for _ in 0..<20_000 { bus.watch("**", from: thing) { _ in count.note(1) }.store(in: bag) }
        }
        bus.trigger("change", from: thing)
        #expect(count.items.count == 20_000)
        #expect(duration < .seconds(20))
        #expect(bag.cancelAll() == 20_000)
    }

    @Test("A match without an error finds what match finds")
    func firstMatch() throws {
        let router = Router(bus: bus)
        try router.route("/notes/:id(int)") { _ in }
        #expect(router.firstMatch(for: "/notes/5")?.parameters["id"] == "5")
        #expect(router.firstMatch(for: "/notes/x") == nil)
        #expect(router.firstMatch(for: "/notes/%zz") == nil)
        #expect(router.current.firstMatch(for: "/notes/6")?.pattern == "/notes/:id(int)")
    }
}
