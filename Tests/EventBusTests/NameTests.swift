import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Stub: Service {
    init(_ context: ServiceContext) async throws {}
}

/// The composed and the decomposed form of a letter are equal strings, so they are one name.
@Suite("Names are compared as strings", .timeLimit(.minutes(5)))
struct NameTests {
    let composed = "caf\u{e9}:open"
    let decomposed = "cafe\u{301}:open"
    let bus = EventBus()
    let bag = WatchBag()

    @Test("Both forms of a letter name one topic, also in patterns")
    func topics() throws {
        let seen = Recorder<String>()
        bus.watch(try Topic<Int>(named: composed)) { seen.note("topic \($0.payload)") }.store(in: bag)
        bus.watch(try TopicPattern(parsing: decomposed)) { _ in seen.note("name") }.store(in: bag)
        bus.watch("cafe\u{301}:*") { _ in seen.note("pattern") }.store(in: bag)
        let topic = try Topic<Int>(named: decomposed)
        #expect(topic == (try Topic<Int>(named: composed)))
        #expect(bus.trigger(topic, 5).delivered == 3)
        #expect(seen.items == ["topic 5", "name", "pattern"])
        #expect(bus.currentWatches().topicCount == 1)
    }

    @Test("A service is found by both forms of its name")
    func services() async throws {
        let services = ServiceRegistry(bus: bus)
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try await services.register(composed) { try await Stub($0) }
        try await services.register("shop", needs: [decomposed]) { context in
            #expect(context.service(named: composed) != nil)
            return try await Stub(context)
        }
        try await services.start("shop")
        #expect(await services.runningNames.count == 2)
        try await services.stop(decomposed, cascading: true)
        #expect(await services.state(of: composed) == .stopped)
    }
}
