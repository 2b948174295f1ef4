import AshlarCore
import AshlarTestSupport
import Testing

@testable import AshlarEventBus

@Suite("Observing a bus")
struct SeeingTests {
    let bus = EventBus()
    let a = Topic<Int>("a")

    @Test("An interceptor of every topic traces each trigger with its location and result")
    func tracing() {
        let traces = Recorder<(name: String, location: String, result: DeliveryResult)>()
        let bag = WatchBag()
        bus.watch(a) { [bus] in if $0.payload == 1 { bus.trigger("inner") } else { throw Oops() } }.store(in: bag)
        bus.watch(a, buffer: .unbounded) { _ in }.store(in: bag)
        let tracing = bus.intercept(
            Topic(matching: "**"),
            with: Station { event, next in
                let result = next(event)
                traces.note((event.name, event.location, result))
                return result
            })
        bus.trigger(a, 1)
        let line = #line - 1
        bus.trigger(a, 2)
        bus.trigger("unknown")
        tracing.cancel()
        bus.trigger(a, 1)
        #expect(traces.items.map(\.name) == ["inner", "a", "a", "unknown"])
        #expect(traces.items.map(\.result.delivered) == [0, 1, 1, 0])
        #expect(traces.items.map(\.result.queued) == [0, 1, 1, 0])
        #expect(traces.items.map(\.result.failures.count) == [0, 0, 1, 0])
        #expect(traces.items[1].location == "AshlarEventBusTests/SeeingTests.swift:\(line)")
    }

    @Test("A report names topics, owners, locations, ended watches and duplicates")
    func report() {
        let keeper = Keeper()
        var thing: Thing? = Thing()
        for _ in 0..<2 { bus.watch(a, owner: keeper) { _, _ in } }
        let line = #line - 1
        let watches = [bus.watch("net:*", priority: 3) { _ in }, bus.watch(a, from: thing!) { _ in }]
        let report = bus.currentWatches()
        #expect(report.entries.map(\.watched) == ["a", "a", "a", "net:*"])
        #expect(report.entries.map(\.owner) == ["Keeper", "Keeper", nil, nil])
        #expect(report.entries[0].location.line == line)
        #expect(report.entries.filter(\.isDuplicate).count == 1)
        #expect(report.entries.count { $0.owner == nil } == 2)
        #expect(report.entries[2].hasSource)
        #expect(report.entries[3].priority == 3)
        #expect(report.entries.filter(\.isDead).isEmpty)
        thing = nil
        #expect(bus.currentWatches().entries.filter(\.isDead).map(\.watched) == ["a"])
        #expect(bus.currentWatches().entries.count { $0.owner == nil } == 2)
        for watch in watches { watch.cancel() }
        #expect(bus.currentWatches().entries.allSatisfy { $0.owner != nil })
        #expect(bus.report().contains("DUPLICATE"))
    }

    @Test("Unused names are removed")
    func forgetting() throws {
        for i in 0..<1000 {
            let watch = bus.watch(try TopicPattern(parsing: "dynamic:\(i)")) { _ in }
            try bus.trigger(named: "dynamic:\(i)")
            try bus.trigger(named: "nobody:\(i)")
            watch.cancel()
            bus.trigger(try Topic<Int>(named: "passing:\(i)"), i)
        }
        #expect(bus.currentWatches().topicCount == 0)
    }

    @Test("The patterns of cancelled watches occupy no memory")
    func forgottenPatterns() throws {
        let lasting = (0..<50).map { index in bus.watch("lasting:*", priority: Int8(index)) { _ in } }
        for i in 0..<5000 {
            bus.watch(try TopicPattern(parsing: "a:\(i):*:\(i)")) { _ in }.cancel()
        }
        #expect(bus.state.withLock { $0.patternNodeCount } <= 3)
        for watch in lasting { watch.cancel() }
    }

    @Test("Watches of released objects are removed without cancellation")
    func sweeping() {
        let keeper = Keeper()
        for _ in 0..<5000 {
            bus.watch("**", from: Thing(), owner: keeper) { _, _ in }
            bus.watch(a, from: Thing(), owner: keeper) { _, _ in }
        }
        #expect(bus.currentWatches().entries.count < 200)
        let living = (0..<500).map { _ in Thing() }
        for thing in living { bus.watch("**", from: thing, owner: keeper) { _, _ in } }
        for thing in living { #expect(bus.trigger(a, 1, from: thing).delivered == 1) }
    }

    @Test("Errors have all details in one line")
    func errorText() {
        let error = EventBusError(
            .payloadMismatch, subject: "a", offset: 3, expected: "payload Int", found: "String",
            location: EventLocation(file: "A/b.swift", line: 1),
            otherLocation: EventLocation(file: "A/c.swift", line: 2),
            trail: ["x", "y"], underlying: Oops(1))
        #expect(
            "\(error)"
                == "payloadMismatch 'a' at byte 3, expected payload Int, found String (A/b.swift:1), "
                + "declared at A/c.swift:2 [x -> y]: Oops(number: 1)")
    }
}
