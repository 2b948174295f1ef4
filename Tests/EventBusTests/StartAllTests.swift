import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Starting all services", .timeLimit(.minutes(5)))
struct StartAllTests {
    private struct Idle: Service {
        init(_ context: ServiceContext) {}
    }

    private let clock = ManualClock()
    private let gate = Gate()
    private let services: ServiceRegistry

    init() { services = ServiceRegistry(bus: EventBus(), clock: clock) }

    /// Registers a service that waits at the gate, after the one that needs it.
    private func addChain() async throws {
        try await services.register("top", needs: ["low"]) { Idle($0) }
        try await services.register("low") { [gate] in
            await gate.pass()
            return Idle($0)
        }
    }

    private func states(_ names: String...) async -> [ServiceState?] {
        var states: [ServiceState?] = []
        for name in names { states.append(await services.state(of: name)) }
        return states
    }

    @Test("The thrown error is that of the service that failed, in the order of registration, not of one that needs it")
    func rootOfFailures() async throws {
        try await services.register("top", needs: ["low"]) { Idle($0) }
        try await services.register("low") { _ in throw Oops(1) }
        try await services.register("other") { _ in throw Oops(2) }
        try await services.register("free") { Idle($0) }
        for _ in 0..<20 {
            let error = await #expect(throws: EventBusError.self) { try await services.startAll() }
            #expect(error?.subject == "low" && error?.underlying as? Oops == Oops(1))
            #expect(await states("top", "low", "other", "free") == [.failed, .failed, .failed, .running])
        }
    }

    @Test(
        "After the limit, each start that hasn't ended is cancelled, also one that a service registered before it needs"
    )
    func limit() async throws {
        try await addChain()
        try await services.register("free") { Idle($0) }
        let services = services
        let all = Task { try await services.startAll(within: .seconds(5)) }
        await gate.untilSomebodyComes()
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: EventBusError.self) { try await all.value }
        #expect(error?.code == .serviceOverran && error?.subject == "low")
        #expect(await states("top", "low", "free") == [.failed, .stopping, .running])
        gate.open()
        try await until { await services.state(of: "low") == .failed }
        #expect(await services.runningNames == ["free"])
        try await services.startAll()
        #expect(await states("top", "low", "free") == [.running, .running, .running])
    }

    @Test("A cancelled caller leaves the starts that others wait for", arguments: [false, true])
    func cancelledCaller(hasOtherCaller: Bool) async throws {
        try await addChain()
        let services = services
        let other = hasOtherCaller ? Task { try await services.start("low") } : nil
        if hasOtherCaller { await gate.untilSomebodyComes() }
        let all = Task { try await services.startAll() }
        await gate.untilSomebodyComes()
        try await until { await services.state(of: "top") == .starting }
        all.cancel()
        await #expect(throws: CancellationError.self) { try await all.value }
        #expect(await states("top", "low") == [.stopped, hasOtherCaller ? .starting : .stopping])
        gate.open()
        _ = try await other?.value
        try await until { await services.state(of: "low") == (hasOtherCaller ? .running : .stopped) }
    }
}
