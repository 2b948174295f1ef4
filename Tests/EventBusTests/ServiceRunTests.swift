import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Runner: RunningService {
    let log: Recorder<String>
    let running: @Sendable () async throws -> Void
    init(_ context: ServiceContext) async throws { preconditionFailure("created by closures only") }
    init(_ log: Recorder<String>, _ running: @escaping @Sendable () async throws -> Void) {
        (self.log, self.running) = (log, running)
    }
    func run() async throws {
        log.note("run")
        try await running()
    }
    func stop() async throws { log.note("stop") }
}

private final class Brief: RunningService {
    init(_ context: ServiceContext) async throws {}
    func run() async throws {}
}

private final class Weak: Service {
    let context: ServiceContext
    init(_ context: ServiceContext) async throws { self.context = context }
}

@Suite("Services that run", .timeLimit(.minutes(5)))
struct ServiceRunTests {
    let bus = EventBus()
    let clock = ManualClock()
    let services: ServiceRegistry
    let log = Recorder<String>()

    init() { services = ServiceRegistry(bus: bus, clock: clock) }

    private func untilState(_ name: String, _ state: ServiceState) async throws {
        try await until { await services.state(of: name) == state }
    }

    @Test("A stop calls stop(), then cancels run() and waits for it")
    func stopCancelsRun() async throws {
        try await services.register("a") { [log] _ in
            Runner(log) {
                while !Task.isCancelled { await Task.yield() }
                log.note("cancelled")
            }
        }
        try await services.start("a")
        try await services.stop("a")
        #expect(log.items.contains("run") || log.items.first == "stop")
        #expect(log.items.last == "cancelled")
        #expect(await services.state(of: "a") == .stopped)
    }

    @Test("A service that is registered by its type ends the run of the registry as its registration says")
    func effectsOfType() async throws {
        try await services.register(Brief.self, whenEnded: .shutDown, whenFailed: .ignore)
        try await services.register("other") { [log] _ in
            Runner(log) { while !Task.isCancelled { await Task.yield() } }
        }
        let run = Task { [services, log] in
            _ = try await services.run(shuttingDownOn: [])
            log.note("ended")
        }
        try await until("the run ends") { log.items.last == "ended" }
        try await run.value
    }

    @Test("A run that returns is stopped; one that throws is failed")
    func ends() async throws {
        try await services.register("done") { [log] _ in Runner(log) {} }
        try await services.register("broken") { [log] _ in Runner(log) { throw Oops() } }
        try await services.startAll()
        try await untilState("done", .stopped)
        try await untilState("broken", .failed)
        let explanation = try await services.explain("broken")
        #expect(explanation.contains("last error: serviceFailed 'broken': Oops"))
        #expect(await services.runningNames == [])
    }

    @Test("A service that waits for the stop of its users says so")
    func waitingForUsers() async throws {
        let gate = Gate()
        try await services.register("db") { try await Weak($0) }
        try await services.register("lib", needs: ["db"]) { [log] _ in
            Runner(log) { await gate.pass() }
        }
        try await services.start("lib")
        await gate.untilSomebodyComes()
        let stop = Task { try await services.stop("db", cascading: true) }
        try await until { await services.state(of: "lib") == .stopping }
        #expect(try await services.explain("db").contains("waits for lib"))
        gate.open()
        try await stop.value
        #expect(await services.runningNames == [])
    }

    @Test("A service that ignores its cancellation doesn't delay the caller of a stop")
    func ignoredCancellation() async throws {
        let gate = Gate()
        try await services.register("a") { [log] _ in Runner(log) { await gate.pass() } }
        try await services.start("a")
        await gate.untilSomebodyComes()
        let stop = Task { try await services.stop("a", within: .seconds(5)) }
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(5))
        await #expect { try await stop.value } throws: { ($0 as? EventBusError)?.code == .serviceOverran }
        #expect(await services.state(of: "a") == .stopping)
        gate.open()
        try await untilState("a", .stopped)
    }

    @Test("A start that misses its deadline throws, and a service that it creates later is stopped")
    func startDeadline() async throws {
        let gate = Gate()
        try await services.register("slow") { [log] _ in
            await gate.pass()
            return Runner(log) {}
        }
        let start = Task { try await services.start("slow", within: .seconds(3)) }
        await gate.untilSomebodyComes()
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(3))
        await #expect { try await start.value } throws: { ($0 as? EventBusError)?.code == .serviceOverran }
        #expect(await services.state(of: "slow") == .stopping)
        gate.open()
        try await untilState("slow", .failed)
        #expect(log.items == ["stop"])
    }

    @Test("Independent services start concurrently")
    func concurrentStarts() async throws {
        let (first, second) = (Gate(), Gate())
        for (name, mine, other) in [("a", first, second), ("b", second, first)] {
            try await services.register(name) { context in
                mine.open()
                await other.pass()
                return try await Weak(context)
            }
        }
        try await services.register("top", needs: ["a", "b"]) { try await Weak($0) }
        try await services.start("top")
        #expect(await services.runningNames.last == "top")
    }

    @Test("An explanation shows needs, dependents, waits and the last error")
    func explanation() async throws {
        let gate = Gate()
        try await services.register("low") { context in
            await gate.pass()
            return try await Weak(context)
        }
        try await services.register("top", needs: ["low", "nowhere"]) { try await Weak($0) }
        try await services.register("other", needs: ["low"]) { try await Weak($0) }
        let start = Task { try await services.start("other") }
        await gate.untilSomebodyComes()
        #expect(
            try await services.explain("other") == "other: starting\n  needs low: starting\n  waits for low"
        )
        #expect(try await services.explain("low") == "low: starting\n  used by other")
        gate.open()
        _ = try await start.value
        #expect(try await services.explain("other") == "other: running\n  needs low: running")
        await #expect(throws: EventBusError.self) { try await services.start("top") }
        let text = try await services.explain("top")
        #expect(text.hasPrefix("top: failed\n  needs low: running\n  needs nowhere: not registered\n  last error: "))
    }

    @Test("A shutdown requested by a service ends that service too")
    func shutdownFromInside() async throws {
        try await services.register("a") { [services, log] _ in
            Runner(log) { await services.shutDown() }
        }
        try await services.start("a")
        try await until { await services.runningNames == [] }
        await #expect { try await services.start("a") } throws: { ($0 as? EventBusError)?.code == .serviceStopped }
    }

    @Test("A run fails if a start misses its limit")
    func startLimitOfRun() async throws {
        let gate = Gate()
        try await services.register("slow") { context in
            await gate.pass()
            return try await Weak(context)
        }
        let run = Task { [services] in try await services.run(shuttingDownOn: [], startingWithin: .seconds(3)) }
        await gate.untilSomebodyComes()
        await clock.untilSomebodySleeps()
        clock.advance(by: .seconds(3))
        try await untilState("slow", .stopping)
        gate.open()
        let error = await #expect(throws: EventBusError.self) { _ = try await run.value }
        #expect(error?.code == .serviceOverran)
    }
}
