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
        func cost(on bus: EventBus, _ patterns: [TopicPattern], _ seen: Recorder<String>) -> Duration {
            for pattern in patterns { bus.watch(pattern) { _ in seen.note("\(pattern)") }.store(in: bag) }
            return ContinuousClock().measure {
                for number in 0..<2000 { _ = try? bus.trigger(named: "fresh\(number):seven") }
            }
        }
        let patterns: [TopicPattern] = ["area7:**", "*:seven:*", "area7:seven:state", "**"]
        let alone = cost(on: EventBus(), patterns, Recorder())
        for number in 0..<20_000 {
            bus.watch(try TopicPattern(parsing: "area\(number):*:state")) { _ in }.store(in: bag)
        }
        let seen = Recorder<String>()
        // Linear work would cost a thousand times as much.
        #expect(cost(on: bus, patterns, seen) < alone * 100)
        #expect(seen.items.count == 2000)
        _ = try? bus.trigger(named: "area7:seven:state")
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
        func cost(on bus: EventBus) throws -> Duration {
            // The shortest of several times is the least disturbed by other processes.
            let times = (0..<5).map { _ in
                ContinuousClock().measure {
                    for _ in 0..<200 { bus.watch("sensor:7:*") { seen.note($0.name) }.cancel() }
                }
            }
            return try #require(times.min())
        }
        // A pass over all topics would cost thousands of times as much.
        #expect(try cost(on: bus) < cost(on: EventBus()) * 100)
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
}
