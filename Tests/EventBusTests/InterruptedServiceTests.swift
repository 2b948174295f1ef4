import AshlarEventBus
import AshlarTestSupport
import Testing

private struct Stub: Service {
    var options: [String: any Sendable] = [:]
    var stopping: @Sendable () async throws -> Void = {}
    init(_ context: ServiceContext) async throws { options = context.options }
    init(stopping: @escaping @Sendable () async throws -> Void) { self.stopping = stopping }
    func stop() async throws { try await stopping() }
}

private struct Runner: RunningService {
    let running: @Sendable () async throws -> Void
    init(_ context: ServiceContext) async throws { preconditionFailure("created by closures only") }
    init(_ running: @escaping @Sendable () async throws -> Void) { self.running = running }
    func run() async throws { try await running() }
}

private final class Worker: RunningService {
    init(_ context: ServiceContext) async throws {}
    func run() async throws { throw Oops() }
}

private final class App: Service {
    static var needs: [any Service.Type] { [Worker.self] }
    init(_ context: ServiceContext) async throws {}
}

/// Services whose starts, stops and restarts interrupt each other.
@Suite("Interrupted services", .timeLimit(.minutes(5)))
struct InterruptedServiceTests {
    let bus = EventBus()
    let clock = ManualClock()
    let services: ServiceRegistry
    let log = Recorder<String>()

    init() { services = ServiceRegistry(bus: bus, clock: clock) }

    /// Waits for a state, for a limited time.
    private func reaches(_ name: String, _ state: ServiceState) async -> Bool {
        let end = ContinuousClock.now + .seconds(20)
        while await services.state(of: name) != state {
            if ContinuousClock.now > end { return false }
            await Task.yield()
        }
        return true
    }

    /// Registers a service that fails when its first gate opens, and waits in its second start for the other gate.
    private func addRestarting(_ name: String, fails: Gate, again: Gate) async throws {
        let lives = Recorder<Int>()
        try await services.register(
            name, restart: .onFailure(limit: 3, first: .seconds(1), ceiling: .seconds(10))
        ) { _ in
            lives.note(1)
            guard lives.items.count == 1 else {
                await again.pass()
                return Runner { while !Task.isCancelled { await Task.yield() } }
            }
            return Runner {
                await fails.pass()
                throw Oops()
            }
        }
    }

    @Test("A cascading stop of a service that waits for its restart stops the services that use it")
    func cascadeDuringPause() async throws {
        let (fails, again) = (Gate(), Gate())
        try await addRestarting("db", fails: fails, again: again)
        try await services.register("lib", needs: ["db"]) { [log] _ in Stub { log.note("-lib") } }
        try await services.start("lib")
        fails.open()
        #expect(await reaches("db", .restarting))
        try await services.stop("db", cascading: true)
        #expect(log.items == ["-lib"])
        #expect(await services.state(of: "db") == .stopped)
        #expect(await services.runningNames == [])
        again.open()
        try await services.start("lib")
        #expect(await services.runningNames == ["db", "lib"])
        #expect(await services.shutDown() == [])
    }

    @Test("A cascading stop waits for the services that use one whose run ends first")
    func cascadeAfterRun() async throws {
        let (ends, gate) = (Gate(), Gate())
        try await services.register("db") { _ in Runner { await ends.pass() } }
        try await services.register("lib", needs: ["db"]) { [log] _ in
            Stub {
                await gate.pass()
                log.note("-lib")
            }
        }
        try await services.start("lib")
        let stop = Task { [services, log] in
            try await services.stop("db", cascading: true)
            log.note("end")
        }
        await gate.untilSomebodyComes()
        ends.open()
        #expect(await reaches("db", .stopped))
        for _ in 0..<500 { await Task.yield() }
        #expect(log.items == [])
        gate.open()
        try await stop.value
        #expect(log.items == ["-lib", "end"])
    }

    @Test("A caller that joins a restart and gives up doesn't end the restart", arguments: [true, false])
    func joinedRestart(isTimedOut: Bool) async throws {
        let (fails, again) = (Gate(), Gate())
        try await addRestarting("a", fails: fails, again: again)
        try await services.start("a")
        fails.open()
        #expect(await reaches("a", .restarting))
        let caller = Task { try await services.start("a", within: .seconds(5)) }
        await again.untilSomebodyComes()
        if isTimedOut {
            await clock.untilSomebodySleeps()
            clock.advance(by: .seconds(5))
        } else {
            caller.cancel()
        }
        await #expect(throws: (any Error).self) { try await caller.value }
        again.open()
        #expect(await reaches("a", .running))
        #expect(await services.shutDown() == [])
    }

    @Test("A service that nobody waits for any more is stopped, in whichever order the callers leave")
    func lastCallerLeaves() async throws {
        let gate = Gate()
        try await services.register("db") { [log] _ in
            await gate.pass()
            return Stub { log.note("-db") }
        }
        try await services.register("lib", needs: ["db"]) { try await Stub($0) }
        let direct = Task { try await services.start("db") }
        await gate.untilSomebodyComes()
        let user = Task { try await services.start("lib") }
        #expect(await reaches("lib", .starting))
        direct.cancel()
        await #expect(throws: CancellationError.self) { try await direct.value }
        #expect(await services.state(of: "db") == .starting)
        user.cancel()
        await #expect(throws: CancellationError.self) { try await user.value }
        gate.open()
        #expect(await reaches("db", .stopped))
        #expect(log.items == ["-db"])
    }

    @Test("A start of a service that is still stopping throws, and so does one of a service that needs it")
    func startDuringStop() async throws {
        let gate = Gate()
        let made = Recorder<Int?>()
        try await services.register("db") { context in
            made.note(context.options["number"] as? Int)
            return Stub { await gate.pass() }
        }
        try await services.register("lib", needs: ["db"]) { try await Stub($0) }
        try await services.start("db", ["number": 1])
        let stop = Task { try await services.stop("db") }
        await gate.untilSomebodyComes()
        let direct = await #expect(throws: EventBusError.self) { try await services.start("db", ["number": 2]) }
        #expect(direct?.code == .serviceStopped)
        let user = await #expect(throws: EventBusError.self) { try await services.start("lib") }
        #expect(user?.code == .serviceFailed)
        #expect((user?.underlying as? EventBusError)?.code == .serviceStopped)
        #expect(await services.state(of: "db") == .stopping)
        gate.open()
        try await stop.value
        try await services.start("lib")
        #expect(made.items == [1, nil])
        #expect(await services.shutDown() == [])
    }

    @Test("The restart policy of a service applies even if another service has registered it first")
    func laterPolicy() async throws {
        try await services.register(App.self)
        try await services.register(Worker.self, restart: .onFailure(limit: 1))
        try await services.register(App.self)
        #expect(await services.names == ["Worker", "App"])
        try await services.start(Worker.self)
        #expect(await reaches("Worker", .restarting))
        #expect(await services.shutDown() == [])
    }

    @Test("A need that is named twice is one need")
    func repeatedNeed() async throws {
        try await services.register("db") { try await Stub($0) }
        try await services.register("lib", needs: ["db", "db"]) { try await Stub($0) }
        try await services.start("lib")
        #expect(try await services.explain("lib") == "lib: running, healthy\n  needs db: running")
        #expect(try await services.explain("db") == "db: running, healthy\n  used by lib")
    }
}
