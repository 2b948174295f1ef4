import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

/// Runs deferred work when the test requests it.
private final class ManualIdle: Sendable {
    private let actions = Mutex<[(DeferredEvents.Moment, @Sendable () -> Void)]>([])

    var schedule: DeferredEvents.Schedule {
        { moment, action in self.actions.withLock { $0.append((moment, action)) } }
    }

    var moments: [DeferredEvents.Moment] { actions.withLock { $0.map(\.0) } }

    func run(_ moment: DeferredEvents.Moment) {
        let due = actions.withLock { actions in
            let due = actions.filter { $0.0 == moment }
            actions.removeAll { $0.0 == moment }
            return due
        }
        for (_, action) in due { action() }
    }
}

@Suite("Deferred and coalesced events", .timeLimit(.minutes(5)))
struct DeferredEventTests {
    let bus = EventBus()
    let seen = Recorder<String>()
    let bag = WatchBag()
    private let idle = ManualIdle()
    let deferred: DeferredEvents
    let a = Topic<Int>("a")
    let b = Topic<Int>("b")

    init() {
        deferred = DeferredEvents(bus, schedule: idle.schedule)
        bus.watch("**") { [seen] in seen.note("\($0.name)\($0.payload)") }.store(in: bag)
    }

    @Test("Deferred events are triggered at their moment, in order")
    func order() {
        deferred.trigger(a, 1)
        deferred.trigger(b, 2, .soon)
        deferred.trigger(a, 3)
        #expect(seen.items.isEmpty)
        #expect(deferred.names == ["b", "a", "a"])
        #expect(idle.moments == [.whenIdle, .soon], "each moment is requested once")
        idle.run(.soon)
        #expect(seen.items == ["b2"])
        idle.run(.whenIdle)
        #expect(seen.items == ["b2", "a1", "a3"])
        idle.run(.whenIdle)
        #expect(seen.items.count == 3)
    }

    @Test("Idle events follow soon events, even if the idle moment comes first")
    func soonFirst() {
        deferred.trigger(a, 1, .whenIdle)
        deferred.trigger(b, 2, .soon)
        idle.run(.whenIdle)
        #expect(seen.items == ["b2", "a1"])
        idle.run(.soon)
        #expect(seen.items.count == 2)
    }

    @Test("A burst that coalesces by name becomes one event: the last, at the end")
    func coalesceOnName() {
        deferred.trigger(a, 1, coalescing: .name)
        deferred.trigger(b, 9)
        for i in 2...5 { deferred.trigger(a, i, coalescing: .name) }
        idle.run(.whenIdle)
        #expect(seen.items == ["b9", "a5"])
    }

    @Test("Coalescing by name and source doesn't affect other sources")
    func coalesceOnSource() {
        let (x, y) = (Thing(), Thing())
        deferred.trigger(a, 1, from: x, coalescing: .nameAndSource)
        deferred.trigger(a, 2, from: y, coalescing: .nameAndSource)
        deferred.trigger(a, 3, coalescing: .nameAndSource)
        deferred.trigger(a, 4, from: x, coalescing: .nameAndSource)
        #expect(deferred.names.count == 3)
        deferred.flush()
        #expect(seen.items == ["a2", "a3", "a4"])
    }

    @Test("An immediate event is triggered inside the call and removes queued events like it")
    func now() {
        deferred.trigger(a, 1)
        deferred.trigger(b, 2)
        deferred.trigger(a, 3, .now, coalescing: .name)
        #expect(seen.items == ["a3"])
        idle.run(.whenIdle)
        #expect(seen.items == ["a3", "b2"])
    }

    @Test("An event deferred by a handler waits for the next moment")
    func deferringInside() {
        bus.watch(a) { [deferred, a] in if $0.payload < 3 { deferred.trigger(a, $0.payload + 1) } }.store(in: bag)
        deferred.trigger(a, 1)
        idle.run(.whenIdle)
        #expect(seen.items == ["a1"])
        idle.run(.whenIdle)
        #expect(seen.items == ["a1", "a2"])
    }

    @Test(
        "A flush triggers only the events that were queued before it",
        arguments: [DeferredEvents.Moment.soon, .whenIdle])
    func flushOnce(moment: DeferredEvents.Moment) {
        bus.watch(a) { [deferred, a] in if $0.payload < 9 { deferred.trigger(a, $0.payload + 1, moment) } }
            .store(in: bag)
        deferred.trigger(a, 1, .soon)
        deferred.flush()
        #expect(seen.items == ["a1"])
        #expect(deferred.names == ["a"])
    }

    @Test("Queued events can be removed")
    func cancelling() {
        let thing = Thing()
        deferred.trigger(a, 1)
        deferred.trigger(a, 2, from: thing)
        deferred.trigger(b, 3)
        #expect(deferred.cancel("a", from: thing, coalescing: .nameAndSource) == 1)
        #expect(deferred.cancel("a") == 1)
        #expect(deferred.cancel("a") == 0)
        deferred.flush()
        #expect(seen.items == ["b3"])
    }

    @Test("By default, deferred events are triggered when the main actor is idle")
    @MainActor
    func onMain() async throws {
        let deferred = DeferredEvents(bus)
        for i in 1...3 { deferred.trigger(a, i, coalescing: .name) }
        #expect(seen.items.isEmpty)
        try await until { !seen.items.isEmpty }
        #expect(seen.items == ["a3"])
    }
}
