import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Plain: Service {
    init(_ context: ServiceContext) async throws {}
}

/// Each test runs in a child process, because an overflow of time ends the process.
@Suite("Time limits of any length", .timeLimit(.minutes(5)))
struct LimitTests {
    #if os(Linux) || os(macOS)
        @Test("A request accepts every limit; one that has passed is an error")
        func requests() async {
            await #expect(processExitsWith: .success) {
                let bus = EventBus()
                let topic = RequestTopic<Int, Int>("next")
                let watch = try bus.respond(to: topic) { number in
                    if number == 0 { try await Task.sleep(for: .seconds(60)) }
                    return number + 1
                }
                for limit in [Duration.seconds(Int64.max), .seconds(1 << 40)] {
                    #expect(try await bus.request(topic, 1, within: limit) == 2)
                }
                for limit in [Duration.zero, .seconds(-5), .seconds(Int64.min)] {
                    let error = await #expect(throws: EventBusError.self) {
                        try await bus.request(topic, 0, within: limit)
                    }
                    #expect(error?.code == .requestTimedOut)
                }
                watch.cancel()
            }
        }

        @Test("Services accept every limit")
        func services() async throws {
            await #expect(processExitsWith: .success) {
                let longest = Duration.seconds(Int64.max)
                let services = ServiceRegistry(bus: EventBus())
                try await services.register(Plain.self)
                for limit in [longest, .seconds(1 << 40)] {
                    try await services.start(Plain.self, within: limit)
                    try await services.stop(Plain.name, within: limit)
                }
                #expect(await services.shutDown(within: longest) == [])
            }
        }
    #endif

    @Test("A clock never waits longer than it can represent")
    func shortenedWaits() async throws {
        let (longest, shortened) = (Duration.seconds(Int64.max), Duration.seconds(1_000_000_000))
        let (starts, isReady) = (ManualClock(), Gate())
        let services = ServiceRegistry(bus: EventBus(), clock: starts)
        try await services.register("slow") { context in
            await isReady.pass()
            return try await Plain(context)
        }
        let start = Task { try await services.start("slow", within: longest) }
        await starts.untilSomebodySleeps()
        #expect(starts.untilNext == shortened, "the limit of a start")
        isReady.open()
        _ = try await start.value
        await services.shutDown()

        let (bus, topic, gate, limits) = (EventBus(), Topic<Int>("t"), Gate(), ManualClock())
        let watch = bus.watch(topic, buffer: .unbounded) { _ in await gate.pass() }
        bus.trigger(topic, 1)
        await gate.untilSomebodyComes()
        let wait = Task { try await watch.cancelAndWait(within: longest, clock: limits) }
        await limits.untilSomebodySleeps()
        #expect(limits.untilNext == shortened, "the limit of a wait")
        gate.open()
        try await wait.value
    }

    #if os(Linux) || os(macOS)
        @Test("A wait for the end of a watch accepts every limit")
        func waits() async {
            await #expect(processExitsWith: .success) {
                let (bus, topic, gate) = (EventBus(), Topic<Int>("t"), Gate())
                let watch = bus.watch(topic, buffer: .unbounded) { _ in await gate.pass() }
                bus.trigger(topic, 1)
                await gate.untilSomebodyComes()
                await #expect(throws: EventBusError.self) { try await watch.cancelAndWait(within: .seconds(Int64.min)) }
                let wait = Task { try await watch.cancelAndWait(within: .seconds(Int64.max)) }
                gate.open()
                try await wait.value
            }
        }
    #endif
}
