import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Plain: Service {
    init(_ context: ServiceContext) async throws {}
}

private final class Failing: RunningService {
    init(_ context: ServiceContext) async throws {}
    func run() async throws { throw Oops() }
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

        @Test("Services accept every limit, grace period and pause")
        func services() async throws {
            await #expect(processExitsWith: .success) {
                let longest = Duration.seconds(Int64.max)
                let services = ServiceRegistry(bus: EventBus(), gracePeriod: longest)
                try await services.register(Plain.self)
                try await services.register(
                    Failing.self, restart: .onFailure(limit: 5, first: longest, ceiling: longest))
                try await services.start(Plain.self, within: longest)
                try await services.start(Failing.self, within: longest)
                try await until { await services.state(of: "Failing") == .restarting }
                try await services.stop(Failing.name, within: longest)
                try await services.stop(Plain.name, within: longest)
                #expect(await services.shutDown(within: longest) == [])
            }
        }
    #endif

    @Test("A clock never waits longer than it can represent")
    func shortenedWaits() async throws {
        let (longest, shortened) = (Duration.seconds(Int64.max), Duration.seconds(1_000_000_000))
        let pauses = ManualClock()
        let services = ServiceRegistry(bus: EventBus(), clock: pauses)
        try await services.register(Failing.self, restart: .onFailure(limit: 5, first: longest, ceiling: longest))
        try await services.start(Failing.self)
        await pauses.untilSomebodySleeps()
        #expect(pauses.untilNext == shortened, "the pause before a restart")
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
