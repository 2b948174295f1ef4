import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Many watches", .timeLimit(.minutes(5)))
struct ScaleTests {
    final class Thing: Sendable {}
    let bus = EventBus()
    let bag = WatchBag()

    @Test("The first event of a name takes as long with 20,000 patterns as without")
    func manyPatterns() throws {
        let patterns: [TopicPattern] = ["area7:**", "*:seven:*", "area7:seven:state", "**"]
        let seen = Recorder<String>()
        // Linear work would cost a thousand times as much.
        let ratio = try growth(from: 0, to: 20_000, limit: 100) { count in
            let bus = EventBus()
            for number in 0..<count {
                bus.watch(try TopicPattern(parsing: "area\(number):*:state")) { _ in }.store(in: bag)
            }
            for pattern in patterns { bus.watch(pattern) { _ in seen.note("\(pattern)") }.store(in: bag) }
            seen.clear()
            return bus
        } _: { bus in
            for number in 0..<2000 { _ = try? bus.trigger(named: "fresh\(number):seven") }
            #expect(seen.items.count == 2000)
            _ = try? bus.trigger(named: "area7:seven:state")
        }
        #expect(ratio < 100)
        #expect(seen.items.suffix(4) == ["area7:**", "*:seven:*", "area7:seven:state", "**"])
    }

    @Test("The bus matches random names like the patterns themselves")
    func randomPatterns() throws {
        var random = SeededRandom(seed: 42)
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

    @Test("A watch of a narrow pattern takes time only for the topics that it matches")
    func narrowWatch() throws {
        let names = (0..<20_000).map { "sensor:\($0):value" }
        let topics = try names.map { try Topic<Int>(named: $0) }
        let seen = Recorder<String>()
        for topic in topics { bus.watch(topic) { _ in }.store(in: bag) }
        for topic in topics { bus.trigger(topic, 1) }
        // A pass over all topics would cost thousands of times as much.
        let ratio = growth(from: 0, to: 20_000, limit: 100) {
            $0 == 0 ? EventBus() : bus
        } _: { bus in
            for _ in 0..<200 { bus.watch("sensor:7:*") { seen.note($0.name) }.cancel() }
        }
        #expect(ratio < 100)
        let watch = bus.watch("sensor:7:*") { seen.note($0.name) }
        for topic in topics { bus.trigger(topic, 1) }
        #expect(seen.items == ["sensor:7:value"])
        watch.cancel()
        for topic in topics { bus.trigger(topic, 1) }
        #expect(seen.items.count == 1)
    }

    @Test("A pattern's handler is released with its watch, also among many other patterns")
    func patternsComeAndGo() throws {
        let counter = Recorder<Int>()
        for number in 0..<1000 {
            var thing: Thing? = Thing()
            weak let gone = thing
            let watch = bus.watch(try TopicPattern(parsing: "user\(number):*")) { [thing] _ in
                _ = thing
                counter.note(number)
            }
            thing = nil
            _ = try? bus.trigger(named: "user\(number):name")
            watch.cancel()
            #expect(gone == nil)
        }
        bus.watch("user5:*") { _ in counter.note(-1) }.store(in: bag)
        _ = try? bus.trigger(named: "user5:name")
        #expect(counter.items == Array(0..<1000) + [-1])
    }

    @Test("The time for a watch of an object doesn't depend on their number")
    func manyWatchesOfOneObject() {
        let ratio = growth(from: 2500, to: 20_000, limit: 30) {
            $0
        } _: { total in
            let (thing, count) = (Thing(), Recorder<Int>())
            for _ in 0..<total { bus.watch("**", from: thing) { _ in count.note(1) }.store(in: bag) }
            bus.trigger("change", from: thing)
            #expect(count.items.count == total)
            #expect(bag.cancelAll() == total)
        }
        // Eight times as many watches take eight times as long; with quadratic work, 64 times.
        #expect(ratio < 30)
    }
}
